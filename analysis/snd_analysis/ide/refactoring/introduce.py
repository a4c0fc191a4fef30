"""Names a selected expression by a helper symbol of `@using`, or by a local value of a formula."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from snd_analysis.base import Location, Span, TextEdit
from snd_analysis.ide.knowledge import Knowledge
from snd_analysis.ide.refactoring.change import Asked, Refactored, RefactoringError, checked, fresh, words
from snd_analysis.ide.refactoring.selection import (
    COMPILE_TIME,
    EXPRESSIONS,
    SelectedExpression,
    is_compile_time,
    kinds_of,
    selected_expression,
    uses_inside,
)
from snd_analysis.skriptnd.syntax import is_identifier, keywords, nodes
from snd_analysis.skriptnd.syntax.nodes import BlockKind
from snd_analysis.workspace import Snapshot

_INDENT = "    "
PLACES, ALL = "places", "all"
"""The option that names all equal expressions, too."""
_NAME = "value"
_DECLARING = (BlockKind.DTYPE, BlockKind.ATTRIB, BlockKind.INPUT)


def introduce_name(snapshot: Snapshot, asked: Asked) -> Sequence[Refactored]:
    """Return the edits that name a selected expression. Raise RefactoringError."""
    selected = selected_expression(snapshot, asked.path, asked.span)
    if selected is None:
        raise RefactoringError("select a whole expression")
    knowledge = Knowledge(snapshot, asked.path, selected.start, selected.definition)
    source, name = snapshot.source(asked.path).text, free_name(snapshot, asked, selected)
    text = source[selected.span.start : selected.span.end]
    if kinds_of(knowledge, selected.span) <= COMPILE_TIME:
        declared, what = _helper_edit(source, asked.path, selected, f"{name} = {text};"), "helper symbol"
    elif selected.block.kind is BlockKind.LOWER:
        declared, what = _local_edit(asked.path, selected, f"{name} = {text}"), "local value"
    else:
        raise RefactoringError("only an expression that is known at compile time, or one of a formula, can have a name")
    places = equal_expressions(snapshot, asked.path, selected) if asked.text(PLACES) == ALL else [selected.span]
    edits = (declared, *(TextEdit(Location(asked.path, each), name) for each in places))
    told = f"introduced the {what} '{name}'{f' in {len(places)} places' if len(places) > 1 else ''}"
    return (checked(snapshot, Refactored(knowledge.name, edits, told)),)


def equal_expressions(snapshot: Snapshot, path: str, selected: SelectedExpression) -> list[Span]:
    """Return the places of all expressions equal to the selected one that can see a name for it."""
    knowledge, source = Knowledge(snapshot, path, selected.start, selected.definition), snapshot.source(path).text
    wanted = _spelled(knowledge, source, selected.span)
    found = [
        place
        for entry in _seeing(snapshot, path, selected)
        for node in nodes.descendants(entry.statement)
        if isinstance(node, EXPRESSIONS)
        and _spelled(knowledge, source, place := node.span.shifted(entry.start + selected.start)) == wanted
    ]
    return [each for each in dict.fromkeys(found) if not _is_before(each, selected)] or [selected.span]


def _seeing(snapshot: Snapshot, path: str, selected: SelectedExpression) -> Iterator[nodes.Entry]:
    """Yield the entries that see a name for the selected expression: one formula, or all below a helper symbol."""
    is_local = not is_compile_time(snapshot, path, selected)
    is_helper = selected.block.kind is BlockKind.USING
    for block in selected.definition.blocks:
        if not isinstance(block, nodes.Block) or block.kind in _DECLARING:
            continue
        for entry in block.entries:
            span = entry.span.shifted(selected.start)
            if is_local:
                is_seeing = span == selected.entry.span
            else:
                is_seeing = block.kind is not BlockKind.USING or (is_helper and span.end > selected.span.start)
            if is_seeing:
                yield entry


def _is_before(place: Span, selected: SelectedExpression) -> bool:
    """Return whether a place stands in a local value of the formula before the one that declares the new name."""
    entry, base = selected.entry, selected.entry.base
    statement = entry.node.statement if isinstance(entry.node, nodes.Entry) else None
    spans = [each.span.shifted(base) for each in statement.locals] if isinstance(statement, nodes.Lowering) else []
    return any(each.end <= selected.span.start and each.start <= place.start < each.end for each in spans)


def _spelled(knowledge: Knowledge, source: str, span: Span) -> tuple[str, tuple[object, ...]]:
    """Return the text of an expression without blanks, with the symbols that it names."""
    inside = uses_inside(knowledge.resolution, span.shifted(-knowledge.start))
    return "".join(source[span.start : span.end].split()), tuple(each.target for each in inside)


def free_name(snapshot: Snapshot, asked: Asked, selected: SelectedExpression) -> str:
    """Return the name in the options, or one that is free in the definition. Raise RefactoringError."""
    around = selected.definition.span.shifted(selected.start)
    taken = {*words(snapshot.source(asked.path).text[around.start : around.end]), *keywords()}
    given = asked.text("name")
    if given is not None and (not is_identifier(given) or given in taken):
        raise RefactoringError(f"'{given}' is no name that is free here")
    return given or fresh(_NAME, taken)


def _helper_edit(source: str, path: str, selected: SelectedExpression, text: str) -> TextEdit:
    """Return the edit that declares a helper symbol: before the one that needs it, or after all others."""
    line_break = "\r\n" if "\r\n" in source else "\n"
    if selected.block.kind is BlockKind.USING:
        return _inserted(path, selected.entry.span.start, f"{text}{_gap(source, selected.entry.span.start)}")
    blocks = [each for each in selected.definition.blocks if isinstance(each, nodes.Block)]
    using = [each for each in blocks if each.kind is BlockKind.USING and each.entries]
    if using:
        last = list(using[-1].entries)[-1]
        at = selected.start + last.end
        return _inserted(path, at, f"{_gap(source, selected.start + last.start)}{text}")
    before = [each for each in blocks if each.kind in _DECLARING]
    if not before:
        raise RefactoringError("there is no block after which '@using' could stand")
    at = selected.start + max(each.end for each in before)
    indent = f"{line_break}{_INDENT}"
    return _inserted(path, at, f"{indent}@{BlockKind.USING} {{{indent}{_INDENT}{text}{indent}}}")


def _local_edit(path: str, selected: SelectedExpression, text: str) -> TextEdit:
    """Return the edit that declares a local value: before the one that needs it, or after all others."""
    formula, base = selected.entry.node, selected.entry.base
    lowering = formula.statement if isinstance(formula, nodes.Entry) else formula
    if not isinstance(lowering, nodes.Lowering):
        raise RefactoringError("select an expression of a formula")
    for each in lowering.locals:
        span = each.span.shifted(base)
        if span.start <= selected.span.start and selected.span.end <= span.end:
            return _inserted(path, span.start, f"{text}, ")
    if lowering.locals:
        return _inserted(path, lowering.locals[-1].span.shifted(base).end, f", {text}")
    return _inserted(path, lowering.target.span.shifted(base).start, f"with {text}: ")


def _gap(source: str, at: int) -> str:
    """Return the text between entries: a line break with the indentation of the entry at an offset, or a blank."""
    line = source[source.rfind("\n", 0, at) + 1 : at]
    return ("\r\n" if "\r\n" in source else "\n") + line if not line.strip() else " "


def _inserted(path: str, at: int, text: str) -> TextEdit:
    return TextEdit(Location(path, Span(at, at)), text)
