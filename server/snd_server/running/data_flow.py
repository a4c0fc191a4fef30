"""Cells that a cell of a tensor reads, or is read for: for ``snd graph --cell`` and editors."""

from __future__ import annotations

from typing import Any

from snd_analysis.compose import Specialization, Template
from snd_analysis.ide import Example, first_sample
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
from snd_server.running.arguments import ArgumentError


def flow_in(specialization: Specialization, cell: str) -> DataFlow:
    """Return the cells that a cell such as ``y[0,2]`` reads, or is read for. Raise ArgumentError."""
    written = parse_cell(cell)
    if written is None:
        raise ArgumentError("write a tensor and an index for each dimension, as in y[0,2]")
    try:
        return flow_of(specialization, *written)
    except NoFlow as reason:
        raise ArgumentError(str(reason)) from None


def middle_cell(specialization: Specialization) -> str:
    """Return a cell amidst the first output, which has a shape that is known. Raise ArgumentError."""
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
