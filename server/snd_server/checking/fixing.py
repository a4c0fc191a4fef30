"""Applies fixes to a text, again and again until none is left that can be applied."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right, insort
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from functools import partial
from itertools import accumulate, pairwise

from msgspec import Struct
from msgspec.structs import replace

from snd_analysis import rules
from snd_analysis.base import Diagnostic, Fix, Rule, Severity, Span, TextEdit
from snd_analysis.skriptnd.lints import DEAD_OPERATION, DUPLICATE_IMPORT, UNUSED_IMPORT, UNUSED_VARIABLE
from snd_server.checking.report import is_fixable
from snd_server.console.visible import visible
from snd_server.limits import MOST_FAILED_FIX_ROUNDS, MOST_FIX_ROUNDS

_ALL = 1_000_000
_LINE_BREAK = re.compile(r"\r\n|\n|\r")

_SYNTAX = frozenset({rules.SYNTAX_ERROR, rules.UNCLOSED_BRACKET, rules.UNCLOSED_STRING})
_JUDGED_LAST = frozenset({
    rules.ARGUMENT_RANK, rules.ARGUMENT_SHAPE, rules.ASSERTION_FAILS, rules.CARRIED_SHAPE, rules.CONDITION_SHAPE,
    rules.DIVISION_BY_ZERO, rules.DIVISOR_MAY_BE_ZERO, rules.EXTENT_MAY_BE_NEGATIVE, rules.INDEX_OUT_OF_RANGE,
    rules.LENGTH_MISMATCH, rules.MISALIGNED_BIAS, rules.NEGATIVE_EXTENT, rules.OUTPUT_SHAPE, rules.RESULT_SHAPE,
    rules.UPDATE_SHAPE, DEAD_OPERATION, UNUSED_VARIABLE,
})  # fmt: skip

AFTER_ERRORS = frozenset({UNUSED_IMPORT, DUPLICATE_IMPORT})
"""Rules whose fixes wait until a file has no errors: no import is removed before."""
_MECHANICAL = frozenset({rules.NESTED_INVOCATION})
"""Rules whose fixes write the same program in another way, and guess nothing."""

Diagnose = Callable[[str], Sequence[Diagnostic]]
"""All diagnostics of a text that the file might have."""


class FixedFile(Struct, frozen=True):
    """A text after its fixes, their number, and the fixes rejected because they would add a diagnostic."""

    text: str
    count: int
    rejected: frozenset[Fix] = frozenset()
    is_complete: bool = True
    """True if every fix was tried; else the limits of rounds have left some."""


def fix_text(text: str, diagnose: Diagnose, wanted: Callable[[Diagnostic], bool]) -> FixedFile:
    """Apply the fixes of all wanted diagnostics.

    One of several overlapping fixes is applied, the others if they are still offered afterwards. A missing import is
    always added. Any other fix that leads to a new diagnostic (see ``adds_none``) is rejected, unless its mistake had
    hidden that diagnostic (see ``_hides``).
    """
    count = 0
    rejected: set[Fix] = set()
    diagnostics = diagnose(text)
    most = _ALL
    failures = 0
    for _ in range(MOST_FIX_ROUNDS):
        offered = [(found, found.fix) for found in not_held_back(diagnostics) if found.fix and wanted(found)]
        revealing = [fix for found, fix in offered if _may_reveal(found, fix) and fix not in rejected]
        fixes = compatible(revealing) or compatible(fix for _, fix in offered if fix not in rejected)[:most]
        mended = [(found, fix) for found, fix in offered if fix in fixes]
        if not fixes:
            return FixedFile(text, count, frozenset(rejected))
        candidate = apply_fixes(text, fixes)
        outcome = diagnose(candidate)
        if revealing:
            rejected.update(fixes)  # one that is offered again did not help
            text, diagnostics, count = candidate, outcome, count + len(fixes)
            continue
        hidden = frozenset(each.rule for each in outcome if all(_hides(*one, each.rule) for one in mended))
        if adds_none((text, diagnostics), (candidate, outcome), fixes, hidden):
            text, diagnostics, count, most = candidate, outcome, count + len(fixes), 2 * most
            continue
        failures += 1
        if failures > MOST_FAILED_FIX_ROUNDS:
            break
        if len(fixes) == 1:
            rejected.add(fixes[0])
            most = _ALL
        else:
            most = len(fixes) // 2
    return FixedFile(text, count, frozenset(rejected), is_complete=False)


def with_declined_fixes(text: str, diagnostics: Sequence[Diagnostic], diagnose: Diagnose) -> tuple[Diagnostic, ...]:
    """Return the diagnostics of a text with the mark on fixes that ``--fix`` and ``--unsafe-fixes`` would reject."""
    declined: Counter[object] = Counter()
    for unsafe in (False, True):
        if not any(is_fixable(each, unsafe) and each.fix and each.fix.safe is not unsafe for each in diagnostics):
            continue
        fixed = fix_text(text, diagnose, partial(is_fixable, unsafe=unsafe))
        left = not_held_back(diagnose(fixed.text)) if fixed.rejected else []
        declined.update(
            _identity(each, each.fix) for each in left
            if each.fix and each.fix in fixed.rejected and each.fix.safe is not unsafe
        )  # fmt: skip
    found: list[Diagnostic] = []
    for each in diagnostics:
        if each.fix is not None and declined[_identity(each, each.fix)] > 0:
            declined[_identity(each, each.fix)] -= 1
            each = replace(each, fix=replace(each.fix, declined=True))
        found.append(each)
    return tuple(found)


def _identity(found: Diagnostic, fix: Fix) -> tuple[object, ...]:
    """Return a key of a diagnostic and its fix that stays the same when other fixes change the text around them."""
    return found.rule, found.message, fix.title


def not_held_back(diagnostics: Sequence[Diagnostic]) -> list[Diagnostic]:
    """Return the diagnostics of a file; unused and repeated imports lose their fix if there are errors.

    A mistake may hide the use of a module, as in ``mn.relu(x)``.
    """
    if all(found.severity is not Severity.ERROR for found in diagnostics):
        return [*diagnostics]
    return [replace(found, fix=None) if found.rule in AFTER_ERRORS else found for found in diagnostics]


def _may_reveal(found: Diagnostic, fix: Fix) -> bool:
    """Return whether a fix is right even if it reveals mistakes: a missing import hides mistakes in its uses."""
    return fix.safe and found.rule == rules.UNKNOWN_MODULE


def _hides(found: Diagnostic, fix: Fix, rule: Rule) -> bool:
    """Return whether a fixed mistake had kept snd from checking a rule.

    An unparsed statement is not typed, a statement with wrong types has no shapes, and nothing is reported as unused in
    a part with errors. An unsafe fix is a guess: a wrong shape shows that the guess is wrong.
    """
    if found.rule in _SYNTAX:
        return rule not in _SYNTAX
    is_certain = fix.safe or found.rule in _MECHANICAL
    return is_certain and found.severity is Severity.ERROR and rule in _JUDGED_LAST


def adds_none(
    before: tuple[str, Sequence[Diagnostic]],
    after: tuple[str, Sequence[Diagnostic]],
    fixes: Sequence[Fix],
    hidden: Collection[Rule] = (),
) -> bool:
    """Return whether ``fixes`` add no diagnostics: for each rule and line, there are no more than before.

    Rules that could not be judged before do not count, nor do hints: a fix that removes the last use of a name may
    cause one. Lines are identified by their text; the text of an earlier line is the one after the fixes.
    """
    (text, diagnostics), (new_text, outcome) = before, after
    moved = _mover(_edits(text, fixes))
    line = _line_finder(new_text)
    there = Counter((found.rule, line(moved(found.location.span.start))) for found in _counting(diagnostics))
    counted = (found for found in _counting(outcome) if found.rule not in hidden)
    now = Counter((found.rule, line(found.location.span.start)) for found in counted)
    return now <= there


def _counting(diagnostics: Sequence[Diagnostic]) -> list[Diagnostic]:
    return [found for found in diagnostics if found.severity is not Severity.HINT]


def _mover(edits: Sequence[tuple[Span, str]]) -> Callable[[int], int]:
    """Return a function that maps a place in the text to the place after the edits, which are in order.

    Places in replaced text map to the start of the replacement.
    """
    starts = [span.start for span, _ in edits]
    shifts = [0, *accumulate(len(replacement) - (span.end - span.start) for span, replacement in edits)]

    def moved(position: int) -> int:
        before = bisect_right(starts, position)
        if before and edits[before - 1][0].end > position:
            return starts[before - 1] + shifts[before - 1]
        return position + shifts[before]

    return moved


def _line_finder(text: str) -> Callable[[int], str]:
    """Return a function that tells the line in which a place is."""
    ends = [0, *(match.end() for match in _LINE_BREAK.finditer(text)), len(text) + 1]
    lines = [text[start:end].rstrip("\r\n") for start, end in pairwise(ends)]
    return lambda position: lines[bisect_right(ends, position) - 1]


def compatible(fixes: Iterable[Fix]) -> list[Fix]:
    """Return as many of the fixes, in order of their places, as can be applied together."""
    taken: list[Span] = []
    """Spans in order and disjoint, so that a new span can only overlap its neighbours."""
    chosen: list[Fix] = []
    for fix in sorted(fixes, key=lambda fix: min((edit.location.span for edit in fix.edits), default=Span(0, 0))):
        spans = [span for span, _ in _apart(fix.edits)]
        if not spans or any(_conflict(span, other) for span in spans for other in _beside(taken, span)):
            continue
        for span in spans:
            insort(taken, span)
        chosen.append(fix)
    return chosen


def _beside(taken: Sequence[Span], span: Span) -> Sequence[Span]:
    at = bisect_left(taken, span.start, key=lambda other: other.start)
    return taken[max(at - 1, 0) : at + 1]


def apply_fixes(text: str, fixes: Iterable[Fix]) -> str:
    """Return the text after all edits of ``fixes``, which must be compatible; new lines end as the text's own do."""
    parts: list[str] = []
    position = 0
    for span, replacement in _edits(text, fixes):
        parts += [text[position : span.start], replacement]
        position = span.end
    return "".join([*parts, text[position:]])


def _edits(text: str, fixes: Iterable[Fix]) -> list[tuple[Span, str]]:
    """Return the edits of ``fixes`` in order of their places."""
    line_break = _prevailing_line_break(text)
    return [
        (span, _LINE_BREAK.sub(line_break, replacement))
        for span, replacement in _apart(edit for fix in fixes for edit in fix.edits)
    ]


def _apart(edits: Iterable[TextEdit]) -> list[tuple[Span, str]]:
    """Return edits in order of their places. A fix whose edits overlap contradicts itself: the first counts."""
    apart: list[tuple[Span, str]] = []
    for span, replacement in sorted(((edit.location.span, edit.text) for edit in edits), key=lambda edit: edit[0]):
        if not apart or span.start >= apart[-1][0].end:
            apart.append((span, replacement))
    return apart


def unified_diff(path: str, before: str, after: str) -> str:
    """Return the change as ``patch`` reads it; a missing line break at the end is marked as git marks it."""
    import difflib

    name = visible(path)
    lines = difflib.unified_diff(_lines(before), _lines(after), name, name)
    return "".join(line if line.endswith(("\n", "\r")) else f"{line}\n\\ No newline at end of file\n" for line in lines)


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
