"""The result of resolving the names of one definition."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence, Set
from functools import cached_property
from itertools import chain

from msgspec import Struct, field

from snd_analysis.base import OperatorName, Problem, Span
from snd_analysis.skriptnd.names.part import GroupRow, Notable, StatementPart, notable, read_symbols
from snd_analysis.skriptnd.names.symbols import AttributeName, ModuleName, Role, Symbol, SymbolKind, Target, Use
from snd_analysis.skriptnd.syntax import nodes

__all__ = ["AttributeName", "ModuleName", "Resolution", "Role", "Use"]


class Resolution(Struct, frozen=True, eq=False, dict=True, weakref=True):
    """The meaning of every name of a definition. Spans count from the start of the chunk.

    ``targets`` is by node: a ``Qualified`` in an expression or an invocation, the ``TypeName`` of a generic type, the
    ``Name`` of a declaration or a result. An undefined name is in no table, and reported once.
    """

    definition: nodes.Definition
    symbols: tuple[Symbol, ...]
    targets: Mapping[nodes.Node, Target]
    use_groups: tuple[tuple[tuple[nodes.Node, Use], ...], ...]
    """Every use of a name, its span counted from the start of the statement before it. Uses of a part are a group."""
    problems: tuple[Problem, ...]
    ambiguous: frozenset[Symbol] = frozenset()
    """Symbols whose name another declaration of the same definition bears as well, which is reported."""
    outside: Set[tuple[str, Symbol]] = frozenset()
    """The names that are declared elsewhere than in parts, with their symbols."""
    unclear: tuple[Span, ...] = ()
    """Statements whose meaning is unknown, which is reported. They get no other messages."""
    starts: Mapping[nodes.Node, int] = field(default_factory=dict)
    """Offset of the start of each statement; its spans count from there."""
    parts: Mapping[nodes.Node, StatementPart] = field(default_factory=dict)
    """Additions of single statements, by statement; some blocks have none."""
    rows: Mapping[str, tuple[StatementPart, ...]] = field(default_factory=dict)
    """Additions in order, in rows for long blocks: by block, for constants and variables in two steps."""

    @property
    def local_uses(self) -> Iterator[tuple[nodes.Node, Use]]:
        """Every use of a name, its span counted from the start of the statement before it."""
        return chain.from_iterable(self.use_groups)

    @cached_property
    def unassigned_outputs(self) -> tuple[Symbol, ...]:
        """The outputs that ``@compose`` does not assign; none where a broken statement may do so."""
        blocks = (each for each in self.definition.blocks if isinstance(each, nodes.Block))
        compose = next((each for each in blocks if each.kind is nodes.BlockKind.COMPOSE), None)
        parts = self.rows.get(nodes.BlockKind.COMPOSE, ())
        if compose is None or any(part.lacks_result for part in parts):
            return ()
        assigned = self.ambiguous.union(*(part.outputs for part in parts))
        outputs = (symbol for symbol in self.symbols if symbol.kind is SymbolKind.OUTPUT and symbol not in assigned)
        missing = tuple(outputs)
        broken = missing and not all(group.is_read for _, group in compose.entries.groups)
        return () if broken else missing

    @cached_property
    def symbols_outside(self) -> tuple[Symbol, ...]:
        """The symbols that are declared elsewhere than in the rows of long blocks."""
        return (
            *(symbol for _, symbol in self.outside),
            *chain.from_iterable(row.symbols for row in self.all_rows if row.single == (row,)),
        )

    @property
    def symbols_in_damage(self) -> Iterator[Symbol]:
        """Yield the symbols that ``unclear`` statements may declare."""
        if self.unclear:
            damaged = (row for row in self.all_rows if isinstance(row, GroupRow) and row.group.damaged)
            yield from chain(self.symbols_outside, chain.from_iterable(row.symbols for row in damaged))

    @cached_property
    def symbols_read(self) -> set[Symbol]:
        """The symbols that are named anywhere else than where they are declared."""
        return set(chain(chain.from_iterable(part.read for part in self.all_rows), read_symbols(self._loose)))

    @cached_property
    def names_read(self) -> set[str]:
        """The names of these symbols."""
        return {symbol.name for symbol in self.symbols_read}

    @cached_property
    def invoked(self) -> tuple[OperatorName, ...]:
        """The operators and graphs that are named, each once."""
        loose = (use.target for _, use in self._loose if isinstance(use.target, OperatorName))
        return tuple(dict.fromkeys(chain(chain.from_iterable(part.operators for part in self.all_rows), loose)))

    @cached_property
    def modules(self) -> set[ModuleName]:
        """The modules that are named."""
        loose = (use.target for _, use in self._loose if isinstance(use.target, ModuleName))
        return set(chain(chain.from_iterable(part.modules for part in self.all_rows), loose))

    def nodes_of(self, kind: type[Notable], *blocks: nodes.BlockKind) -> Iterator[tuple[int, Notable]]:
        """Yield the nodes of a type in ``_NOTABLE``, each with the offset that its spans count from.

        Searches these blocks, or all. Statements that an edit leaves as they are have been searched before.
        """
        for row in self._rows_in(blocks):
            for part in row.single if row.nodes_of(kind) else ():
                for node in part.nodes_of(kind):
                    yield self.starts[part.node], node
        for block in self.definition.blocks if not blocks else ():
            if isinstance(block, nodes.Block) and block.kind not in self.rows:
                for entry in block.entries:
                    for node in notable(entry.statement).get(kind, ()):
                        yield entry.start, node

    def results(self, *blocks: nodes.BlockKind) -> Set[str]:
        """Return the names of results in these blocks, or in all."""
        return frozenset[str]().union(*(row.results for row in self._rows_in(blocks)))

    @property
    def labels(self) -> Set[str]:
        """Return the labels that are written."""
        return frozenset[str]().union(*(row.labels for row in self.all_rows))

    def _rows_in(self, blocks: Sequence[nodes.BlockKind]) -> Iterable[StatementPart]:
        return chain.from_iterable(self.rows.get(block, ()) for block in blocks) if blocks else self.all_rows

    @property
    def _loose(self) -> Iterator[tuple[nodes.Node, Use]]:
        """The uses that belong to no part."""
        groups = {id(part.uses) for part in self.all_rows}
        return chain.from_iterable(group for group in self.use_groups if id(group) not in groups)

    @cached_property
    def all_rows(self) -> tuple[StatementPart, ...]:
        """The rows of all blocks."""
        return (*chain.from_iterable(self.rows.values()),)

    @cached_property
    def uses(self) -> tuple[Use, ...]:
        """Every use of a name."""
        starts = self.starts
        return tuple(
            Use(use.span.shifted(starts[statement]), use.target, use.role) for statement, use in self.local_uses
        )

    def uses_at(self, place: int) -> list[Use]:
        """Return the uses of names that touch the offset ``place``."""
        return [use for use in self.uses_in(Span(place, place)) if use.span.start <= place <= use.span.end]

    def uses_in(self, part: Span) -> Iterator[Use]:
        """Yield the uses of names in the statements that ``part`` of the text touches."""
        for block in self.definition.blocks:
            if not isinstance(block, nodes.Block) or block.start > part.end or block.end < part.start:
                continue
            first = bisect_left(block.entries, part.start, key=lambda entry: entry.end)
            after = bisect_right(block.entries, part.end, key=lambda entry: entry.start)
            for entry in block.entries[first:after]:
                for use in self._uses_of(entry.statement):
                    yield Use(use.span.shifted(entry.start), use.target, use.role)

    def uses_named(self, name: str) -> Iterator[Use]:
        """Yield the uses of all symbols called ``name``."""
        naming = (part for row in self.all_rows if name in row.names_used for part in row.single)
        uses = chain.from_iterable(part.uses for part in naming if name in part.names_used)
        for statement, use in chain(uses, self._loose):
            if use.name == name:
                yield Use(use.span.shifted(self.starts[statement]), use.target, use.role)

    def uses_but(self, known: Container[StatementPart]) -> Iterator[Use]:
        """Every use of a name, but in the rows that are ``known`` one of each definition, module and so on alone."""
        for row in self.all_rows:
            for statement, use in row.uses_of_others if row in known else row.uses:
                yield Use(use.span.shifted(self.starts[statement]), use.target, use.role)
        for statement, use in self._loose:
            yield Use(use.span.shifted(self.starts[statement]), use.target, use.role)

    def _uses_of(self, statement: nodes.Node) -> Iterator[Use]:
        names = (statement, statement.name) if isinstance(statement, nodes.Parameter) else (statement,)
        for part in (self.parts[each] for each in names if each in self.parts):
            yield from (use for _, use in part.uses)
        yield from self._loose_by_statement.get(statement, ())

    @cached_property
    def _loose_by_statement(self) -> Mapping[nodes.Node, list[Use]]:
        found: dict[nodes.Node, list[Use]] = {}
        for statement, use in self._loose:
            found.setdefault(statement, []).append(use)
        return found

    def span(self, symbol: Symbol) -> Span:
        """Return the span of the declaration of a symbol of this definition."""
        return symbol.local_span.shifted(self.starts[symbol.statement])

    def symbol(self, name: str) -> Symbol | None:
        """Return the first symbol of that name: an attribute, input, extent or the like, not one local to a formula."""
        declaring = (row.symbols for row in self.all_rows if name in row.names_declared)
        symbols = chain(self._outside_by_name.get(name, ()), chain.from_iterable(declaring))
        return min((each for each in symbols if each.name == name), key=self.symbols.index, default=None)

    @cached_property
    def _outside_by_name(self) -> Mapping[str, list[Symbol]]:
        found: dict[str, list[Symbol]] = {}
        for _, symbol in self.outside:
            found.setdefault(symbol.name, []).append(symbol)
        return found

    def is_clear(self, place: Span) -> bool:
        """Return whether a place stands outside of the statements that are ``unclear``."""
        return not any(statement.start <= place.start < statement.end for statement in self.unclear)


# ---- start offsets of the statements of a definition -----------------------------------------------------------------
_PATIENCE = 256


class Starts(Mapping[nodes.Node, int]):
    """The offset that the spans of each statement count from.

    A lookup searches group by group. After as much work as a table of all statements takes, that table is built.
    """

    def __init__(self, definition: nodes.Definition) -> None:
        blocks = (block for block in definition.blocks if isinstance(block, nodes.Block))
        self._groups = [group for block in blocks for group in block.entries.groups]
        self._asked = 0
        self._near: tuple[int, nodes.Group] | None = None
        """Group of the last lookup, with its offset."""

    @cached_property
    def _all(self) -> Mapping[nodes.Node, int]:
        return {node: base + start for base, group in self._groups for node, start in group.starts.items()}

    def __getitem__(self, statement: nodes.Node) -> int:
        if self._asked > _PATIENCE:
            return self._all[statement]
        if self._near is None or statement not in self._near[1].starts:
            self._asked += 1
            near = next((each for each in self._groups if statement in each[1].starts), None)
            if near is None:
                raise KeyError(statement)
            self._near = near
        base, group = self._near
        return base + group.starts[statement]

    def __iter__(self) -> Iterator[nodes.Node]:
        return iter(self._all)

    def __len__(self) -> int:
        return len(self._all)
