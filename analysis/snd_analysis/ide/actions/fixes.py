"""The fixes that rules offer: one, all of a rule, all that are safe."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from snd_analysis.diagnostics import Diagnostic, TextEdit
from snd_analysis.ide.actions.action import Action, ActionKind, Request


def fixes(request: Request) -> Iterator[Action]:
    """The fixes of what is wrong at a place, and of what is wrong likewise elsewhere in the file."""
    told: set[str] = set()
    for found in request.here:
        if found.fix is None:
            continue
        yield Action(found.fix.title, ActionKind.QUICK_FIX, found.fix.edits, (found,), found.fix.safe)
        same = [each for each in request.diagnostics if each.rule == found.rule and each.fix is not None]
        if found.rule not in told and len(same) > 1:
            told.add(found.rule)
            edits, fixed = together(same)
            if len(fixed) > 1:
                yield Action(f"fix all of '{found.rule}' ({len(fixed)})", ActionKind.QUICK_FIX, edits, fixed)


def fix_all(request: Request) -> Iterator[Action]:
    """All safe fixes of the file that can be made at once."""
    edits, fixed = together(each for each in request.diagnostics if each.fix is not None and each.fix.safe)
    if fixed:
        yield Action("fix all that can be fixed safely", ActionKind.FIX_ALL, edits, fixed)


def together(diagnostics: Iterable[Diagnostic]) -> tuple[tuple[TextEdit, ...], tuple[Diagnostic, ...]]:
    """The edits of those fixes that don't come in each other's way, and what they fix. The first ones win."""
    edits: list[TextEdit] = []
    fixed: list[Diagnostic] = []
    for found in diagnostics:
        assert found.fix is not None
        new = [edit for edit in found.fix.edits if edit not in edits]
        if not any(_collide(edit, other) for edit in new for other in edits):
            edits += new
            fixed.append(found)
    return tuple(sorted(edits, key=lambda edit: edit.location)), tuple(fixed)


def _collide(first: TextEdit, second: TextEdit) -> bool:
    one, other = first.location.span, second.location.span
    if first.location.path != second.location.path:
        return False
    if one.start == one.end == other.start == other.end:
        # Both insert at one place: two imports may follow each other, of anything else the order is not known.
        return not (first.text.strip().startswith("import ") and second.text.strip().startswith("import "))
    return (one.start < other.end and other.start < one.end) or one == other
