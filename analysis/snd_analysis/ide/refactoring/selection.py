"""Statements that are selected together, and what they name."""

from __future__ import annotations

from msgspec import Struct

from snd_analysis.base import Span
from snd_analysis.ide.cursor import definition_at
from snd_analysis.ide.knowledge import Knowledge
from snd_analysis.skriptnd.names import Role, ShapeMember, Symbol, SymbolKind
from snd_analysis.skriptnd.syntax import nodes
from snd_analysis.skriptnd.syntax.nodes import BlockKind
from snd_analysis.workspace import Snapshot

_OUTSIDE = frozenset({SymbolKind.INPUT, SymbolKind.OUTPUT, SymbolKind.CONSTANT, SymbolKind.VARIABLE, SymbolKind.TENSOR})
_SCALARS = frozenset({SymbolKind.ATTRIBUTE, SymbolKind.EXTENT, SymbolKind.LENGTH, SymbolKind.USING})


class Selected(Struct, frozen=True):
    """Statements that stand together in a ``@compose`` block; ``span`` is where, in the file."""

    start: int
    """What spans of the definition count from."""
    definition: nodes.Definition
    span: Span
    entries: tuple[nodes.Entry, ...]


class SelectedSymbols(Struct, frozen=True):
    """What the statements name: each symbol once, in order."""

    read: tuple[Symbol, ...]
    """Tensors from outside."""
    written: tuple[Symbol, ...]
    """Tensors that others use."""
    scalars: tuple[Symbol, ...]
    """Attributes and other ints, bools and strings from outside."""
    dtypes: frozenset[str]
    """Generic types."""


def selected_statements(snapshot: Snapshot, path: str, span: Span) -> Selected | None:
    """Return the whole statements of one ``@compose`` block that a selection touches; None if it is empty."""
    selected = snapshot.source(path).text[span.start : span.end]
    first, last = span.start + len(selected) - len(selected.lstrip()), span.start + len(selected.rstrip())
    found = definition_at(snapshot.tree(path), first)
    if found is None or first >= last:
        return None
    start, definition = found
    for block in definition.blocks:
        if not isinstance(block, nodes.Block) or block.kind is not BlockKind.COMPOSE:
            continue
        if not (block.start <= first - start and last - start <= block.end):
            continue
        entries = [each for each in block.entries if each.start < last - start and first - start < each.end]
        if entries and all(isinstance(each.statement, nodes.Component) for each in entries):
            return Selected(start, definition, Span(entries[0].start, entries[-1].end).shifted(start), tuple(entries))
    return None


def symbols_of(knowledge: Knowledge, selected: Selected) -> SelectedSymbols:
    """Return the symbols that selected statements name, without their labels."""
    resolution = knowledge.resolution
    span = selected.span.shifted(-selected.start)
    read: dict[Symbol, None] = {}
    written: dict[Symbol, None] = {}
    scalars: dict[Symbol, None] = {}
    dtypes: set[str] = set()
    uses = sorted(resolution.uses_in(span), key=lambda each: each.span.start)
    inside = [each for each in uses if span.start <= each.span.start and each.span.end <= span.end]
    for use in inside:
        symbol = use.target.tensor if isinstance(use.target, ShapeMember) else use.target
        if not isinstance(symbol, Symbol):
            continue
        if symbol.kind is SymbolKind.DTYPE:
            dtypes.add(symbol.name)
        elif symbol.kind in _SCALARS:
            scalars[symbol] = None
        elif symbol.kind in _OUTSIDE:
            (read if use.role is Role.READ else written)[symbol] = None
    outside = {
        each.target.tensor if isinstance(each.target, ShapeMember) else each.target
        for each in resolution.uses
        if not (span.start <= each.span.start and each.span.end <= span.end)
    }
    results = tuple(each for each in written if each.kind is SymbolKind.OUTPUT or each in outside)
    return SelectedSymbols(
        tuple(each for each in read if each not in written), results, tuple(scalars), frozenset(dtypes)
    )
