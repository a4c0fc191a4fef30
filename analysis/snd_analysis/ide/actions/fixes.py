"""The fixes that rules offer: one, all of a rule, all that are safe."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from snd_analysis.base import Diagnostic, Fix, Rule, Span, TextEdit
from snd_analysis.ide.actions.action import Action, ActionKind, Request


def fixes(request: Request) -> Iterator[Action]:
    """Yield the fixes of problems at a place, and of equal problems elsewhere in the file."""
    told: set[Rule] = set()
    for found in request.here:
        for other in found.alternatives:
            yield Action(other.title, ActionKind.QUICK_FIX, other.edits, (found,))
        if found.fix is None:
            continue
        yield Action(found.fix.title, ActionKind.QUICK_FIX, found.fix.edits, (found,), found.fix.safe)
        same = [each for each in request.diagnostics if each.rule == found.rule and each.fix is not None]
        if found.rule not in told and len(same) > 1:
            told.add(found.rule)
            edits, fixed = together(same)
            if len(fixed) > 1:
                yield Action(f"fix all of '{found.rule.name}' ({len(fixed)})", ActionKind.QUICK_FIX, edits, fixed)


def fix_all(request: Request) -> Iterator[Action]:
    """Yield all safe fixes of the file that can be made at once."""
    edits, fixed = together(each for each in request.diagnostics if each.fix is not None and each.fix.safe)
    if fixed:
        yield Action("fix all that can be fixed safely", ActionKind.FIX_ALL, edits, fixed)


def together(diagnostics: Iterable[Diagnostic]) -> tuple[tuple[TextEdit, ...], tuple[Diagnostic, ...]]:
    """Return the edits of compatible fixes, and the fixed diagnostics. Earlier fixes win."""
    edits: list[TextEdit] = []
    chosen: list[Fix] = []
    fixed: list[Diagnostic] = []
    for found in diagnostics:
        fix = found.fix
        assert fix is not None
        if any(_collide(fix, other) for other in chosen):
            continue
        if not any(fix.edits == other.edits for other in chosen):
            # An import serves all that need it; parentheses at one place belong to one expression each.
            edits += [edit for edit in fix.edits if not (_is_import(edit) and edit in edits)]
            chosen.append(fix)
        fixed.append(found)
    return tuple(sorted(edits, key=lambda edit: edit.location)), tuple(fixed)


def _collide(first: Fix, second: Fix) -> bool:
    if first.edits == second.edits or _are_nested(first, second):
        return False
    return any(_conflict(edit, other) for edit in first.edits for other in second.edits)


def _are_nested(first: Fix, second: Fix) -> bool:
    """Return whether both put parentheses around expressions that contain each other."""
    one, other = _parenthesised(first), _parenthesised(second)
    if one is None or other is None or first.edits[0].location.path != second.edits[0].location.path:
        return False
    return (one.start <= other.start and other.end <= one.end) or (other.start <= one.start and one.end <= other.end)


def _parenthesised(fix: Fix) -> Span | None:
    """Return the span that a fix puts parentheses around, if it does nothing else."""
    if [edit.text for edit in fix.edits] != ["(", ")"]:
        return None
    opening, closing = (edit.location.span for edit in fix.edits)
    is_around = opening.start == opening.end < closing.start == closing.end
    return Span(opening.start, closing.end) if is_around else None


def _conflict(first: TextEdit, second: TextEdit) -> bool:
    if first.location.path != second.location.path or (_is_import(first) and _is_import(second)):
        return False
    one, other = first.location.span, second.location.span
    if one.start == one.end or other.start == other.end:  # an insertion beside another edit: their order is a guess
        return one.start <= other.end and other.start <= one.end
    return one.start < other.end and other.start < one.end


def _is_import(edit: TextEdit) -> bool:
    """Return whether an edit inserts an import; several such edits can follow each other."""
    span = edit.location.span
    return span.start == span.end and edit.text.strip().startswith("import ")
