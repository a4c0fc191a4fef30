"""The cells that a cell of an output is computed from, and the reverse, with all sizes known (2.12)."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from math import prod
from typing import TypeAlias

from msgspec import Struct

from snd_analysis.base import counted
from snd_analysis.compose import Specialization, specialization_of
from snd_analysis.compose.formulas import (
    Cells,
    FlowCell,
    Formula,
    FormulaFailed,
    FormulaTensors,
    PointBudget,
    Slot,
    elaborate,
    read_for,
    written_from,
)
from snd_analysis.ide.evaluation import samples_in
from snd_analysis.ide.limits import LONGEST_PICTURED_VECTOR, MOST_POINTS_OF_PICTURE
from snd_analysis.model import Graph, Operation, Tensor, TensorValue
from snd_analysis.skriptnd.evaluate import EvaluationError
from snd_analysis.skriptnd.names import OperatorName
from snd_analysis.skriptnd.samples import NestedRows
from snd_analysis.skriptnd.syntax import nodes, written
from snd_analysis.symbolic.integers import Integer
from snd_analysis.symbolic.values import Pack
from snd_analysis.workspace import Snapshot

__all__ = [
    "DataFlow",
    "Direction",
    "NoFlow",
    "SampleFlow",
    "TensorCells",
    "cells_text",
    "flow_lines",
    "flow_of",
    "parse_cell",
    "sample_flows",
    "shape_of",
    "tensors_of",
]

# ---- data flow through an operator: by its formulas, or through its composition --------------------------------------
# Other operators, and control flow, are assumed to read all cells of their inputs.


class Direction(StrEnum):
    """Direction of a data flow: the cells that are read for a cell, or the cells that a cell is read for."""

    READS = "reads"
    FEEDS = "feeds"


class NoFlow(Exception):  # noqa: N818 - it is an answer
    """Why nothing can be said."""


class TensorCells(Struct, frozen=True):
    """Cells of a tensor. An index is None where data decide about it."""

    name: str
    shape: tuple[int | None, ...]
    cells: frozenset[FlowCell]


class DataFlow(Struct, frozen=True):
    """The cells that a cell is computed from, or that are computed from it."""

    direction: Direction
    of: TensorCells
    tensors: tuple[TensorCells, ...]


_ByTensor: TypeAlias = "dict[Tensor, set[FlowCell]]"


def tensors_of(specialization: Specialization, direction: Direction) -> dict[str, Tensor]:
    """Return the tensors that have a data flow, by name: outputs, or inputs, variables and constants.

    Tensors of packs are listed one by one.
    """
    return dict(_named(_outputs(specialization) if direction is Direction.READS else _sources(specialization)))


def flow_of(specialization: Specialization, name: str, cell: FlowCell) -> DataFlow:
    """Return the cells that a cell of an output reads, or that a cell of an input, variable or constant is read for.

    Raise NoFlow.
    """
    known = {direction: tensors_of(specialization, direction) for direction in Direction}
    direction = next((each for each in Direction if name in known[each]), None)
    if direction is None:
        names = [f"'{each}'" for tensors in known.values() for each in tensors]
        raise NoFlow(f"there is no tensor '{name}', only {', '.join(names)}")
    tensor = known[direction][name]
    shape = shape_of(tensor)
    _demand_inside(name, shape, cell)
    budget = PointBudget(MOST_POINTS_OF_PICTURE)
    found = _through(specialization, direction, budget, {tensor: {cell}})
    tensors = tuple(
        TensorCells(each, shape_of(other), frozenset(found[other]))
        for each, other in known[Direction.FEEDS if direction is Direction.READS else Direction.READS].items()
        if found.get(other)
    )
    return DataFlow(direction, TensorCells(name, shape, frozenset({cell})), tensors)


def _demand_inside(name: str, shape: tuple[int | None, ...], cell: FlowCell) -> None:
    if len(cell) != len(shape):
        given = "1 index" if len(cell) == 1 else f"{len(cell)} indices"
        raise NoFlow(f"'{name}' has {counted(len(shape), 'dimension')}, but the cell has {given}")
    for index, extent in zip(cell, shape, strict=True):
        if extent is None:
            raise NoFlow(f"the shape of '{name}' is not known: give the shapes of the inputs")
        if index is not None and not 0 <= index < extent:
            raise NoFlow(f"the index {index} is outside of '{name}', whose shape is [{','.join(map(str, shape))}]")


def shape_of(tensor: Tensor) -> tuple[int | None, ...]:
    """Return the extents of a tensor; None for each that is not known."""
    return tuple(each.value if isinstance(each, Integer) else None for each in tensor.shape or ())


def all_cells(tensor: Tensor) -> FlowCell:
    """Return the cell that represents every cell of a tensor."""
    return (None,) * len(tensor.shape or ())


# ---- tensors ---------------------------------------------------------------------------------------------------------
def _outputs(specialization: Specialization) -> Iterator[tuple[str, TensorValue]]:
    for member, value in zip(specialization.template.outputs, specialization.outputs, strict=True):
        yield member.name, value


def _sources(specialization: Specialization) -> Iterator[tuple[str, TensorValue]]:
    for member, value in zip(specialization.template.inputs, specialization.inputs, strict=True):
        yield member.name, value
    yield from specialization.variables.items()
    yield from specialization.constants.items()


def _named(values: Iterable[tuple[str, TensorValue]]) -> Iterator[tuple[str, Tensor]]:
    for name, value in values:
        if isinstance(value, Tensor):
            yield name, value
        elif isinstance(value, Pack):
            for number, item in enumerate(value.items or ()):
                if isinstance(item, Tensor):
                    yield f"{name}[{number}]", item


def _tensors(values: Iterable[TensorValue]) -> list[Tensor]:
    return [tensor for _, tensor in _named(("", value) for value in values)]


# ---- flow ------------------------------------------------------------------------------------------------------------
def _through(specialization: Specialization, direction: Direction, budget: PointBudget, cells: _ByTensor) -> _ByTensor:
    """Return the cells of the tensors of an operator that cells are computed from, or that are computed from them."""
    if specialization.template.formulas:
        return _through_formulas(specialization, direction, budget, cells)
    if specialization.body is not None:
        return _through_body(specialization, specialization.body, direction, budget, cells)
    asked = _sources(specialization) if direction is Direction.READS else _outputs(specialization)
    return {tensor: {all_cells(tensor)} for _, tensor in _named(asked)}


def _through_formulas(
    specialization: Specialization, direction: Direction, budget: PointBudget, cells: _ByTensor
) -> _ByTensor:
    try:
        tensors = FormulaTensors(specialization)
        formulas: list[Formula] = list(elaborate(specialization, tensors))
        slots = dict(_slots(specialization, tensors))
        wanted: Cells = {slots[tensor]: found for tensor, found in cells.items()}
        follow = read_for if direction is Direction.READS else written_from
        reached = follow(formulas, wanted, budget)
    except (EvaluationError, FormulaFailed) as failed:
        raise NoFlow(str(failed.message)) from None
    is_output = direction is Direction.FEEDS
    return {
        tensor: reached[slot]
        for tensor, slot in _slots(specialization, tensors)
        if slot.is_output is is_output and reached.get(slot)
    }


def _slots(specialization: Specialization, tensors: FormulaTensors) -> Iterator[tuple[Tensor, Slot]]:
    for symbol, model in tensors.models.items():
        values = tensors.values.get(symbol)
        found = [values] if isinstance(values, Slot) else list(values.items or ()) if isinstance(values, Pack) else []
        for tensor, slot in zip(_tensors([model]), found, strict=False):
            if isinstance(slot, Slot):
                yield tensor, slot


def _through_body(
    specialization: Specialization, body: Graph, direction: Direction, budget: PointBudget, cells: _ByTensor
) -> _ByTensor:
    """Return the same by the operations of the body, whose tensors differ from those of the declarations."""
    sources = {**body.inputs, **body.variables, **body.constants}
    inner = dict(_named([*sources.items(), *body.outputs.items()]))
    outer = dict(_named([*_sources(specialization), *_outputs(specialization)]))
    given: _ByTensor = {}
    for name, tensor in outer.items():
        if tensor in cells and name in inner:
            given.setdefault(inner[name], set()).update(cells[tensor])
    found = _through_graph(body, direction, budget, given)
    asked = tensors_of(specialization, Direction.FEEDS if direction is Direction.READS else Direction.READS)
    return {tensor: found[inner[name]] for name, tensor in asked.items() if name in inner and found.get(inner[name])}


def _through_graph(
    graph: Graph, direction: Direction, budget: PointBudget, cells: Mapping[Tensor, Collection[FlowCell]]
) -> _ByTensor:
    found: _ByTensor = {tensor: set(each) for tensor, each in cells.items()}
    is_back = direction is Direction.READS
    for operation in reversed(graph.operations) if is_back else graph.operations:
        known, asked = (operation.outputs, operation.inputs) if is_back else (operation.inputs, operation.outputs)
        reached = {number: found[each] for number, each in enumerate(_tensors(known)) if each in found}
        if reached:
            for number, more in _through_operation(operation, direction, budget, reached).items():
                found.setdefault(_tensors(asked)[number], set()).update(more)
    return found


def _through_operation(
    operation: Operation, direction: Direction, budget: PointBudget, cells: Mapping[int, Collection[FlowCell]]
) -> dict[int, set[FlowCell]]:
    """Return the same for an operation: tensors by their number among its inputs, or outputs."""
    specialization = specialization_of(operation)
    is_back = direction is Direction.READS
    around = operation if specialization is None else specialization
    known, asked = (around.outputs, around.inputs) if is_back else (around.inputs, around.outputs)
    if specialization is None:
        return {number: {all_cells(each)} for number, each in enumerate(_tensors(asked))}
    tensors = _tensors(known)
    given: _ByTensor = {}
    for number, each in cells.items():
        given.setdefault(tensors[number], set()).update(each)
    found = _through(specialization, direction, budget, given)
    return {number: found[each] for number, each in enumerate(_tensors(asked)) if found.get(each)}


# ---- cells of a tensor as text: ``x[0,1..3]`` ------------------------------------------------------------------------
_CELL = re.compile(r"\s*([A-Za-z_]\w*(?:\[\d+\](?=\[))?)\s*(?:\[([\d\s,]*)\])?\s*")


def cells_text(name: str, cells: Collection[FlowCell], shape: Sequence[int | None]) -> str:
    """Return cells of a tensor, by ranges along each dimension; ``*`` where data decide about the index."""
    if not shape:
        return name
    columns = [_column({cell[at] for cell in cells}) for at in range(len(shape))]
    widths = [len({cell[at] for cell in cells}) for at in range(len(shape))]
    text = f"{name}[{','.join(columns)}{',' if len(columns) == 1 else ''}]"
    return text if prod(widths) == len(set(cells)) else f"{len(set(cells))} cells of {text}"


def flow_lines(flow: DataFlow) -> list[str]:
    """Return ``y[0,2] reads x[0,1..3]``, or the reverse, a line for each tensor."""
    of = cells_text(flow.of.name, flow.of.cells, flow.of.shape)
    verb = "reads" if flow.direction is Direction.READS else "is read for"
    return [f"{of} {verb} {cells_text(each.name, each.cells, each.shape)}" for each in flow.tensors] or [
        f"{of} {verb} nothing"
    ]


def parse_cell(text: str) -> tuple[str, FlowCell] | None:
    """Return the tensor and the indices that ``y[0,2]`` names; None if it is not written like that."""
    found = _CELL.fullmatch(text)
    if found is None:
        return None
    items = [each.strip() for each in (found[2] or "").split(",")]
    if items[-1] == "":  # of no index, or after the comma that one index may have
        items.pop()
    return None if "" in items else (found[1], tuple(map(int, items)))


def _column(found: set[int | None]) -> str:
    """Return ``1..3``, ``0..6 by 2``, or the numbers if they have no step."""
    if None in found:
        return "*"
    column = sorted(each for each in found if each is not None)
    if len(column) < 2:
        return str(column[0])
    step = column[1] - column[0]
    if column != list(range(column[0], column[-1] + 1, step)):
        return "/".join(map(str, column)) if len(column) <= 8 else f"{len(column)} of {column[0]}..{column[-1]}"
    if step > 1 and len(column) == 2:
        return f"{column[0]}/{column[1]}"
    return f"{column[0]}..{column[-1]}" + (f" by {step}" if step > 1 else "")


# Data flow of samples that are vectors: which elements of the input each element of the output is computed from.
class SampleFlow(Struct, frozen=True):
    """A sample whose first input and whose output have one dimension that counts."""

    invocation: str
    """The invocation without arguments: ``conv{stride=[2]}``."""
    source: str
    result: str
    elements: tuple[str, ...]
    """Elements of the input, as written."""
    results: tuple[str, ...]
    edges: tuple[tuple[int, int], ...]
    """Numbers of an element and of a result that it is read for."""


def sample_flows(snapshot: Snapshot, name: OperatorName) -> Iterator[SampleFlow]:
    """Yield the flow of small samples of an operator on vectors, apart from extents of 1.

    There is one sample for each choice of attributes.
    """
    seen: set[str] = set()
    for sample in samples_in(snapshot, name.path):
        call, results = sample.placed.sample.invocation, sample.placed.sample.results
        if sample.target != name or call is None or sample.specialization is None or len(results) != 1:
            continue
        attributes = "" if call.attributes is None else ", ".join(map(_attribute, call.attributes.items))
        invocation = call.function.text + (f"{{{attributes}}}" if attributes else "")
        elements, values = (*_elements(call.arguments[0]),) if call.arguments else (), (*_items(results[0].value),)
        found = _edges(sample.specialization, len(elements), len(values))
        if found is not None and invocation not in seen:
            seen.add(invocation)
            source, result = sample.specialization.template.inputs[0].name, results[0].name
            yield SampleFlow(invocation, source, result, elements, values, found)


def _edges(specialization: Specialization, elements: int, results: int) -> tuple[tuple[int, int], ...] | None:
    source, result = next(iter(specialization.inputs), None), next(iter(specialization.outputs), None)
    if not isinstance(source, Tensor) or not isinstance(result, Tensor):
        return None
    along, across = _long_axis(source, elements), _long_axis(result, results)
    if along is None or across is None:
        return None
    name, output = specialization.template.inputs[0].name, specialization.template.outputs[0].name
    edges: list[tuple[int, int]] = []
    for number in range(results):
        cell = tuple(number if axis == across else 0 for axis in range(len(shape_of(result))))
        try:
            flow = flow_of(specialization, output, cell)
        except NoFlow:
            return None
        read = {each[along] for tensor in flow.tensors if tensor.name == name for each in tensor.cells}
        if None in read:
            return None
        edges += ((index, number) for index in sorted(index for index in read if index is not None))
    return tuple(edges)


def _long_axis(tensor: Tensor, count: int) -> int | None:
    """Return the dimension in which all elements of a vector lie."""
    shape = shape_of(tensor)
    if not 1 < count <= LONGEST_PICTURED_VECTOR or shape.count(count) != 1 or shape.count(1) != len(shape) - 1:
        return None
    return shape.index(count)


def _attribute(node: nodes.Attribute) -> str:
    value = written(node.value).replace(", ", ",").replace('"', "'")
    return f"{node.name.text}={value}"


def _elements(node: nodes.Node) -> Iterator[str]:
    if isinstance(node, nodes.List):
        for item in node.items:
            yield from _elements(item)
    else:
        yield written(node).removesuffix(".0")


def _items(value: NestedRows | None) -> Iterator[str]:
    if isinstance(value, list | tuple):
        for item in value:
            yield from _items(item)
    elif value is not None:
        yield f"{value:.3g}" if isinstance(value, float) else str(value)
