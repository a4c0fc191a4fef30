"""Replaces the name of a helper symbol or a local value by its value."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from snd_analysis.base import Location, Span, TextEdit
from snd_analysis.ide.cursor import definition_at, use_at
from snd_analysis.ide.knowledge import Knowledge
from snd_analysis.ide.refactoring.change import Asked, Refactored, RefactoringError, checked, operand, whole_line
from snd_analysis.skriptnd.names import OperatorName, ShapeMember, Symbol
from snd_analysis.skriptnd.syntax import nodes
from snd_analysis.skriptnd.syntax.nodes import BlockKind
from snd_analysis.workspace import Snapshot


class InlinedName(Struct, frozen=True):
    """A name of an expression, with its declaration in the text of the definition."""

    start: int
    """The offset from which spans of the definition count."""
    definition: nodes.Definition
    symbol: Symbol
    value: Span
    removed: Span
    """The declaration, with the punctuation that would be left over."""


def inlined_name_at(snapshot: Snapshot, path: str, offset: int) -> InlinedName | None:
    """Return the helper symbol or local value that is named at an offset; None for any other name."""
    placed, around = use_at(snapshot, path, offset), definition_at(snapshot.tree(path), offset)
    if placed is None or around is None:
        return None
    target = placed.use.target
    if not isinstance(target, Symbol):
        return None
    start, definition = around
    declaration = _declaration(definition, target)
    if declaration is None:
        return None
    value, removed = declaration
    return InlinedName(start, definition, target, value, removed)


def inline_name(snapshot: Snapshot, asked: Asked) -> Sequence[Refactored]:
    """Return the edits that write an expression in place of its name, everywhere. Raise RefactoringError."""
    found = inlined_name_at(snapshot, asked.path, asked.span.start)
    if found is None:
        raise RefactoringError("choose a helper symbol of '@using', or a local value of a formula")
    knowledge = Knowledge(snapshot, asked.path, found.start, found.definition)
    source, name = snapshot.source(asked.path).text, found.symbol.name
    value = source[found.value.start + found.start : found.value.end + found.start]
    if "#" in source[found.removed.start + found.start : found.removed.end + found.start]:
        raise RefactoringError(f"a comment in the declaration of '{name}' would be lost")
    text = operand(value)
    edits = [TextEdit(Location(asked.path, whole_line(source, found.removed.shifted(found.start))), "")]
    for use in knowledge.resolution.uses:
        target = use.target.tensor if isinstance(use.target, ShapeMember) else use.target
        if target is found.symbol and not found.removed.start <= use.span.start < found.removed.end:
            place = use.span.shifted(found.start)
            if source[place.start : place.end] != name:
                raise RefactoringError(f"'{name}' is named in a way that an expression can't replace")
            edits.append(TextEdit(Location(asked.path, place), text))
    if len(edits) == 1:
        raise RefactoringError(f"nothing names '{name}'")
    what = f"inlined '{name}' in {len(edits) - 1} places" if len(edits) > 2 else f"inlined '{name}'"
    definition = OperatorName(asked.path, found.definition.name.text)
    return (checked(snapshot, Refactored(definition, tuple(edits), what)),)


def _declaration(definition: nodes.Definition, symbol: Symbol) -> tuple[Span, Span] | None:
    """Return the value of a symbol, and the part of the text that goes with its declaration; None for others."""
    for block in definition.blocks:
        if not isinstance(block, nodes.Block) or block.kind not in (BlockKind.USING, BlockKind.LOWER):
            continue
        for entry in block.entries:
            match entry.statement:
                case nodes.Using(target=nodes.NameTarget(expansion=None) as target) if target is symbol.node:
                    value = entry.statement.value.span.shifted(entry.start)
                    return value, block.span if len(block.entries) == 1 else entry.span
                case nodes.Lowering(locals=locals_) if any(each is symbol.node for each in locals_):
                    at = next(number for number, each in enumerate(locals_) if each is symbol.node)
                    span = locals_[at].span
                    if len(locals_) == 1:  # with `with` and the colon
                        unroll = entry.statement.unroll
                        span = Span(0 if unroll is None else unroll.end + 1, entry.statement.target.start)
                    elif at + 1 < len(locals_):
                        span = Span(span.start, locals_[at + 1].start)
                    else:
                        span = Span(locals_[at - 1].end, span.end)
                    return locals_[at].value.span.shifted(entry.start), span.shifted(entry.start)
    return None
