"""Refactorings that a server with a runtime does: definitions have to compute the same afterwards."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from snd_analysis.base import Span, counted
from snd_analysis.ide.actions.action import Action, ActionKind, Command, Request
from snd_analysis.ide.limits import MOST_TRIED_CHARACTERS
from snd_analysis.ide.refactoring import (
    CHANNELS,
    EXTRACT,
    INLINE,
    REFACTORINGS,
    REPLACE,
    RefactoringError,
    channel_order,
    formulas_at,
    invocation_at,
    may_be_replaced,
    selected_statements,
)

REFACTOR = "snd.refactor"


def refactorings(request: Request, commands: Collection[str]) -> Iterator[Action]:
    """Yield refactorings of the selected statements, the invocation and the formulas here, but for those that would be
    refused."""
    if REFACTOR not in commands:
        return
    snapshot, path = request.snapshot, request.path
    selected = selected_statements(snapshot, path, request.span)
    if selected is not None:
        if _is_possible(request, EXTRACT, selected.span):
            title = f"extract an operator from {counted(len(selected.entries), 'statement')}"
            yield _action(title, ActionKind.EXTRACT, EXTRACT, selected.span)
        order = channel_order(snapshot, path, selected)
        if order is not None and _is_possible(request, CHANNELS, selected.span):
            yield _action(f"switch to {order.other}", ActionKind.REWRITE, CHANNELS, selected.span)
    invocation = invocation_at(snapshot, path, request.span.start)
    if invocation is not None:
        place = invocation.entry.span.shifted(invocation.start)
        if _is_possible(request, INLINE, place):
            yield _action(f"inline the operator '{invocation.operator.name}'", ActionKind.INLINE, INLINE, place)
    formulas = formulas_at(snapshot, path, request.span.start)
    if formulas is not None and may_be_replaced(formulas):
        place = formulas.block.span.shifted(formulas.start)
        yield _action("replace the formula by an operator of the library", ActionKind.REWRITE, REPLACE, place)


def _action(title: str, kind: ActionKind, refactoring: str, place: Span) -> Action:
    return Action(title, kind, command=Command(REFACTOR, (refactoring, place.start, place.end)))


def _is_possible(request: Request, refactoring: str, place: Span) -> bool:
    """Return whether a refactoring has an edit. Files that take long to check are not tried: the command will."""
    if len(request.snapshot.source(request.path).text) > MOST_TRIED_CHARACTERS:
        return True
    try:
        return bool(REFACTORINGS[refactoring](request.snapshot, request.path, place))
    except RefactoringError:
        return False
