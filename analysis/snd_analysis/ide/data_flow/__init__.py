"""The cells that a cell of an output is computed from, and the reverse, with all sizes known (2.12)."""

from snd_analysis.ide.data_flow.flow import (
    DataFlow,
    Direction,
    NoFlow,
    SampleFlow,
    TensorCells,
    cells_text,
    flow_lines,
    flow_of,
    parse_cell,
    sample_flows,
    shape_of,
    tensors_of,
)

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
