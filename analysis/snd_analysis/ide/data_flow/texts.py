"""Cells of a tensor as text: ``x[0,1..3]``."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from math import prod

from snd_analysis.compose.formulas import FlowCell
from snd_analysis.ide.data_flow.flow import DataFlow, Direction

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
