"""Scoped names of tensors: labels and generated labels, and the tensors of the operators below them (2.10, 2.14)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from enum import Enum

from msgspec import Struct

from snd_analysis.skriptnd.limits import DEEPEST_SCOPE
from snd_analysis.skriptnd.names import OperatorName, Resolution, Symbol, SymbolKind, Target
from snd_analysis.skriptnd.syntax import nodes
from snd_analysis.skriptnd.syntax.nodes import BlockKind
from snd_analysis.skriptnd.types.context import Context

_ALWAYS_VISIBLE = (SymbolKind.VARIABLE, SymbolKind.CONSTANT)


class Found(Enum):
    """Kind of the target of a scoped name."""

    TENSOR = "tensor"
    PRIVATE = "private"
    """A tensor of an operator that is not public, and neither variable nor constant."""
    NOTHING = "nothing"
    UNKNOWN = "unknown"
    """A part of the name is undefined, which is reported at that part."""


_BEST_FIRST = (Found.TENSOR, Found.UNKNOWN, Found.PRIVATE, Found.NOTHING)


class TrailStep(Struct, frozen=True):
    """The target of one part of a scoped name: a label, a tensor, or the graph of that name.

    ``definition`` declares it; None for the current definition.
    """

    definition: OperatorName | None
    target: Target | None


class Trail(Struct, frozen=True):
    """One way to read a scoped name: its target, and a step for each of its parts, as far as they are known."""

    found: Found
    steps: tuple[TrailStep, ...] = ()

    def after(self, step: TrailStep) -> Trail:
        """Return the same with a part before it."""
        return Trail(self.found, (step, *self.steps))


class _Body(Struct, frozen=True):
    """The composition of a definition; the current definition has no name."""

    name: OperatorName | None
    definition: nodes.Definition
    resolution: Resolution

    @property
    def components(self) -> list[nodes.Component]:
        return [
            entry.statement
            for block in self.definition.blocks
            if isinstance(block, nodes.Block) and block.kind in (BlockKind.COMPOSE, BlockKind.UPDATE)
            for entry in block.entries
            if isinstance(entry.statement, nodes.Component)
        ]

    def step(self, name: nodes.Node) -> TrailStep:
        """Return the target of a declared name, or of a name in an invocation."""
        return TrailStep(self.name, self.resolution.targets.get(name))


def find_tensor(context: Context, parts: tuple[str, ...]) -> Found:
    """Return the target of a scoped name in the current definition; in a graph the name may begin with the graph's."""
    return _best(trail.found for trail in _trails(context, parts))


def trails(context: Context, parts: tuple[str, ...]) -> list[Trail]:
    """Return the ways to read a scoped name that lead as far as any."""
    found = _trails(context, parts)
    best = _best(trail.found for trail in found)
    return [trail for trail in found if trail.found is best]


def _trails(context: Context, parts: tuple[str, ...]) -> list[Trail]:
    body = _Body(None, context.definition, context.resolution)
    found = _find(context, body, parts, inside=True, depth=0)
    if len(parts) > 1 and parts[0] == context.definition.name.text and context.definition.kind == "graph":
        own = TrailStep(None, context.others.own(context.definition))
        found += [trail.after(own) for trail in _find(context, body, parts[1:], inside=True, depth=0)]
    return found


def _best(found: Iterable[Found]) -> Found:
    everything = {*found, Found.NOTHING}
    return next(each for each in _BEST_FIRST if each in everything)


def _find(context: Context, body: _Body, parts: tuple[str, ...], inside: bool, depth: int) -> list[Trail]:
    if depth > len(body.resolution.symbols) + 64:  # operators that invoke each other, which is reported
        return [Trail(Found.UNKNOWN)]
    if len(parts) == 1:
        found = _own_tensor(body, parts[0], inside)
    else:
        found = _after(context, body, _labelled(context, body, parts[0]), parts[1:], depth)
    transparent = _transparent(body)
    if transparent is not None and not inside:
        found += _below(context, body, transparent, parts, depth)
    return found


def _own_tensor(body: _Body, name: str, inside: bool) -> list[Trail]:
    symbols = [symbol for symbol in body.resolution.symbols if symbol.name == name and symbol.is_tensor]
    visible = inside or body.definition.public or any(symbol.kind in _ALWAYS_VISIBLE for symbol in symbols)
    return [Trail(Found.TENSOR if visible else Found.PRIVATE, (TrailStep(body.name, symbol),)) for symbol in symbols]


def _after(
    context: Context, body: _Body, labelled: Iterable[tuple[TrailStep, nodes.Node]], parts: tuple[str, ...], depth: int
) -> list[Trail]:
    """Look for the rest of a scoped name after each possible target of its first part."""
    return [
        trail.after(step)
        for step, value in labelled
        for trail in _below(context, body, value, parts, depth) or [Trail(Found.NOTHING)]
    ]


def _below(context: Context, body: _Body, value: nodes.Node, parts: tuple[str, ...], depth: int) -> list[Trail]:
    """Look for the rest of a scoped name in the value that a label names."""
    if isinstance(value, nodes.Labelled):
        value = value.value
    if isinstance(value, nodes.Region):
        return _in_region(context, body, value, parts, depth)
    if not isinstance(value, nodes.Call):
        return []
    name = body.resolution.targets.get(value.function)
    if not isinstance(name, OperatorName):
        return [Trail(Found.UNKNOWN)]
    definition, resolution = context.others.definition(name), context.others.resolution(name)
    if definition is None or resolution is None:
        return [Trail(Found.UNKNOWN)]
    return _find(context, _Body(name, definition, resolution), parts, inside=False, depth=depth + 1)


def _in_region(context: Context, body: _Body, region: nodes.Region, parts: tuple[str, ...], depth: int) -> list[Trail]:
    components = region.components
    if len(parts) == 1:
        names = [name for component in components for name in component.names if name.text == parts[0]]
        return [Trail(Found.TENSOR, (body.step(name),)) for name in names]
    labelled = (found for component in components for found in _labelled_in(context, body, component, parts[0]))
    return _after(context, body, labelled, parts[1:], depth)


def _labelled(context: Context, body: _Body, label: str) -> Iterator[tuple[TrailStep, nodes.Node]]:
    """Yield the targets of a label (written or generated) or of the name of an invoked graph in a composition."""
    for component in body.components:
        yield from _labelled_in(context, body, component, label)


def _labelled_in(
    context: Context, body: _Body, component: nodes.Component, label: str
) -> Iterator[tuple[TrailStep, nodes.Node]]:
    names = component.names
    generated = len(component.results) == 1 and len(names) == 1 and names[0].text == label
    for value in component.parts:
        if isinstance(value, nodes.Labelled):
            if value.label.text == label:
                yield body.step(value.label), value.value
            continue
        target = body.resolution.targets.get(value.function) if isinstance(value, nodes.Call) else None
        if generated:
            yield body.step(names[0]), value
        elif isinstance(target, OperatorName) and target.name == label and context.others.is_graph(target):
            yield TrailStep(body.name, target), value
        if isinstance(value, nodes.Region):  # without a label a block adds no scope of its own, unless generated
            for item in value.components:
                yield from _labelled_in(context, body, item, label)


def _transparent(body: _Body) -> nodes.Node | None:
    """Return the only invocation of an operator without tensors of its own: it adds no part to the names below it."""
    components = body.components
    if len(components) != 1 or any(symbol.kind in _ALWAYS_VISIBLE for symbol in body.resolution.symbols):
        return None
    calls = [value for value in components[0].parts if isinstance(value, nodes.Call)]
    return calls[0] if calls else None


def scoped_names(context: Context, labels: tuple[str, ...]) -> list[tuple[str, TrailStep]]:
    """Return the names that can follow labels, each once.

    Tensors that can be named there come with their symbols, further labels without.
    """
    body = _Body(None, context.definition, context.resolution)
    found = [*_names_in(context, body, labels, True, 0)]
    if labels[:1] == (context.definition.name.text,) and context.definition.kind == "graph":
        found += _names_in(context, body, labels[1:], True, 0)
    known: dict[str, TrailStep] = {}
    for name, step in found:
        known.setdefault(name, step)
    return [*known.items()]


def _names_in(
    context: Context, body: _Body, labels: tuple[str, ...], inside: bool, depth: int
) -> Iterator[tuple[str, TrailStep]]:
    if depth > DEEPEST_SCOPE:
        return
    if labels:
        for _, value in _labelled(context, body, labels[0]):
            yield from _names_below(context, body, value, labels[1:], depth)
    else:
        for symbol in body.resolution.symbols:
            if any(trail.found is Found.TENSOR for trail in _own_tensor(body, symbol.name, inside)):
                yield symbol.name, TrailStep(body.name, symbol)
        for component in body.components:
            yield from ((label, TrailStep(body.name, None)) for label in _labels(context, body, component))
    transparent = _transparent(body)
    if transparent is not None and not inside:
        yield from _names_below(context, body, transparent, labels, depth)


def _names_below(
    context: Context, body: _Body, value: nodes.Node, labels: tuple[str, ...], depth: int
) -> Iterator[tuple[str, TrailStep]]:
    """Yield the names that can follow labels in the value that a label names."""
    if isinstance(value, nodes.Labelled):
        value = value.value
    if isinstance(value, nodes.Region):
        for component in value.items:
            if not isinstance(component, nodes.Component):
                continue
            if labels:
                for _, each in _labelled_in(context, body, component, labels[0]):
                    yield from _names_below(context, body, each, labels[1:], depth)
                continue
            yield from ((name.text, body.step(name)) for name in component.names)
            yield from ((label, TrailStep(body.name, None)) for label in _labels(context, body, component))
        return
    name = body.resolution.targets.get(value.function) if isinstance(value, nodes.Call) else None
    if isinstance(name, OperatorName):
        definition, resolution = context.others.definition(name), context.others.resolution(name)
        if definition is not None and resolution is not None:
            yield from _names_in(context, _Body(name, definition, resolution), labels, False, depth + 1)


def _labels(context: Context, body: _Body, component: nodes.Component) -> Iterator[str]:
    """Yield the possible labels in a statement: written ones, its single result, graphs that it invokes."""
    names = component.names
    if len(component.results) == 1 and len(names) == 1:
        yield names[0].text
    for value in component.parts:
        match value:
            case nodes.Labelled():
                yield value.label.text
            case nodes.Call():
                target = body.resolution.targets.get(value.function)
                if isinstance(target, OperatorName) and context.others.is_graph(target):
                    yield target.name
            case nodes.Region():
                for item in value.components:
                    yield from _labels(context, body, item)


def tensors(context: Context) -> dict[str, Symbol]:
    """Return the tensors of a definition that can be quantized by their own names."""
    found: dict[str, Symbol] = {}
    for symbol in context.resolution.symbols:
        if symbol.is_tensor:
            found.setdefault(symbol.name, symbol)
    return found
