"""A composed graph as JSON. Extents that only the run tells are strings, with a bound."""

from __future__ import annotations

from typing import Any

from snd_analysis.compose import multiply_adds, shown
from snd_analysis.ide.graph_view import plain
from snd_analysis.model import Graph, Loop, Operation, Tensor, TensorValue, tensors_of
from snd_analysis.symbolic.integers import Integer
from snd_analysis.symbolic.values import ItemRun, Maybe, Pack, Segment, Value
from snd_server.console.terminal import json_text
from snd_server.render.composed import ComposedGraph, Level, item_name
from snd_server.render.reports.records import record

_NOTHING = Graph("", {}, {}, {}, {}, {}, ())


def shapes_json(composed: ComposedGraph) -> str:
    """Return the graph as one JSON document, indented."""
    return json_text(shapes_content(composed), 2)


def shapes_content(composed: ComposedGraph) -> dict[str, Any]:
    """Return the graph as one object; ``docs/shapes.schema.json`` describes it."""
    graph = composed.graph or _NOTHING
    level = Level(graph)
    content: dict[str, Any] = {
        "version": 1,
        "graph": composed.name,
        "attributes": {name: plain(value) for name, value in composed.attributes.items()},
        "inputs": [_tensor(name, value) for name, value in graph.inputs.items()],
        "outputs": [_tensor(name, value) for name, value in graph.outputs.items()],
        "variables": [_tensor(name, value) for name, value in graph.variables.items()],
        **_contents(composed, level),
    }
    if graph.updates:
        content["updates"] = _updates(level)
    content["diagnostics"] = [record(each, composed.report) for each in composed.report.diagnostics]
    return content


def _contents(composed: ComposedGraph, level: Level) -> dict[str, Any]:
    updates = set(level.graph.update_operations)
    return {
        "tensors": [{**_tensor(name, value), "line": _line(composed, value)} for name, value in level.tensors.items()],
        "operations": [_operation(composed, level, each, each in updates) for each in level.operations],
    }


def _part(composed: ComposedGraph, level: Level) -> dict[str, Any]:
    graph = level.graph
    content = {
        "inputs": [_tensor(name, value) for name, value in graph.inputs.items()],
        "outputs": [_tensor(_listed(level, name, value), value) for name, value in graph.outputs.items()],
        **_contents(composed, level),
    }
    return {**content, "updates": _updates(level)} if graph.updates else content


def _listed(level: Level, name: str, value: TensorValue) -> str:
    """Return the name of a result of a part of control flow: that of the tensor, which may be one from around."""
    return (level.name(value) if isinstance(value, Tensor) else None) or name


def _updates(level: Level) -> list[dict[str, Any]]:
    return [{"variable": name, "value": _reference(level, value)} for name, value in level.graph.updates.items()]


# ---- tensors ---------------------------------------------------------------------------------------------------------
def _tensor(name: str, value: Value) -> dict[str, Any]:
    if isinstance(value, Maybe):
        value = value.value
    if isinstance(value, Pack):
        items = [_item(item_name(name, value, at), each) for at, each in enumerate(value.segments)]
        return {"name": name, "dtype": value.dtype or (items[0]["dtype"] if items else None), "items": items}
    if not isinstance(value, Tensor):
        return {"name": name, "dtype": None, "shape": None, "bound": None}
    bound = value.bound
    return {
        "name": name,
        "dtype": value.dtype,
        "shape": None if value.shape is None else [_extent(extent) for extent in value.shape],
        "bound": None if bound is None else list(bound),
    }


def _item(name: str, segment: Segment) -> dict[str, Any]:
    if isinstance(segment, ItemRun):
        return {**_tensor(name, segment.element), "count": _extent(segment.length)}
    return _tensor(name, segment)


def _extent(extent: Integer | ItemRun) -> int | str:
    if isinstance(extent, ItemRun):
        return f"{shown(extent.element)} ..({extent.length})"
    return extent.value if extent.value is not None else str(extent)


def _line(composed: ComposedGraph, value: TensorValue) -> int | None:
    found = tensors_of(value)
    return composed.line(found[0].place) if found else None


# ---- operations ------------------------------------------------------------------------------------------------------
def _operation(composed: ComposedGraph, level: Level, operation: Operation, updates: bool) -> dict[str, Any]:
    cost = multiply_adds(operation)
    content: dict[str, Any] = {
        "operator": composed.operator(operation),
        "label": operation.label,
        "attributes": {name: plain(value) for name, value in _attributes(operation).items()},
        "inputs": [_reference(level, value) for value in level.reads(operation)],
        "outputs": [_reference(level, value) for value in operation.outputs],
        "line": composed.line(operation.place),
        "macs": cost.exact,
    }
    if cost.exact is None:
        content["macs_bound"] = cost.most
    if updates:
        content["update"] = True
    parts = level.parts(operation)
    if parts:
        content["subgraphs"] = {name: _part(composed, part) for name, part in parts.items()}
    return content


def _attributes(operation: Operation) -> dict[str, Value]:
    control = operation.control
    if isinstance(control, Loop) and isinstance(control.count, Integer):
        return {"count": control.count}
    return dict(operation.attributes)


def _reference(level: Level, value: Value) -> Any:
    """Return the name of a tensor, a pack as a list, and a literal value as itself."""
    match value:
        case Tensor():
            name = level.name(value)
            return {"value": plain(value.value)} if name is None else name
        case Maybe():
            return _reference(level, value.value)
        case Pack():
            return [_reference(level, each) for each in value.elements]
    return None
