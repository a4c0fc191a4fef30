"""Which cells a cell of a tensor reads, or is read for: for ``snd graph --cell`` and editors."""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from snd_analysis.base import Severity
from snd_analysis.compose import Specialization, Template
from snd_analysis.ide import Example, first_sample, run_of
from snd_analysis.ide.data_flow import (
    DataFlow,
    Direction,
    NoFlow,
    TensorCells,
    flow_lines,
    flow_of,
    parse_cell,
    shape_of,
    tensors_of,
)
from snd_analysis.workspace import Snapshot
from snd_server.arguments import ArgumentError, parse_arguments
from snd_server.checking import Checker
from snd_server.config import Configurations
from snd_server.definitions import chosen_definition
from snd_server.model_folder import no_file
from snd_server.selection import RuleSettings


class FlowRequest(Struct, frozen=True):
    """What is asked for; the sizes are those that are given, else those of the first sample."""

    path: str
    cell: str
    graph: str | None = None
    operator: str | None = None
    attributes: tuple[str, ...] = ()
    types: tuple[str, ...] = ()
    inputs: tuple[str, ...] = ()
    config: str | None = None


def data_flow(request: FlowRequest) -> DataFlow:
    """Return what a cell reads, or is read for. Raises ArgumentError and ConfigError."""
    checker = Checker(Configurations(request.config), RuleSettings())
    snapshot = checker.snapshot(request.path)
    if snapshot.file(request.path) is None:
        raise ArgumentError(no_file(request.path))
    template = chosen_definition(snapshot, request.path, request.graph, request.operator)
    if any(each.severity is Severity.ERROR for each in snapshot.diagnostics(template.name.path)):
        raise ArgumentError(f"there are mistakes in {template.name.path}: 'snd check' shows them")
    try:
        return flow_in(_specialization(snapshot, template, request), request.cell)
    except ArgumentError as problem:
        raise ArgumentError(f"--cell {request.cell}: {problem}") from None


def flow_in(specialization: Specialization, cell: str) -> DataFlow:
    """Return what a cell such as ``y[0,2]`` reads, or is read for. Raises ArgumentError."""
    written = parse_cell(cell)
    if written is None:
        raise ArgumentError("write a tensor and an index for each dimension, as in y[0,2]")
    try:
        return flow_of(specialization, *written)
    except NoFlow as reason:
        raise ArgumentError(str(reason)) from None


def middle_cell(specialization: Specialization) -> str:
    """Return a cell amidst the first output, which has a shape that is known. Raises ArgumentError."""
    for name, tensor in tensors_of(specialization, Direction.READS).items():
        shape = [extent for extent in shape_of(tensor) if extent]
        if len(shape) == len(tensor.shape or ()):
            return f"{name}[{','.join(str(extent // 2) for extent in shape)}]"
    raise ArgumentError("no output has elements and a shape that is known")


def sampled(snapshot: Snapshot, template: Template) -> Example | None:
    """Return a definition with the sizes of its first sample; a graph without one, with its own."""
    sample = first_sample(snapshot, template.name)
    if sample is not None or not template.is_graph:
        return sample
    whole = snapshot.specialization(template.name)
    return None if whole is None else Example(whole, "with the sizes of the graph")


def _specialization(snapshot: Snapshot, template: Template, request: FlowRequest) -> Specialization:
    if request.attributes or request.types or request.inputs:
        given = parse_arguments(template, request.attributes, request.inputs, request.types)
        dtypes = {each.name.text: given.dtypes.get(each.name.text, "real") for each in template.generics}
        missing = [each.name for each in template.inputs if each.name not in given.inputs and not each.node.optional]
        if missing:
            raise ArgumentError(f"give the shape of '{missing[0]}', as in --input {missing[0]}=1,5")
        shapes: Any = given.inputs
        found = run_of(snapshot, template.name, given.attributes, dtypes, shapes)
        if found is None:
            raise ArgumentError(f"'{template.shown}' can't be invoked with that")
        return found.specialization
    known = sampled(snapshot, template)
    if known is None:
        raise ArgumentError(f"'{template.shown}' has no sample: give the shapes of its inputs, as in --input x=1,5")
    return known.specialization


def flow_content(flow: DataFlow) -> dict[str, Any]:
    """Return the same as plain data; an index is null where data decide about it."""
    return {
        "direction": flow.direction,
        "of": _tensor(flow.of),
        "tensors": [_tensor(each) for each in flow.tensors],
        "text": flow_lines(flow),
    }


def _tensor(tensor: TensorCells) -> dict[str, Any]:
    cells = sorted(tensor.cells, key=lambda cell: [-1 if index is None else index for index in cell])
    return {"name": tensor.name, "shape": tensor.shape, "cells": cells}
