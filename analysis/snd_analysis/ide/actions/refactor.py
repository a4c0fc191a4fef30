"""Refactorings that a server with a runtime does: definitions have to compute the same afterwards."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from snd_analysis.base import Span, counted
from snd_analysis.ide.actions.action import Action, ActionKind, Command, Request
from snd_analysis.ide.limits import LONGEST_CODE, MOST_TRIED_CHARACTERS
from snd_analysis.ide.refactoring import (
    ALL,
    CHANNELS,
    DELETE,
    DIRECTION,
    EXTRACT,
    INLINE,
    INLINE_NAME,
    INTRODUCE,
    LEFT,
    MAKE_ATTRIBUTE,
    MOVE,
    MOVE_PARAMETER,
    MOVE_TARGET,
    PLACES,
    REFACTORINGS,
    REMOVE_PARAMETER,
    REPLACE,
    RIGHT,
    Asked,
    RefactoringError,
    channel_order,
    declared_parameter_at,
    equal_expressions,
    formulas_at,
    inlined_name_at,
    invocation_at,
    is_compile_time,
    is_unused,
    may_be_replaced,
    move_targets,
    named_definition_at,
    selected_expression,
    selected_statements,
)
from snd_analysis.skriptnd.names import OperatorName

REFACTOR = "snd.refactor"


def refactorings(request: Request, commands: Collection[str]) -> Iterator[Action]:
    """Yield refactorings of the selected statements, and of the invocation and the formulas here.

    Refactorings that would be refused are left out.
    """
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
    if expression is not None:
        if _is_possible(request, INTRODUCE, expression.span):
            yield _action("introduce a name for this expression", ActionKind.EXTRACT, INTRODUCE, expression.span)
            count, options = len(equal_expressions(snapshot, path, expression)), ((PLACES, ALL),)
            if count > 1 and _is_possible(request, INTRODUCE, expression.span, options=options):
                title = f"introduce a name for this expression in {count} places"
                yield _action(title, ActionKind.EXTRACT, INTRODUCE, expression.span, options)
        if is_compile_time(snapshot, path, expression) and _is_possible(request, MAKE_ATTRIBUTE, expression.span):
            value = _shown_code(request.text[expression.span.start : expression.span.end])
            title = f"turn '{value}' into an attribute with this default"
            yield _action(title, ActionKind.EXTRACT, MAKE_ATTRIBUTE, expression.span)
    named = inlined_name_at(snapshot, path, request.span.start)
    if named is not None and _is_possible(request, INLINE_NAME, request.span):
        yield _action(f"inline '{named.symbol.name}'", ActionKind.INLINE, INLINE_NAME, request.span)
    if named is not None and expression is None and _is_possible(request, MAKE_ATTRIBUTE, request.span):
        title = f"turn '{named.symbol.name}' into an attribute with its value as the default"
        yield _action(title, ActionKind.REWRITE, MAKE_ATTRIBUTE, request.span)
    invocation = invocation_at(snapshot, path, request.span.start)
    if invocation is not None:
        place = invocation.entry.span.shifted(invocation.start)
        if _is_possible(request, INLINE, place):
            yield _action(f"inline the operator '{invocation.operator.name}'", ActionKind.INLINE, INLINE, place)
    formulas = formulas_at(snapshot, path, request.span.start)
    if formulas is not None and may_be_replaced(formulas):
        place = formulas.block.span.shifted(formulas.start)
        yield _action("replace the formula by an operator of the library", ActionKind.REWRITE, REPLACE, place)


def _shown_code(text: str) -> str:
    """Return a piece of a program on one line, cut if it is long."""
    shown = " ".join(text.split())
    return shown if len(shown) <= LONGEST_CODE else f"{shown[: LONGEST_CODE - 1]}…"


def definition_refactorings(request: Request, files: Sequence[str], commands: Collection[str]) -> Iterator[Action]:
    """Yield refactorings of the operator whose name stands here: its deletion if nothing names it, and moves."""
    found = named_definition_at(request.snapshot, request.path, request.span.start) if REFACTOR in commands else None
    if found is None or found[1].kind == "graph":
        return
    name, place = OperatorName(request.path, found[1].name.text), found[1].name.span.shifted(found[0])
    using = [each for each in files if request.path in request.snapshot.dependencies(each)]
    if _has_edit(request, DELETE, place, using):
        yield _action(f"delete '{name.name}', which nothing names", ActionKind.REWRITE, DELETE, place)
    for target in move_targets(request.snapshot, name, files):
        options = ((MOVE_TARGET, target),)
        if _is_possible(request, MOVE, place, using, options):
            shown, is_new = target.rpartition("/")[2], not request.snapshot.exists(target)
            title = f"move '{name.name}' to {'a new file ' if is_new else ''}{shown}"
            yield _action(title, ActionKind.MOVE, MOVE, place, options, creates_file=is_new)


def parameter_refactorings(request: Request, files: Sequence[str], commands: Collection[str]) -> Iterator[Action]:
    """Yield refactorings of the parameter that is declared here: its removal if it is unused, and other places."""
    snapshot, path = request.snapshot, request.path
    found = declared_parameter_at(snapshot, path, request.span.start) if REFACTOR in commands else None
    if found is None:
        return
    using = [each for each in files if path in snapshot.dependencies(each)]
    shown = f"the {found.noun} '{found.name}'"
    if is_unused(snapshot, path, found) and _is_possible(request, REMOVE_PARAMETER, request.span, using):
        yield _action(f"remove {shown}", ActionKind.REWRITE, REMOVE_PARAMETER, request.span)
    for direction, other in ((LEFT, found.at - 1), (RIGHT, found.at + 1)):
        options = ((DIRECTION, direction),)
        if 0 <= other < len(found.names) and _is_possible(request, MOVE_PARAMETER, request.span, using, options):
            title = f"move {shown} {'before' if direction == LEFT else 'behind'} '{found.names[other]}'"
            yield _action(title, ActionKind.REWRITE, MOVE_PARAMETER, request.span, options)


def _action(
    title: str,
    kind: ActionKind,
    refactoring: str,
    place: Span,
    options: tuple[tuple[str, str], ...] = (),
    creates_file: bool = False,
) -> Action:
    command = Command(REFACTOR, (refactoring, place.start, place.end), options)
    return Action(title, kind, command=command, creates_file=creates_file)


def _is_possible(
    request: Request,
    refactoring: str,
    place: Span,
    files: Sequence[str] = (),
    options: tuple[tuple[str, str], ...] = (),
) -> bool:
    """Return whether a refactoring has an edit. Files that take long to check are not tried: the command will."""
    size = sum(len(request.snapshot.source(each).text) for each in (request.path, *files))
    return size > MOST_TRIED_CHARACTERS or _has_edit(request, refactoring, place, files, options)


def _has_edit(
    request: Request,
    refactoring: str,
    place: Span,
    files: Sequence[str],
    options: tuple[tuple[str, str], ...] = (),
) -> bool:
    try:
        return bool(REFACTORINGS[refactoring](request.snapshot, Asked(request.path, place, files, dict(options))))
    except RefactoringError:
        return False
