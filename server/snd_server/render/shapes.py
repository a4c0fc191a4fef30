"""A composed graph as a table for people, and as JSON. Extents that only the run tells are strings, with a bound."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from snd_analysis.compose.cost import multiply_adds
from snd_analysis.compose.decomposition import tensors_of
from snd_analysis.compose.words import shape_text, shown
from snd_analysis.model import Graph, Operation, Place, Tensor, TensorValue
from snd_analysis.shapes import FALSE, TRUE, Integer, bounds
from snd_analysis.source import Source
from snd_analysis.values import NULL, Maybe, Pack, Run, Value
from snd_server.render import full
from snd_server.render.records import record
from snd_server.report import Report

_BYTES = {"real": 4, "int": 4, "bool": 1}
"""Bytes of an element where it is stored: 32-bit numbers."""


@dataclass(frozen=True, slots=True)
class ComposedGraph:
    """What is to be shown. ``graph`` is None if there is nothing that could be composed."""

    name: str
    path: str
    graph: Graph | None
    attributes: Mapping[str, Value]
    report: Report
    source: Callable[[str], Source]
    starts: Mapping[tuple[str, str], int]
    """Where the text of a definition begins, by file and name."""

    def line(self, place: Place | None) -> int | None:
        """The line of a place in the file of the graph."""
        if place is None or place.path != self.path:
            return None
        start = self.starts.get((place.path, place.definition))
        return None if start is None else self.source(place.path).position(start + place.span.start).line


# ---- json ------------------------------------------------------------------------------------------------------------
def shapes_json(composed: ComposedGraph) -> str:
    """The graph as one JSON object."""
    graph = composed.graph
    content: dict[str, Any] = {
        "version": 1,
        "graph": composed.name,
        "attributes": {name: _plain(value) for name, value in composed.attributes.items()},
    }
    for part in ("inputs", "outputs", "variables"):
        named = {} if graph is None else getattr(graph, part)
        content[part] = [_tensor(name, value) for name, value in named.items()]
    content["tensors"] = [
        {**_tensor(name, value), "line": _line_of(composed, value)}
        for name, value in (graph.tensors.items() if graph is not None else ())
    ]
    content["operations"] = [_operation(composed, each) for each in (graph.operations if graph is not None else ())]
    content["diagnostics"] = [record(each, composed.report) for each in composed.report.diagnostics]
    return json.dumps(content, indent=2, ensure_ascii=False) + "\n"


def _tensor(name: str, value: TensorValue) -> dict[str, Any]:
    if isinstance(value, Maybe):
        value = value.value
    if isinstance(value, Pack):
        items = [_tensor(f"{name}[{at}]", _item(each)) for at, each in enumerate(value.segments)]
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


def _item(segment: object) -> TensorValue:
    return segment.element if isinstance(segment, Run) else segment


def _extent(extent: Integer | Run) -> int | str:
    if isinstance(extent, Run):
        return f"{shown(extent.element)} ..({extent.length})"
    return extent.value if extent.value is not None else str(extent)


def _plain(value: Value) -> Any:
    if isinstance(value, Integer):
        return value.value if value.value is not None else str(value)
    if value is TRUE or value is FALSE:
        return value is TRUE
    if isinstance(value, float | str):
        return value
    if value is NULL:
        return None
    if isinstance(value, Pack) and value.items is not None:
        return [_plain(item) for item in value.items]
    return shown(value)


def _operation(composed: ComposedGraph, operation: Operation) -> dict[str, Any]:
    macs = multiply_adds(operation)
    return {
        "operator": _operator(operation),
        "label": operation.label,
        "attributes": {name: _plain(value) for name, value in operation.attributes.items()},
        "inputs": [_reference(value) for value in operation.inputs],
        "outputs": [_reference(value) for value in operation.outputs],
        "line": composed.line(operation.place),
        "macs": None if macs is None else macs.value if macs.value is not None else bounds(macs)[1],
    }


def _reference(value: TensorValue) -> Any:
    if isinstance(value, Tensor):
        return value.name
    if isinstance(value, Maybe):
        return _reference(value.value)
    return [_reference(_item(each)) for each in value.segments] if isinstance(value, Pack) else None


def _operator(operation: Operation) -> str:
    name = operation.operator
    if name is None:
        return operation.construct or "block"
    module = name.path.rpartition(":")[2]
    return f"{module}.{name.name}" if name.path.startswith("snd:") else name.name


def _line_of(composed: ComposedGraph, value: TensorValue) -> int | None:
    found = tensors_of(value)
    return composed.line(found[0].place) if found else None


# ---- table -----------------------------------------------------------------------------------------------------------
def shapes_table(composed: ComposedGraph) -> str:
    """The graph as tables of tensors and operations, with totals, and its diagnostics."""
    graph = composed.graph
    parts = []
    if composed.report.diagnostics:
        parts.append(full.render(composed.report))
    if graph is not None:
        parts += [_tensors_table(graph), _operations_table(graph), _totals(graph)]
    attributes = ", ".join(f"{name}={shown(value)}" for name, value in composed.attributes.items())
    head = f"graph {composed.name}{f' {{{attributes}}}' if attributes else ''}\n"
    return "\n".join([head, *parts])


def _tensors_table(graph: Graph) -> str:
    kinds = {name: kind for kind in ("input", "output", "variable", "constant") for name in getattr(graph, f"{kind}s")}
    rows = [("tensor", "kind", "type", "at most", "elements", "bytes")]
    for name, value in graph.tensors.items():
        for label, tensor in _rows(name, value):
            rows.append((label, kinds.get(name, ""), *_measures(tensor)))
    return _aligned(rows, numbers=(4, 5))


def _rows(name: str, value: TensorValue) -> Iterable[tuple[str, Tensor]]:
    if isinstance(value, Tensor):
        yield name, value
    elif isinstance(value, Maybe):
        yield from _rows(name, value.value)
    elif isinstance(value, Pack):
        for at, each in enumerate(value.segments):
            count = each.length if isinstance(each, Run) else None
            yield from _rows(f"{name}..({count})" if count is not None else f"{name}[{at}]", _item(each))


def _measures(tensor: Tensor) -> tuple[str, str, str, str]:
    if tensor.shape is None:
        return "unknown", "", "", ""
    bound = tensor.bound
    dynamic = bound is not None and any(not isinstance(each, Integer) or each.value is None for each in tensor.shape)
    most = ",".join("?" if each is None else str(each) for each in bound or ()) if dynamic else ""
    elements = _most(tensor.elements)
    size = _BYTES.get(tensor.dtype or "", 0)
    return (
        f"{tensor.dtype}[{shape_text(tensor)}]", most, _number(elements),
        _number(None if elements is None or not size else elements * size),
    )  # fmt: skip


def _most(amount: Integer | None) -> int | None:
    return None if amount is None else bounds(amount)[1]


def _number(amount: int | None) -> str:
    return "" if amount is None else f"{amount:,}"


def _operations_table(graph: Graph) -> str:
    rows = [("operation", "label", "attributes", "results", "multiply-adds")]
    for operation in (*graph.operations, *graph.update_operations):
        attributes = ", ".join(f"{name}={shown(value)}" for name, value in operation.attributes.items())
        results = ", ".join(str(tensor.name) for value in operation.outputs for tensor in tensors_of(value)[:4])
        rows.append((_operator(operation), operation.label or "", attributes, results, _number(_macs(operation))))
    return _aligned(rows, numbers=(4,))


def _macs(operation: Operation) -> int | None:
    amount = _most(multiply_adds(operation))
    return amount or None


def _totals(graph: Graph) -> str:
    variables = [tensor for value in graph.variables.values() for tensor in tensors_of(value)]
    elements = [_most(tensor.elements) for tensor in variables]
    weights = sum(each for each in elements if each is not None)
    stored = sum(
        (each or 0) * _BYTES.get(tensor.dtype or "", 0) for each, tensor in zip(elements, variables, strict=True)
    )
    macs = sum(_macs(operation) or 0 for operation in graph.operations)
    return (
        f"{len(graph.operations)} operations, {len(graph.tensors)} tensors; {weights:,} elements in variables "
        f"({stored:,} bytes); {macs:,} multiply-adds\n"
    )


def _aligned(rows: Sequence[Sequence[str]], numbers: tuple[int, ...]) -> str:
    widths = [max(len(row[at]) for row in rows) for at in range(len(rows[0]))]
    lines = []
    for row in rows:
        cells = [
            cell.rjust(width) if at in numbers else cell.ljust(width)
            for at, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        lines.append("  ".join(cells).rstrip())
    return "\n".join(lines) + "\n"
