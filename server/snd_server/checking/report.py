"""The results of one run: the only input of renderers."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Mapping

from msgspec import Struct

from snd_analysis.base import Diagnostic, Fix, Location, Position, Severity, Source
from snd_analysis.proofs import Proof
from snd_server.console.colours import Paint, plain


class TestedSample(Struct, frozen=True):
    """A sample that was run, for reports of tests."""

    location: Location
    name: str
    seconds: float


class Report(Struct, frozen=True):
    """The diagnostics of a run, in order of the files and of the places within each, and the data to show them.

    Rules, severities and suppressions have been applied; all diagnostics here are shown.
    """

    files: tuple[str, ...]
    diagnostics: tuple[Diagnostic, ...]
    source: Callable[[str], Source]
    """The text of any file a diagnostic names; a Source without text if it has none."""
    unsafe_fixes: bool = False
    error_on_warning: bool = False
    fixed: int = 0
    """Number of problems that ``--fix`` has removed."""
    declined: int = 0
    """Number of fixes that ``--fix`` did not apply, since they would have caused other problems."""
    hidden_hints: int = 0
    """Number of hints that are shown only with ``--verbose``."""
    quiet: bool = False
    proofs: tuple[Proof, ...] | None = None
    """Proofs about operators for all sizes, if they were asked for."""
    samples: tuple[TestedSample, ...] | None = None
    """The samples that were run, in order; None for a report about texts alone."""
    remark: str = ""
    """Further text for the summary, such as a note that a run skipped some checks."""
    paint: Paint = plain
    width: int = 120
    """Columns a line of text may take."""

    def count(self, severity: Severity) -> int:
        """Return how many diagnostics have the severity."""
        return sum(diagnostic.severity is severity for diagnostic in self.diagnostics)

    def by_rule(self) -> Mapping[str, int]:
        """Return how many diagnostics each rule has."""
        return Counter(diagnostic.rule.name for diagnostic in self.diagnostics)

    def start(self, location: Location) -> Position:
        """Line and column where a location begins."""
        return self.source(location.path).position(location.span.start)

    def end(self, location: Location) -> Position:
        """Line and column just after a location."""
        return self.source(location.path).position(location.span.end)

    def fails(self, diagnostic: Diagnostic) -> bool:
        """Return whether the diagnostic makes the run fail."""
        failing = (Severity.ERROR, Severity.WARNING) if self.error_on_warning else (Severity.ERROR,)
        return diagnostic.severity in failing


def is_fixable(diagnostic: Diagnostic, unsafe: bool) -> bool:
    """Return whether ``--fix`` (with ``--unsafe-fixes``) would remove the diagnostic.

    Fixes across files are for editors.
    """
    fix = diagnostic.fix
    return fix is not None and not fix.declined and _is_tried(diagnostic, fix, unsafe)


def is_declined(diagnostic: Diagnostic, unsafe: bool) -> bool:
    """Return whether ``--fix`` (with ``--unsafe-fixes``) does not apply a fix since other problems would follow."""
    fix = diagnostic.fix
    return fix is not None and fix.declined and _is_tried(diagnostic, fix, unsafe)


def _is_tried(diagnostic: Diagnostic, fix: Fix, unsafe: bool) -> bool:
    return (fix.safe or unsafe) and _stays_in(fix, diagnostic.location.path)


def _stays_in(fix: Fix, path: str) -> bool:
    return all(edit.location.path == path for edit in fix.edits)


def relative_url(path: str, root: str = "") -> str:
    """Return ``path`` with forward slashes, relative to ``root`` (the current folder) if it lies below."""
    if path.startswith("snd:"):
        return path
    relative = os.path.relpath(path, root or None)
    return (path if relative.startswith(os.pardir) else relative).replace(os.sep, "/")
