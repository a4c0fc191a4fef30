"""Statements or an expression in a selection, and the names in them."""

from __future__ import annotations

from msgspec import Struct

from snd_analysis.base import Span
from snd_analysis.ide.cursor import PlacedNode, definition_at, nodes_at
from snd_analysis.ide.knowledge import Knowledge
from snd_analysis.skriptnd.names import Resolution, Role, ShapeMember, Symbol, SymbolKind, Use
from snd_analysis.skriptnd.syntax import nodes
from snd_analysis.skriptnd.syntax.nodes import BlockKind
from snd_analysis.workspace import Snapshot

_OUTSIDE = frozenset({SymbolKind.INPUT, SymbolKind.OUTPUT, SymbolKind.CONSTANT, SymbolKind.VARIABLE, SymbolKind.TENSOR})
COMPILE_TIME = frozenset({SymbolKind.ATTRIBUTE, SymbolKind.EXTENT, SymbolKind.LENGTH, SymbolKind.USING})
"""Kinds of the symbols whose values are known at compile time."""
EXPRESSIONS = (
    nodes.Binary,
    nodes.Unary,
    nodes.Parenthesized,
    nodes.Literal,
    nodes.String,
    nodes.List,
    nodes.Select,
    nodes.Coalesce,
    nodes.Subscript,
    nodes.Call,
    nodes.Cast,
    nodes.Fold,
)


class Selected(Struct, frozen=True):
    """Adjacent statements of a ``@compose`` block; ``span`` is their place in the file."""

    start: int
    """The offset from which spans of the definition count."""
    definition: nodes.Definition
    span: Span
    entries: tuple[nodes.Entry, ...]


class SelectedSymbols(Struct, frozen=True):
    """The symbols that the statements name: each once, in order."""

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
    trimmed = _trimmed(snapshot.source(path).text, span)
    first, last = trimmed.start, trimmed.end
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


class SelectedExpression(Struct, frozen=True):
    """A whole expression that is selected, in an entry of a block of a definition."""

    start: int
    """The offset from which spans of the definition count."""
    definition: nodes.Definition
    block: nodes.Block
    entry: PlacedNode
    span: Span


def selected_expression(snapshot: Snapshot, path: str, span: Span) -> SelectedExpression | None:
    """Return the expression that a selection covers exactly, apart from blanks; None if there is none."""
    trimmed = _trimmed(snapshot.source(path).text, span)
    found = definition_at(snapshot.tree(path), trimmed.start)
    if found is None or trimmed.start >= trimmed.end:
        return None
    around = nodes_at(snapshot.tree(path), trimmed.start)
    block = next((each.node for each in around if isinstance(each.node, nodes.Block)), None)
    entry = next((each for each in around if isinstance(each.node, nodes.Entry)), None)
    here = next((each for each in around if each.span == trimmed and isinstance(each.node, EXPRESSIONS)), None)
    if block is None or entry is None or here is None:
        return None
    return SelectedExpression(*found, block, entry, here.span)


def _trimmed(source: str, span: Span) -> Span:
    """Return a selection without the blanks around it."""
    text = source[span.start : span.end]
    return Span(span.start + len(text) - len(text.lstrip()), span.start + len(text.rstrip()))


def is_compile_time(snapshot: Snapshot, path: str, selected: SelectedExpression) -> bool:
    """Return whether the value of an expression is known at compile time."""
    return kinds_of(Knowledge(snapshot, path, selected.start, selected.definition), selected.span) <= COMPILE_TIME


def kinds_of(knowledge: Knowledge, span: Span) -> set[SymbolKind]:
    """Return the kinds of the symbols that a part of a definition names; ``span`` is its place in the file."""
    inside = uses_inside(knowledge.resolution, span.shifted(-knowledge.start))
    return {use.target.kind for use in inside if isinstance(use.target, Symbol)}


def uses_inside(resolution: Resolution, span: Span) -> list[Use]:
    """Return the names that stand wholly in a part of a definition, in order."""
    uses = sorted(resolution.uses_in(span), key=lambda each: each.span.start)
    return [each for each in uses if span.start <= each.span.start and each.span.end <= span.end]


def symbols_of(knowledge: Knowledge, selected: Selected) -> SelectedSymbols:
    """Return the symbols that selected statements name, without their labels."""
    resolution = knowledge.resolution
    span = selected.span.shifted(-selected.start)
    read: dict[Symbol, None] = {}
    written: dict[Symbol, None] = {}
    scalars: dict[Symbol, None] = {}
    dtypes: set[str] = set()
    for use in uses_inside(resolution, span):
        symbol = use.target.tensor if isinstance(use.target, ShapeMember) else use.target
        if not isinstance(symbol, Symbol):
            continue
        if symbol.kind is SymbolKind.DTYPE:
            dtypes.add(symbol.name)
        elif symbol.kind in COMPILE_TIME:
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
