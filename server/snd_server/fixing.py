"""Applies fixes to a text, again and again until none is left that can be applied."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from snd_analysis.diagnostics import Diagnostic, Fix
from snd_analysis.source import Span

_MOST_ROUNDS = 100
_LINE_BREAK = re.compile(r"\r\n|\n|\r")

Diagnose = Callable[[str], Sequence[Diagnostic]]
"""All diagnostics of a text that the file might have."""

SYNTAX_RULES = frozenset(
    {
        "syntax-error",
        "illegal-character",
        "keyword-as-name",
        "malformed-format",
        "malformed-number",
        "nesting-too-deep",
        "unclosed-bracket",
        "unclosed-string",
    }
)
"""What text that does not parse triggers."""
_DAMAGE = SYNTAX_RULES | {"internal-error"}
"""Rules that a fix must not trigger."""


@dataclass(frozen=True, slots=True)
class Fixed:
    """A text after its fixes, and how many were applied."""

    text: str
    count: int


def fix_text(text: str, diagnose: Diagnose, wanted: Callable[[Diagnostic], bool]) -> Fixed:
    """Apply the fixes of all wanted diagnostics.

    Of fixes that overlap one is applied, the others if they are still offered afterwards. A fix that leaves more
    syntax errors than it found is dropped.
    """
    count = 0
    rejected: set[Fix] = set()
    diagnostics = diagnose(text)
    one_by_one = False
    for _ in range(_MOST_ROUNDS):
        fixes = compatible(
            found.fix for found in diagnostics if wanted(found) and found.fix and found.fix not in rejected
        )
        if not fixes:
            break
        fixes = fixes[:1] if one_by_one else fixes
        candidate = apply_fixes(text, fixes)
        outcome = diagnose(candidate)
        if _damage(outcome) <= _damage(diagnostics):
            text, diagnostics, count, one_by_one = candidate, outcome, count + len(fixes), False
        elif len(fixes) == 1:
            rejected.add(fixes[0])
            one_by_one = False
        else:
            one_by_one = True
    return Fixed(text, count)


def compatible(fixes: Iterable[Fix]) -> list[Fix]:
    """As many of the fixes, in order of their places, as can be applied together."""
    taken: list[Span] = []
    chosen: list[Fix] = []
    for fix in sorted(fixes, key=lambda fix: min((edit.location.span for edit in fix.edits), default=Span(0, 0))):
        spans = [edit.location.span for edit in fix.edits]
        if not spans or any(_conflict(span, other) for span in spans for other in taken):
            continue
        taken.extend(spans)
        chosen.append(fix)
    return chosen


def apply_fixes(text: str, fixes: Iterable[Fix]) -> str:
    """The text after all edits of ``fixes``, which must be compatible; new lines end as the text's own do."""
    line_break = _prevailing_line_break(text)
    edits = sorted(((edit.location.span, edit.text) for fix in fixes for edit in fix.edits), key=lambda edit: edit[0])
    parts: list[str] = []
    position = 0
    for span, replacement in edits:
        if span.start < position:  # a fix whose own edits overlap contradicts itself; its first edit counts
            continue
        parts += [text[position : span.start], _LINE_BREAK.sub(line_break, replacement)]
        position = span.end
    return "".join([*parts, text[position:]])


def unified_diff(path: str, before: str, after: str) -> str:
    """The change as ``patch`` reads it; a missing line break at the end is marked as git marks it."""
    lines = difflib.unified_diff(_lines(before), _lines(after), path, path)
    return "".join(line if line.endswith(("\n", "\r")) else f"{line}\n\\ No newline at end of file\n" for line in lines)


def _damage(diagnostics: Sequence[Diagnostic]) -> int:
    return sum(diagnostic.rule in _DAMAGE for diagnostic in diagnostics)


def _lines(text: str) -> list[str]:
    # not str.splitlines: only these three end a line of SkriptND
    ends = [0, *(match.end() for match in _LINE_BREAK.finditer(text)), len(text)]
    return [text[start:end] for start, end in pairwise(ends) if start < end]


def _conflict(left: Span, right: Span) -> bool:
    if left.start == left.end or right.start == right.end:  # an insertion beside another edit: their order is a guess
        return left.start <= right.end and right.start <= left.end
    return left.start < right.end and right.start < left.end


def _prevailing_line_break(text: str) -> str:
    breaks = _LINE_BREAK.findall(text)
    return max(("\n", "\r\n", "\r"), key=breaks.count)
