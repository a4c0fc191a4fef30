"""The names that are visible at a cursor, and their types.

They are found by resolving the definition with an undefined name at the cursor: the names that the resolver sees at the
lookup of that name could be written there.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property

from msgspec import Struct
from msgspec.structs import replace

from snd_analysis.ide.completion.place import CompletionPlace, beginning
from snd_analysis.skriptnd.names import Resolution, Scope, Symbol, SymbolKind
from snd_analysis.skriptnd.names.resolving import resolve
from snd_analysis.skriptnd.syntax import Chunk, nodes, table
from snd_analysis.skriptnd.syntax.nodes import BlockKind
from snd_analysis.skriptnd.types import UNTYPED, Context, Typed
from snd_analysis.workspace import Snapshot

_STAND_IN = "name__at__cursor"
_LINE = re.compile(r"[^\r\n]*")
_SPELLINGS = {"ID": _STAND_IN + "_", "INT": "1", "TYPE": "real"}
# Symbols that can be named in the blocks whose shapes and lengths bind names.
_BOUND = frozenset({SymbolKind.DTYPE, SymbolKind.ATTRIBUTE, SymbolKind.EXTENT, SymbolKind.LENGTH})
_LOCAL = frozenset(
    {SymbolKind.INDEX, SymbolKind.LOCAL, SymbolKind.CARRY, SymbolKind.SCAN, SymbolKind.ITERATION, SymbolKind.LABEL}
)


class Visible(Struct, frozen=True, dict=True):
    """The symbols that can be named at a place, by name, with their types."""

    symbols: Mapping[str, Symbol]
    _symbols: tuple[Symbol, ...]
    types: Mapping[Symbol, Typed]

    @cached_property
    def all(self) -> tuple[Symbol, ...]:
        """Every symbol of the definition with a name at the cursor."""
        return _without_stand_in(self._symbols)

    @cached_property
    def _by_name(self) -> Mapping[tuple[str, SymbolKind], Typed]:
        return {(symbol.name, symbol.kind): typed for symbol, typed in self.types.items()}

    def typed(self, symbol: Symbol) -> Typed:
        """Return the inferred type of a symbol."""
        known = self.types.get(symbol)
        return known or self._by_name.get((symbol.name, symbol.kind), UNTYPED)


def visible_at(snapshot: Snapshot, place: CompletionPlace) -> Visible:
    """Return the symbols visible at a place in code."""
    definition = place.definition
    if definition is None or place.in_sample:
        return Visible({}, (), {})
    original = snapshot.resolution(place.path, definition)
    symbols, every = _symbols(snapshot, place, original)
    context: Context = snapshot.typing(place.path, definition)
    return Visible(symbols, every, context.symbols)


def _without_stand_in(symbols: Iterable[Symbol]) -> tuple[Symbol, ...]:
    return tuple(each for each in symbols if not each.name.startswith(_STAND_IN))


def _symbols(
    snapshot: Snapshot, place: CompletionPlace, original: Resolution
) -> tuple[dict[str, Symbol], tuple[Symbol, ...]]:
    module_scope = snapshot.module_scope(place.path)
    for definition in _with_name(place):
        found: list[dict[str, Symbol]] = []

        def missed(name: str, scope: Scope, found: list[dict[str, Symbol]] = found) -> None:
            if name == _STAND_IN:
                found.append(scope.symbols())

        resolution = resolve(definition, module_scope, original, True, missed)
        symbols = resolution.symbols
        if found:
            return found[0], symbols
        if resolution.symbol(_STAND_IN) is not None:
            bound = {each.name: each for each in _without_stand_in(symbols) if each.kind in _BOUND}
            return bound if place.block in (BlockKind.ATTRIB, BlockKind.INPUT) else {}, symbols
    names = {each.name: each for each in original.symbols if each.kind not in _LOCAL}
    return names, original.symbols


def _with_name(place: CompletionPlace) -> Iterator[nodes.Definition]:
    """Yield the definition with a name at the cursor: as the text goes on, or with the statement finished at once."""
    assert place.definition is not None
    text, start = place.chunk.chunk.text, place.chunk.start
    head, behind = place.head - start, place.end - start
    literals = table().literals
    closing = " ".join(_SPELLINGS.get(kind) or literals[kind] for kind in place.stack.closing())
    line = _LINE.match(text, behind)
    line_end = line.end() if line else behind
    for block in place.definition.blocks:
        if isinstance(block, nodes.Block) and block.keyword.end < head < block.end:
            here = next((entry.end for entry in block.entries if entry.start <= head <= entry.end), line_end)
            yield from _spliced(place, block, text[behind:here], here)
            yield from _spliced(place, block, f" {closing}", line_end)
    for rest in (text[behind:], f" {closing}{text[line_end:]}"):
        for definition in Chunk(f"{text[:head]}{_STAND_IN}{rest}", place.chunk.chunk).definitions:
            if definition.start <= head <= definition.end:
                yield definition


def _spliced(place: CompletionPlace, block: nodes.Block, rest: str, end: int) -> Iterator[nodes.Definition]:
    """Yield the definition with the statements around the cursor, up to ``end``, parsed again."""
    assert place.definition is not None
    begin, before = beginning(place.chunk, place.definition, place.head)
    begin -= place.chunk.start
    text = place.chunk.chunk.text[begin : place.head - place.chunk.start]
    read = next(Chunk(f"{before}{text}{_STAND_IN}{rest}").definitions, None)
    found = read.blocks[-1] if read is not None and read.blocks else None
    if not isinstance(found, nodes.Block):
        return
    shift = begin - len(before)
    first = bisect_right(block.entries, begin, key=lambda entry: entry.end)
    behind = bisect_left(block.entries, end, key=lambda entry: entry.start)
    moved = [entry.moved(shift) for entry in found.entries]
    changed = replace(block, entries=block.entries.spliced(first, max(first, behind), moved, 0))
    yield replace(
        place.definition, blocks=tuple(changed if each is block else each for each in place.definition.blocks)
    )
