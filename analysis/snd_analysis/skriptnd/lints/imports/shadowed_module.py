"""A module hides one of the standard library (LANGUAGE)."""

from __future__ import annotations

from collections.abc import Iterator

from snd_analysis.base import Problem, Rule, Severity
from snd_analysis.skriptnd.lints.imported_names import ImportedName

SHADOWED_MODULE = Rule("shadowed-module", section="LANGUAGE", severity=Severity.WARNING)


def check(item: ImportedName) -> Iterator[Problem]:
    """Report an import of a file that has the name of a module of the standard library."""
    if item.shadowed is not None:
        message = f"'{item.path}' hides the module '{item.node.text}' of the standard library"
        yield Problem(SHADOWED_MODULE, item.span, message)
