"""An ONNX model as plain data: nodes with decoded attributes, and arrays. Functions stand in place of their calls."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
from msgspec import Struct, field
from msgspec.structs import replace

from snd_server.exchange.onnx_import.limits import DEEPEST_CALL, MOST_INLINED, MOST_NAME_CHARACTERS
from snd_server.exchange.onnx_import.modules import CallNames, Modules, within

Array: TypeAlias = np.ndarray[Any, Any]
EXPORTED_PROGRAM = "torch.export"
"""Domain of the calls of a program that PyTorch exported. ONNX defines none of them."""


class InvalidModelError(Exception):
    """A statement of a file or a model that is invalid in ONNX."""


class SourceNode(Struct, frozen=True, eq=False):
    """A node. Missing inputs and outputs have empty names."""

    kind: str
    domain: str
    name: str
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    attributes: Mapping[str, Any]
    """Ints, reals, texts, lists of them, arrays, and graphs as ``SourceGraph``."""
    opset: int
    modules: Modules = ()
    """The modules of the program that it is exported from."""

    @property
    def shown(self) -> str:
        """Name of the node in messages: its own, or that of its result."""
        return self.name or next(filter(None, self.outputs), self.kind)


class Declared(Struct, frozen=True):
    """An input, an output, or another known tensor: its type, and extents as numbers, names, or nothing."""

    name: str
    dtype: np.dtype[Any] | None
    """Type of the elements; None if it is no tensor, or the type is unknown."""
    shape: tuple[int | str | None, ...] | None


class SourceGraph(Struct, frozen=True, eq=False):
    """A graph, or one that an attribute holds."""

    name: str
    inputs: tuple[Declared, ...]
    outputs: tuple[Declared, ...]
    initializers: Mapping[str, Array]
    nodes: tuple[SourceNode, ...]
    known: Mapping[str, Declared]
    """Facts of the model about other tensors."""
    documentation: str = ""
    bounds: Mapping[str, int] = field(default_factory=dict)
    """Greatest values of extents, by their names."""
    updates: Mapping[str, str] = field(default_factory=dict)
    """Tensors whose elements an initializer has after a run, by the name of the initializer."""
    labels: Mapping[str, str] = field(default_factory=dict)
    """Names of initializers in the program, for those whose name in the graph is another one."""


def symbols_of(graph: SourceGraph) -> set[str]:
    """Return the names of the extents of inputs."""
    return {extent for each in graph.inputs for extent in each.shape or () if isinstance(extent, str)}


def with_extents(graph: SourceGraph, extents: Mapping[str, int]) -> SourceGraph:
    """Return a graph with numbers in place of names of extents."""

    def number(extent: int | str | None) -> int | str | None:
        return extents.get(extent, extent) if isinstance(extent, str) else extent

    def known(each: Declared) -> Declared:
        return each if each.shape is None else replace(each, shape=tuple(map(number, each.shape)))

    return replace(
        graph,
        inputs=tuple(map(known, graph.inputs)),
        outputs=tuple(map(known, graph.outputs)),
        known={name: known(each) for name, each in graph.known.items()},
    )


class Function(Struct, frozen=True, eq=False):
    """A function of a model. Attributes that refer to attributes of a call are ``Reference``."""

    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    defaults: Mapping[str, Any]
    nodes: tuple[SourceNode, ...]


class Reference(Struct, frozen=True):
    """An attribute of the function around."""

    name: str


def inlined(graph: SourceGraph, functions: Mapping[tuple[str, str], Function]) -> SourceGraph:
    """Return a graph with the nodes of functions in place of their calls. Raise InvalidModelError for endless ones."""
    return _Inlining(functions).graph(graph, 0) if functions else graph


class _Inlining:
    """Inlining of calls, with a limit of the number of nodes."""

    def __init__(self, functions: Mapping[tuple[str, str], Function]) -> None:
        self._functions = functions
        self._nodes = MOST_INLINED
        self._characters = MOST_NAME_CHARACTERS
        self._calls = CallNames()

    def graph(self, graph: SourceGraph, depth: int) -> SourceGraph:
        """Return a graph without calls, which stands inside of ``depth`` calls."""
        return replace(graph, nodes=tuple(each for node in graph.nodes for each in self._expanded(node, depth)))

    def _expanded(self, node: SourceNode, depth: int) -> Iterator[SourceNode]:
        self._nodes -= 1
        if self._nodes < 0:
            raise InvalidModelError(f"its functions expand to more than {MOST_INLINED:,} nodes")
        function = self._functions.get((node.domain, node.kind))
        if function is None:
            attributes = {
                name: self.graph(value, depth) if isinstance(value, SourceGraph) else value
                for name, value in node.attributes.items()
            }
            yield replace(node, attributes=attributes)
            return
        if depth >= DEEPEST_CALL:
            raise InvalidModelError(f"node '{node.shown}': the function '{node.kind}' calls itself, or is too deep")
        result = next(filter(None, node.outputs), node.kind)
        prefix = f"{result}/"
        call = self._calls.module(node.kind, result, prefix, node.modules)
        for each in call_of(node, function, prefix):
            inner = replace(each, modules=(*node.modules, call, *within(call, each.modules)))
            self._characters -= sum(map(len, (inner.name, *inner.inputs, *inner.outputs)))
            if self._characters < 0:
                raise InvalidModelError(
                    f"its functions expand to names of more than {MOST_NAME_CHARACTERS:,} characters"
                )
            yield from self._expanded(inner, depth + 1)


def call_of(node: SourceNode, function: Function, prefix: str) -> Iterator[SourceNode]:
    """Yield the nodes of a function in place of a call. Names inside begin with ``prefix``."""
    names = dict(zip(function.inputs, (*node.inputs, *("" for _ in function.inputs)), strict=False))
    names |= {inner: outer for inner, outer in zip(function.outputs, node.outputs, strict=False) if outer}
    given = {**function.defaults, **node.attributes}
    for inner in function.nodes:
        yield renamed(inner, names, prefix, given)


def renamed(node: SourceNode, names: Mapping[str, str], prefix: str, given: Mapping[str, Any]) -> SourceNode:
    """Return a node of a function as it stands in place of a call: other names, and attributes of the call."""

    def name(old: str) -> str:
        return "" if not old else names.get(old, f"{prefix}{old}")

    attributes = {}
    for key, value in node.attributes.items():
        match value:
            case Reference():
                if value.name in given:
                    attributes[key] = given[value.name]
            case SourceGraph():
                attributes[key] = _renamed_graph(value, names, prefix, given)
            case _:
                attributes[key] = value
    return replace(
        node,
        name=f"{prefix}{node.name}" if node.name else "",
        inputs=tuple(map(name, node.inputs)),
        outputs=tuple(map(name, node.outputs)),
        attributes=attributes,
    )


def _renamed_graph(graph: SourceGraph, names: Mapping[str, str], prefix: str, given: Mapping[str, Any]) -> SourceGraph:
    def name(old: str) -> str:
        return names.get(old, f"{prefix}{old}")

    return replace(
        graph,
        inputs=tuple(replace(each, name=name(each.name)) for each in graph.inputs),
        outputs=tuple(replace(each, name=name(each.name)) for each in graph.outputs),
        initializers={name(key): value for key, value in graph.initializers.items()},
        nodes=tuple(renamed(each, names, prefix, given) for each in graph.nodes),
    )


def used_names(nodes: Iterable[SourceNode], outputs: Sequence[str]) -> set[str]:
    """Return the tensors that nodes read, also inside nested graphs, and outputs."""
    found = set(outputs)
    for node in nodes:
        found.update(filter(None, node.inputs))
        for value in node.attributes.values():
            if isinstance(value, SourceGraph):
                found |= used_names(value.nodes, [each.name for each in value.outputs])
    return found
