"""The drawing of a composed graph, as plain data.

A *body* is a graph, the composition of an operator, or a part of control flow. Bodies are listed once and referred to
by their numbers: all invocations of an operator that compose to the same body share it, so that the data of a network
of thousands of operations with operators in operators is only as large as its distinct parts.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum
from math import isfinite
from typing import Any

from msgspec import Struct, field

from snd_analysis.base import Location
from snd_analysis.compose import shown
from snd_analysis.symbolic.integers import FALSE, TRUE, Integer, Truth
from snd_analysis.symbolic.values import Null, Pack, Value


class NodeKind(StrEnum):
    """Kind of a node."""

    INPUT = "input"
    CAPTURE = "capture"
    """A tensor from around that a part of control flow reads."""
    VARIABLE = "variable"
    CONSTANT = "constant"
    OUTPUT = "output"
    UPDATE = "update"
    """A variable that gets a new value when all operations have run (2.11)."""
    OPERATION = "operation"
    BRANCH = "branch"
    LOOP = "loop"
    PART = "part"
    """A condition, case or body of control flow."""


class TensorView(Struct, frozen=True):
    """A tensor of a body, or several tensors of one type and shape.

    ``shape`` holds numbers and, for extents that only the run tells, texts; it is None if it is not known, as is
    ``bound``, which has the greatest extents.
    """

    name: str
    dtype: str | None
    shape: tuple[int | str, ...] | None
    bound: tuple[int | None, ...] | None
    location: Location | None
    count: int | str | None = None
    """Number of tensors like this one in a pack that does not list them."""


class Port(Struct, frozen=True):
    """An argument or a result of a node."""

    name: str | None
    """The name in the declaration of the operator."""
    tensors: tuple[int, ...]
    """Numbers of the tensors in the body; several for a pack."""
    value: Value | None = None
    """Literal value given for a tensor."""
    pack: bool = False


class AttributeView(Struct, frozen=True):
    """An attribute with its value; ``default`` is True if the operator has this value without the attribute."""

    name: str
    value: Value
    default: bool


class NodeView(Struct, frozen=True):
    """A node of a body. ``name`` is unique in the body, and stays the same as long as the name of its result does.

    ``scope`` is the prefix of the names of tensors in the node's body, joined by a dot, where names are unique in all
    of the graph: as in ``snd shapes`` and in traces of ``snd run``.
    """

    name: str
    kind: NodeKind
    title: str
    """The operator with its module, ``if`` or ``do``, the part of control flow, or the name of the tensor."""
    inputs: tuple[Port, ...] = ()
    outputs: tuple[Port, ...] = ()
    label: str | None = None
    scope: str | None = None
    attributes: tuple[AttributeView, ...] = ()
    body: int | None = None
    cut: bool = False
    """True if there is a body that was left out, as there are too many nodes already."""
    location: Location | None = None
    statement: Location | None = None
    """The whole statement that the node belongs to."""
    definition: Location | None = None
    library: bool = False
    """True if the operator is one of the library; a level opens operators of models only."""
    update: bool = False
    """True if the node is one of ``@update``."""
    macs: int | None = None
    """Multiply-adds; None if there is not one number."""
    macs_bound: int | None = None
    """The most there can be."""


class EdgeView(Struct, frozen=True):
    """Tensors on their way from a result of a node to an argument of another, both by number."""

    source: tuple[int, int]
    target: tuple[int, int]
    tensors: tuple[int, ...]


class BodyView(Struct, frozen=True):
    """A body: nodes, in a valid order of execution; edges; tensors."""

    title: str
    nodes: tuple[NodeView, ...] = ()
    edges: tuple[EdgeView, ...] = ()
    tensors: tuple[TensorView, ...] = ()


class GraphView(Struct, frozen=True):
    """A graph with all bodies in it; that of the graph itself is the first."""

    name: str
    location: Location | None
    bodies: tuple[BodyView, ...]
    quantizations: dict[str, str] = field(default_factory=dict)
    """Quantizations of tensors, by scoped names."""


# ---- the view of a graph as JSON, which ``docs/graph.schema.json`` describes -----------------------------------------
Locate = Callable[[Location], dict[str, Any]]
"""A place in the lines and columns of the client."""


def graph_content(
    view: GraphView, attributes: Mapping[str, Value], locate: Locate, diagnostics: Sequence[dict[str, Any]] = ()
) -> dict[str, Any]:
    """Return the view as lists, dictionaries, texts and numbers."""
    return {
        "version": 1,
        "graph": view.name,
        "location": _located(view.location, locate),
        "attributes": {name: plain(value) for name, value in attributes.items()},
        "quantizations": dict(view.quantizations),
        "bodies": [_body(each, locate) for each in view.bodies],
        "diagnostics": list(diagnostics),
    }


def plain(value: Value | None) -> Any:
    """Return a value as JSON; an unknown value as text."""
    match value:
        case None | Null():
            return None
        case Integer():
            return value.value if value.value is not None else str(value)
        case Truth() if value is TRUE or value is FALSE:
            return value is TRUE
        case float():
            return value if isfinite(value) else shown(value)
        case str():
            return value
        case Pack() if value.items is not None:
            return [plain(item) for item in value.items]
    return shown(value)


def _located(location: Location | None, locate: Locate) -> dict[str, Any] | None:
    return None if location is None else locate(location)


def _body(body: BodyView, locate: Locate) -> dict[str, Any]:
    return {
        "title": body.title,
        "nodes": [_node(each, locate) for each in body.nodes],
        "edges": [_edge(each) for each in body.edges],
        "tensors": [_tensor(each, locate) for each in body.tensors],
    }


def _node(node: NodeView, locate: Locate) -> dict[str, Any]:
    content: dict[str, Any] = {
        "name": node.name,
        "kind": node.kind.value,
        "title": node.title,
        "inputs": [_port(each) for each in node.inputs],
        "outputs": [_port(each) for each in node.outputs],
        "location": _located(node.location, locate),
    }
    if node.label is not None:
        content["label"] = node.label
    if node.scope is not None:
        content["scope"] = node.scope
    if node.attributes:
        content["attributes"] = [
            {"name": each.name, "value": plain(each.value), "text": shown(each.value), "default": each.default}
            for each in node.attributes
        ]
    if node.body is not None:
        content["body"] = node.body
    if node.cut:
        content["cut"] = True
    if node.statement is not None:
        content["statement"] = locate(node.statement)
    if node.definition is not None:
        content["definition"] = locate(node.definition)
    if node.library:
        content["library"] = True
    if node.update:
        content["update"] = True
    if node.kind.value in ("operation", "branch", "loop"):
        content["macs"] = node.macs
        content["macs_bound"] = node.macs_bound
    return content


def _port(port: Port) -> dict[str, Any]:
    content: dict[str, Any] = {"name": port.name, "tensors": list(port.tensors)}
    if port.pack:
        content["pack"] = True
    if not port.tensors:
        content["value"] = plain(port.value)
    return content


def _edge(edge: EdgeView) -> dict[str, Any]:
    return {"source": list(edge.source), "target": list(edge.target), "tensors": list(edge.tensors)}


def _tensor(tensor: TensorView, locate: Locate) -> dict[str, Any]:
    content: dict[str, Any] = {
        "name": tensor.name,
        "dtype": tensor.dtype,
        "shape": None if tensor.shape is None else list(tensor.shape),
        "bound": None if tensor.bound is None else list(tensor.bound),
        "location": _located(tensor.location, locate),
    }
    if tensor.count is not None:
        content["count"] = tensor.count
    return content
