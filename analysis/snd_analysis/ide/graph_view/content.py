"""The view of a graph as JSON, which ``docs/graph.schema.json`` describes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import isfinite
from typing import Any

from snd_analysis.base import Location
from snd_analysis.compose import shown
from snd_analysis.ide.graph_view.view import BodyView, EdgeView, GraphView, NodeView, Port, TensorView
from snd_analysis.symbolic.integers import FALSE, TRUE, Integer, Truth
from snd_analysis.symbolic.values import Null, Pack, Value

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
