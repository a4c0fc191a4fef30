"""Refactorings that a server with a runtime does: definitions have to compute the same afterwards."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from snd_analysis.base import Span, counted
from snd_analysis.ide.actions.action import Action, ActionKind, Command, Request
from snd_analysis.ide.limits import MOST_TRIED_CHARACTERS
from snd_analysis.ide.refactoring import (
    CHANNELS,
    DELETE,
    EXTRACT,
    INLINE,
    INLINE_NAME,
    INTRODUCE,
    REFACTORINGS,
    REPLACE,
    Asked,
    RefactoringError,
    channel_order,
    deleted_definition_at,
    formulas_at,
    inlined_name_at,
    invocation_at,
    may_be_replaced,
    selected_expression,
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
    expression = selected_expression(snapshot, path, request.span)
    if expression is not None and _is_possible(request, INTRODUCE, expression.span):
        yield _action("introduce a name for this expression", ActionKind.EXTRACT, INTRODUCE, expression.span)
    named = inlined_name_at(snapshot, path, request.span.start)
    if named is not None and _is_possible(request, INLINE_NAME, request.span):
        yield _action(f"inline '{named.symbol.name}'", ActionKind.INLINE, INLINE_NAME, request.span)
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
        return bool(REFACTORINGS[refactoring](request.snapshot, Asked(request.path, place)))
    except RefactoringError:
        return False


def unused_definitions(request: Request, files: Sequence[str], commands: Collection[str]) -> Iterator[Action]:
    """Yield the deletion of the operator whose name stands here, unless one of the files names it."""
    if REFACTOR not in commands:
        return
    found = deleted_definition_at(request.snapshot, request.path, request.span.start)
    if found is None or found[1].kind == "graph":
        return
    place = found[1].name.span.shifted(found[0])
    try:
        REFACTORINGS[DELETE](request.snapshot, Asked(request.path, place, files))
    except RefactoringError:
        return
    yield _action(f"delete '{found[1].name.text}', which nothing names", ActionKind.REWRITE, DELETE, place)
