"""Refactorings that a server does that can evaluate: what they change has to compute the same."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from snd_analysis.base import counted
from snd_analysis.ide.actions.action import Action, ActionKind, Command, Request
from snd_analysis.ide.refactoring import (
    CHANNELS,
    EXTRACT,
    INLINE,
    REPLACE,
    channel_order,
    formulas_at,
    invocation_at,
    selected_statements,
)

REFACTOR = "snd.refactor"


def refactorings(request: Request, commands: Collection[str]) -> Iterator[Action]:
    """Yield what can be done with the selected statements, the invocation and the formulas here."""
    if REFACTOR not in commands:
        return
    selected = selected_statements(request.snapshot, request.path, request.span)
    if selected is not None:
        command = Command(REFACTOR, (EXTRACT, selected.span.start, selected.span.end))
        title = f"extract an operator from {counted(len(selected.entries), 'statement')}"
        yield Action(title, ActionKind.EXTRACT, command=command)
        order = channel_order(request.snapshot, request.path, selected)
        if order is not None:
            command = Command(REFACTOR, (CHANNELS, selected.span.start, selected.span.end))
            yield Action(f"switch to {order.other}", ActionKind.REWRITE, command=command)
    invocation = invocation_at(request.snapshot, request.path, request.span.start)
    if invocation is not None:
        place = invocation.entry.span.shifted(invocation.start)
        command = Command(REFACTOR, (INLINE, place.start, place.end))
        yield Action(f"inline the operator '{invocation.operator.name}'", ActionKind.INLINE, command=command)
    formulas = formulas_at(request.snapshot, request.path, request.span.start)
    if formulas is not None:
        place = formulas.block.span.shifted(formulas.start)
        command = Command(REFACTOR, (REPLACE, place.start, place.end))
        yield Action("replace the formula by an operator of the library", ActionKind.REWRITE, command=command)
