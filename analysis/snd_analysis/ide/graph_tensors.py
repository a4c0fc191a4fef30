"""The tensors that the text of a graph names: by names that last through edits, with the statements of their own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache

from snd_analysis.names.resolution import Resolution
from snd_analysis.names.symbols import Symbol
from snd_analysis.source import Span
from snd_analysis.syntax import nodes

# Resolutions of which the tensors are kept: several questions are asked of each.
_REMEMBERED = 16
_COMPOSED = frozenset({"compose", "update"})


@dataclass(frozen=True, slots=True)
class TensorName:
    """What tells a tensor from the others of its graph, wherever it stands: its name, and which one of that name."""

    name: str
    occurrence: int = 0


@dataclass(frozen=True, slots=True)
class TensorStatement:
    """A statement with the tensors on its left side; ``base`` is what its spans count from, in the chunk."""

    component: nodes.Component
    base: int
    tensors: tuple[TensorName, ...]

    @property
    def span(self) -> Span:
        """In the chunk."""
        return self.component.span.shifted(self.base)


class GraphTensors:
    """The tensors of one definition. Spans count from the start of its chunk."""

    def __init__(self, resolution: Resolution) -> None:
        self.of_symbols = _names(resolution)
        self.statements = tuple(_statements(resolution, self.of_symbols))
        """In order; those around others before them."""
        self._by_name: dict[str, list[tuple[TensorStatement, TensorName]]] = {}
        for statement in self.statements:
            for tensor in statement.tensors:
                self._by_name.setdefault(tensor.name, []).append((statement, tensor))
        self._copies = dict(_copies(resolution, self.of_symbols))

    def computed(self, name: str, place: Span) -> TensorName | None:
        """The tensor of that name which is computed at a place: a result of the innermost statement around it."""
        around = [
            (statement.span, tensor)
            for statement, tensor in self._by_name.get(name, ())
            if statement.span.start <= place.start and place.end <= statement.span.end
        ]
        return min(around, key=lambda each: each[0].end - each[0].start)[1] if around else None

    def statement_around(self, place: Span) -> TensorStatement | None:
        """The innermost statement around a place."""
        around = [each for each in self.statements if each.span.start <= place.start and place.end <= each.span.end]
        return min(around, key=lambda each: each.span.end - each.span.start) if around else None

    def origin(self, tensor: TensorName) -> TensorName:
        """What a tensor is another name of; itself, if it is computed."""
        seen = {tensor}
        while (copied := self._copies.get(tensor)) is not None and copied not in seen:
            seen.add(copied)
            tensor = copied
        return tensor


@lru_cache(maxsize=_REMEMBERED)
def graph_tensors(resolution: Resolution) -> GraphTensors:
    """The tensors of a definition."""
    return GraphTensors(resolution)


def _names(resolution: Resolution) -> Mapping[Symbol, TensorName]:
    found: dict[Symbol, TensorName] = {}
    counts: dict[str, int] = {}
    for symbol in resolution.symbols:
        if symbol.is_tensor:
            number = counts.get(symbol.name, 0)
            counts[symbol.name] = number + 1
            found[symbol] = TensorName(symbol.name, number)
    return found


def _components(resolution: Resolution) -> Iterator[tuple[int, nodes.Component]]:
    for block in resolution.definition.blocks:
        if isinstance(block, nodes.Block) and block.kind in _COMPOSED:
            for entry in block.entries:
                if isinstance(entry.statement, nodes.Component):
                    for node in nodes.descendants(entry.statement):
                        if isinstance(node, nodes.Component):
                            yield entry.start, node


def _statements(resolution: Resolution, names: Mapping[Symbol, TensorName]) -> Iterator[TensorStatement]:
    for base, component in _components(resolution):
        tensors = tuple(
            names[target]
            for result in _result_names(component)
            if isinstance(target := resolution.targets.get(result), Symbol) and target in names
        )
        yield TensorStatement(component, base, tensors)


def _result_names(component: nodes.Component) -> Iterator[nodes.Name]:
    for result in component.results:
        for single in result.items if isinstance(result, nodes.ResultList) else (result,):
            if isinstance(single, nodes.ResultTuple):
                yield from single.names
            elif isinstance(single.target, nodes.Name):
                yield single.target


def _copies(resolution: Resolution, names: Mapping[Symbol, TensorName]) -> Iterator[tuple[TensorName, TensorName]]:
    """Statements ``y = x``: nothing is computed."""
    for _, component in _components(resolution):
        value: nodes.Node = component.value
        result = component.results[0] if len(component.results) == 1 else None
        if not isinstance(value, nodes.Qualified) or not isinstance(result, nodes.Result):
            continue
        source, target = resolution.targets.get(value), resolution.targets.get(result.target)
        if isinstance(source, Symbol) and isinstance(target, Symbol) and source in names and target in names:
            yield names[target], names[source]
