"""The graphs of a file for an editor that runs them: their places, samples and dependencies."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from itertools import chain
from operator import attrgetter

from msgspec import Struct
from msgspec.structs import replace

from snd_analysis.base import Span
from snd_analysis.ide.evaluation.samples import Digests, KnownSample, is_small_graph, samples_in
from snd_analysis.skriptnd.names import OperatorName, Resolution, Symbol, SymbolKind
from snd_analysis.skriptnd.syntax import nodes
from snd_analysis.skriptnd.syntax.nodes import BlockKind
from snd_analysis.workspace import Snapshot

# ---- the tensors that the text of a graph names: by names that last through edits, with their statements -------------
# The cost of a query about a part of a long graph depends on that part: queries follow every edit.

# ---- the tensors that the text of a graph names ----------------------------------------------------------------------
# Number of resolutions whose tensors are cached: several queries use each.
_REMEMBERED = 16
_COMPOSED = frozenset({BlockKind.COMPOSE, BlockKind.UPDATE})


class TensorName(Struct, frozen=True):
    """Identity of a tensor in its graph, independent of its position: its name, and its number among equal names."""

    name: str
    occurrence: int = 0
    updated: bool = False
    """True for the value of a variable in the next run, by ``@update``; False for the value in this run."""


class TensorStatement(Struct, frozen=True):
    """A statement with the tensors on its left side; ``base`` is the offset in the chunk that its spans count from."""

    component: nodes.Component
    base: int
    tensors: tuple[TensorName, ...]

    @property
    def span(self) -> Span:
        """The place in the chunk."""
        return self.component.span.shifted(self.base)


class GraphTensors:
    """The tensors of one definition. Spans count from the start of its chunk."""

    def __init__(self, resolution: Resolution) -> None:
        self._resolution = resolution

    # ---- names -------------------------------------------------------------------------------------------------------
    @property
    def of_symbols(self) -> Iterator[tuple[Symbol, TensorName]]:
        """Every tensor by its symbol."""
        numbers = self._numbers
        for symbol in self._resolution.symbols:
            if symbol.is_tensor:
                yield symbol, TensorName(symbol.name, numbers.get(symbol, 0))

    def name(self, symbol: Symbol) -> TensorName | None:
        """Return the name of the tensor of a symbol; None if the symbol has no tensor of this definition."""
        if not symbol.is_tensor or symbol.statement not in self._resolution.starts:
            return None
        return TensorName(symbol.name, self._numbers.get(symbol, 0))

    def named_at(self, symbol: Symbol, place: Span) -> TensorName | None:
        """Return the tensor of a symbol at a use: on the left side of an update, a variable is the next one."""
        name = self.name(symbol)
        if name is None or symbol.kind is not SymbolKind.VARIABLE:
            return name
        around = self.statement_around(place)
        if around is None or all(each.span.shifted(around.base) != place for each in around.component.names):
            return name
        return self._assigned(symbol)

    @cached_property
    def by_place(self) -> Mapping[Span, TensorName]:
        """Every tensor by where its name is declared, in the chunk."""
        return {self._resolution.span(symbol): name for symbol, name in self.of_symbols}

    @cached_property
    def _numbers(self) -> Mapping[Symbol, int]:
        """Return the number of each symbol among those with the same name, for names used more than once."""
        symbols = self._resolution.symbols
        several = {name for name, times in Counter(map(attrgetter("name"), symbols)).items() if times > 1}
        if not several:
            return {}
        counts, found = Counter[str](), dict[Symbol, int]()
        for symbol in symbols:
            if symbol.name in several and symbol.is_tensor:
                found[symbol] = counts[symbol.name]
                counts[symbol.name] += 1
        return found

    # ---- statements --------------------------------------------------------------------------------------------------
    @cached_property
    def statements(self) -> tuple[TensorStatement, ...]:
        """All statements in order; outer ones before inner ones."""
        return tuple(chain.from_iterable(self._of_entries(block.entries) for block in self._blocks))

    def statements_in(self, part: Span) -> Iterator[TensorStatement]:
        """Yield the statements that touch a part of the chunk."""
        for block in self._blocks:
            if block.start <= part.end and part.start <= block.end:
                for statement in self._of_entries(entries_in(block, part)):
                    if statement.span.start <= part.end and part.start <= statement.span.end:
                        yield statement

    def statement_around(self, place: Span) -> TensorStatement | None:
        """Return the innermost statement around a place."""
        around = [each for each in self.statements_in(place) if _is_around(each, place)]
        return min(around, key=_length) if around else None

    def computed(self, name: str, place: Span) -> TensorName | None:
        """Return the tensor of that name computed at a place: a result of the innermost statement around it."""
        around = [each for each in self._by_result.get(name, ()) if _is_around(each, place)]
        if not around:
            return None
        return next(tensor for tensor in min(around, key=_length).tensors if tensor.name == name)

    def origin(self, tensor: TensorName) -> TensorName:
        """Return the tensor that a tensor renames by statements ``y = x``; itself, if it is computed."""
        seen = {tensor}
        while (copied := self._copied(tensor)) is not None and copied not in seen:
            seen.add(copied)
            tensor = copied
        return tensor

    @property
    def _blocks(self) -> Iterator[nodes.Block]:
        for block in self._resolution.definition.blocks:
            if isinstance(block, nodes.Block) and block.kind in _COMPOSED:
                yield block

    @cached_property
    def _by_result(self) -> Mapping[str, list[TensorStatement]]:
        found: dict[str, list[TensorStatement]] = {}
        for statement in self.statements:
            for tensor in dict.fromkeys(statement.tensors):
                found.setdefault(tensor.name, []).append(statement)
        return found

    def _of_entries(self, entries: Iterable[nodes.Entry]) -> Iterator[TensorStatement]:
        for entry in entries:
            if isinstance(entry.statement, nodes.Component):
                for node in nodes.descendants(entry.statement):
                    if isinstance(node, nodes.Component):
                        yield TensorStatement(node, entry.start, tuple(self._tensors(node)))

    def _tensors(self, component: nodes.Component) -> Iterator[TensorName]:
        for result in component.names:
            target = self._resolution.targets.get(result)
            name = self._assigned(target) if isinstance(target, Symbol) else None
            if name is not None:
                yield name

    def _assigned(self, symbol: Symbol) -> TensorName | None:
        """Return the tensor assigned to a symbol on the left side: for a variable the next one (2.11)."""
        name = self.name(symbol)
        return replace(name, updated=True) if name is not None and symbol.kind is SymbolKind.VARIABLE else name

    def _copied(self, tensor: TensorName) -> TensorName | None:
        """Return the tensor that the last assignment of a tensor copies; None if it computes something."""
        found = None
        rows = chain.from_iterable(self._resolution.rows.get(kind, ()) for kind in sorted(_COMPOSED))
        for part in chain.from_iterable(row.single for row in rows if tensor.name in row.results):
            if tensor.name not in part.results:
                continue
            for node in nodes.descendants(part.node):
                copy = self._copy(node) if isinstance(node, nodes.Component) else None
                if copy is not None and copy[0] == tensor:
                    found = copy[1]
        return found

    def _copy(self, component: nodes.Component) -> tuple[TensorName, TensorName] | None:
        """Return the two tensors of a statement ``y = x``."""
        value: nodes.Node = component.value
        result = component.results[0] if len(component.results) == 1 else None
        if not isinstance(value, nodes.Qualified) or not isinstance(result, nodes.Result):
            return None
        source, target = self._resolution.targets.get(value), self._resolution.targets.get(result.target)
        if not isinstance(source, Symbol) or not isinstance(target, Symbol):
            return None
        names = self._assigned(target), self.name(source)
        return None if names[0] is None or names[1] is None else (names[0], names[1])


@lru_cache(maxsize=_REMEMBERED)
def graph_tensors(resolution: Resolution) -> GraphTensors:
    """Return the tensors of a definition."""
    return GraphTensors(resolution)


def entries_in(block: nodes.Block, part: Span) -> Sequence[nodes.Entry]:
    """Return the entries of a block that touch a part of the chunk."""
    first = bisect_left(block.entries, part.start, key=attrgetter("end"))
    return block.entries[first : bisect_right(block.entries, part.end, key=attrgetter("start"))]


def _is_around(statement: TensorStatement, place: Span) -> bool:
    return statement.span.start <= place.start and place.end <= statement.span.end


def _length(statement: TensorStatement) -> int:
    return statement.span.end - statement.span.start


# ---- the graphs of a file for an editor that runs them ---------------------------------------------------------------
class GraphName(Struct, frozen=True):
    """The name of a graph within its file."""

    name: str


class KnownGraph(Struct, frozen=True, dict=True):
    """One graph of a state of the files.

    Properties that need composing are computed on demand, on the thread for queries of snapshots.
    """

    snapshot: Snapshot
    path: str
    name: GraphName
    start: int
    """Offset in the file that spans of its tensors count from."""
    span: Span
    """Range from the keyword to the closing brace, in the file."""
    head: Span
    """Span of its name in the file."""
    tensors: GraphTensors
    samples: tuple[KnownSample, ...]
    """Samples of the file that invoke it, in order."""

    @cached_property
    def digest(self) -> str:
        """The same as long as no definition has changed that it reaches."""
        return Digests(self.snapshot).of("", self._operator)

    @cached_property
    def can_run(self) -> bool:
        """Return whether it can be composed. Checking reports the problems otherwise."""
        specialization = self.snapshot.specialization(self._operator)
        return (
            specialization is not None
            and specialization.valid
            and not specialization.template.errors
            and not self.snapshot.failures(self._operator)
        )

    @cached_property
    def is_small(self) -> bool:
        """Return whether there is little to compute where all extents that are not known are small."""
        specialization = self.snapshot.specialization(self._operator)
        return self.can_run and specialization is not None and is_small_graph(specialization)

    @property
    def _operator(self) -> OperatorName:
        return OperatorName(self.path, self.name.name)


def graphs_in(snapshot: Snapshot, path: str, within: Span | None = None) -> Iterator[KnownGraph]:
    """Yield the graphs of a file, or those that touch ``within``, in order."""
    samples: list[KnownSample] | None = None
    for start, definition in snapshot.tree(path).definitions:
        span = definition.span.shifted(start)
        name = OperatorName(path, definition.name.text)
        if definition.kind != "graph" or snapshot.definition(name) is not definition:
            continue
        if within is not None and not (span.start <= within.end and within.start <= span.end):
            continue
        if samples is None:  # not needed where there are no graphs
            samples = [*samples_in(snapshot, path)]
        yield KnownGraph(
            snapshot,
            path,
            GraphName(name.name),
            start,
            span,
            definition.name.span.shifted(start),
            graph_tensors(snapshot.resolution(path, definition)),
            tuple(each for each in samples if each.target == name),
        )
