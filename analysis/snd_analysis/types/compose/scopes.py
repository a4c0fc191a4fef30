"""Scoped names of tensors: labels and generated labels, and the tensors of the operators below them (2.10, 2.14)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum

from snd_analysis.names.resolution import Resolution
from snd_analysis.names.symbols import OperatorName, Symbol, SymbolKind
from snd_analysis.syntax import nodes
from snd_analysis.types.context import Context

_ALWAYS_VISIBLE = (SymbolKind.VARIABLE, SymbolKind.CONSTANT)


class Found(Enum):
    """What a scoped name leads to."""

    TENSOR = "tensor"
    PRIVATE = "private"
    """A tensor of an operator that is not public, and neither variable nor constant."""
    NOTHING = "nothing"
    UNKNOWN = "unknown"
    """Something on the way is not known, and reported where it stands."""


_BEST_FIRST = (Found.TENSOR, Found.UNKNOWN, Found.PRIVATE, Found.NOTHING)


@dataclass(frozen=True, slots=True)
class _Body:
    """The composition of a definition."""

    definition: nodes.Definition
    resolution: Resolution

    @property
    def components(self) -> list[nodes.Component]:
        return [
            entry.statement
            for block in self.definition.blocks
            if isinstance(block, nodes.Block) and block.kind in ("compose", "update")
            for entry in block.entries
            if isinstance(entry.statement, nodes.Component)
        ]


def find_tensor(context: Context, parts: tuple[str, ...]) -> Found:
    """What a scoped name means in the definition at hand; that of a graph may begin with the graph's name."""
    body = _Body(context.definition, context.resolution)
    found = [_find(context, body, parts, inside=True, depth=0)]
    if len(parts) > 1 and parts[0] == context.definition.name.text and context.definition.kind == "graph":
        found.append(_find(context, body, parts[1:], inside=True, depth=0))
    return _best(found)


def _best(found: list[Found]) -> Found:
    return next(each for each in _BEST_FIRST if each in [*found, Found.NOTHING])


def _find(context: Context, body: _Body, parts: tuple[str, ...], inside: bool, depth: int) -> Found:
    if depth > len(body.resolution.symbols) + 64:  # operators that invoke each other, which is reported
        return Found.UNKNOWN
    if len(parts) == 1:
        found = [_own_tensor(body, parts[0], inside)]
    else:
        found = [_below(context, body, value, parts[1:], depth) for value in _labelled(context, body, parts[0])]
    transparent = _transparent(body)
    if transparent is not None and not inside:
        found.append(_below(context, body, transparent, parts, depth))
    return _best(found)


def _own_tensor(body: _Body, name: str, inside: bool) -> Found:
    symbols = [symbol for symbol in body.resolution.symbols if symbol.name == name and symbol.is_tensor]
    if not symbols:
        return Found.NOTHING
    if inside or body.definition.public or any(symbol.kind in _ALWAYS_VISIBLE for symbol in symbols):
        return Found.TENSOR
    return Found.PRIVATE


def _below(context: Context, body: _Body, value: nodes.Node, parts: tuple[str, ...], depth: int) -> Found:
    """Looks for the rest of a scoped name in what a label stands before."""
    if isinstance(value, nodes.Labelled):
        value = value.value
    if isinstance(value, nodes.Region):
        return _in_region(context, body, value, parts, depth)
    if not isinstance(value, nodes.Call):
        return Found.NOTHING
    name = body.resolution.targets.get(value.function)
    if not isinstance(name, OperatorName):
        return Found.UNKNOWN
    definition, resolution = context.facts.body(name), context.facts.resolution(name)
    if definition is None or resolution is None:
        return Found.UNKNOWN
    return _find(context, _Body(definition, resolution), parts, inside=False, depth=depth + 1)


def _in_region(context: Context, body: _Body, region: nodes.Region, parts: tuple[str, ...], depth: int) -> Found:
    components = [item for item in region.items if isinstance(item, nodes.Component)]
    if len(parts) == 1:
        names = [name.text for component in components for name in _names(component)]
        return Found.TENSOR if parts[0] in names else Found.NOTHING
    return _best(
        [
            _below(context, body, value, parts[1:], depth)
            for component in components
            for value in _labelled_in(context, body, component, parts[0])
        ]
    )


def _labelled(context: Context, body: _Body, label: str) -> Iterator[nodes.Node]:
    """What a label, written or generated, or the name of an invoked graph stands for in a composition."""
    for component in body.components:
        yield from _labelled_in(context, body, component, label)


def _labelled_in(context: Context, body: _Body, component: nodes.Component, label: str) -> Iterator[nodes.Node]:
    names = list(_names(component))
    generated = len(component.results) == 1 and len(names) == 1 and names[0].text == label
    for value in _parts(component.value):
        if isinstance(value, nodes.Labelled):
            if value.label.text == label:
                yield value.value
            continue
        target = body.resolution.targets.get(value.function) if isinstance(value, nodes.Call) else None
        is_graph_of_name = isinstance(target, OperatorName) and target.name == label
        if generated or (is_graph_of_name and isinstance(target, OperatorName) and _is_graph(context, target)):
            yield value
        if isinstance(value, nodes.Region):  # without a label a block adds no scope of its own, unless generated
            for item in value.items:
                if isinstance(item, nodes.Component):
                    yield from _labelled_in(context, body, item, label)


def _is_graph(context: Context, name: OperatorName) -> bool:
    definition = context.facts.definition(name)
    return definition is not None and definition.kind == "graph"


def _names(component: nodes.Component) -> Iterator[nodes.Name]:
    for result in component.results:
        for item in result.items if isinstance(result, nodes.ResultList) else (result,):
            if isinstance(item, nodes.ResultTuple):
                yield from item.names
            elif isinstance(item.target, nodes.Name):
                yield item.target


def _parts(value: nodes.Branch | nodes.Loop | nodes.Callable) -> Iterator[nodes.Callable]:
    """The invocations and blocks of a right side."""
    if isinstance(value, nodes.Branch):
        for case in value.cases:
            yield case.condition
            yield case.consequent
        yield value.alternative
    elif isinstance(value, nodes.Loop):
        yield value.body
        for test in value.conditions:
            yield test.condition
    else:
        yield value


def _transparent(body: _Body) -> nodes.Node | None:
    """The only invocation of an operator without tensors of its own: it adds no part to the names below it."""
    components = body.components
    if len(components) != 1 or any(symbol.kind in _ALWAYS_VISIBLE for symbol in body.resolution.symbols):
        return None
    calls = [value for value in _parts(components[0].value) if isinstance(value, nodes.Call)]
    return calls[0] if calls else None


def tensors(context: Context) -> dict[str, Symbol]:
    """The tensors of a definition that can be quantized by their own names."""
    found: dict[str, Symbol] = {}
    for symbol in context.resolution.symbols:
        if symbol.is_tensor:
            found.setdefault(symbol.name, symbol)
    return found
