"""Elements that a formula reads for one element that it writes, and back, with the sizes of a sample (2.12)."""

from __future__ import annotations

from collections.abc import Iterator

from snd_analysis.compose import Specialization
from snd_analysis.compose.formulas import (
    CellWrite,
    Constant,
    FlowCell,
    Formula,
    FormulaFailed,
    FormulaTensors,
    PointBudget,
    Slot,
    elaborate_formula,
    points_reading,
    points_writing,
    writes_of,
)
from snd_analysis.ide.data_flow import cells_text
from snd_analysis.ide.limits import MOST_POINTS_OF_FLOW
from snd_analysis.skriptnd.evaluate import EvaluationError
from snd_analysis.skriptnd.syntax import nodes


def flow_texts(specialization: Specialization, access: nodes.Node) -> Iterator[str]:
    """Yield ``y[0,2] reads x[0,1..3]`` for an element in the middle, and for a reading access also the reverse.

    Nothing if data decide, or the sizes are unknown or too large.
    """
    found = _formula_around(specialization, access)
    if found is None:
        return
    try:
        formulas = list(elaborate_formula(specialization, FormulaTensors(specialization), *found))
        middle = next((write for each in formulas for write in _middle(each, access)), None)
        if middle is not None:
            yield from _reads(formulas, middle, access)
            if access is not found[1].target:
                yield from _feeds(formulas, middle, access)
    except (EvaluationError, FormulaFailed):
        return


def _formula_around(specialization: Specialization, access: nodes.Node) -> tuple[int, nodes.Lowering] | None:
    for base, node in specialization.template.formulas:
        if any(each is access for each in nodes.descendants(node)):
            return base, node
    return None


def _middle(formula: Formula, access: nodes.Node) -> Iterator[CellWrite]:
    """Yield the writes in the middle of a formula, if an access is read for them."""
    extents = [int(axis.extent.value) for axis in formula.axes if isinstance(axis.extent, Constant)]
    if len(extents) == len(formula.axes):
        for write in writes_of(formula, [(extent // 2,) for extent in extents], PointBudget(1)):
            if write.is_certain and (access is formula.node.target or _read_by(write, access)):
                yield write


def _read_by(write: CellWrite, access: nodes.Node) -> list[tuple[Slot, FlowCell]]:
    return [
        (each.slot, each.cell)
        for each in write.reads
        if each.access.node is access or access is write.formula.node.target
    ]


def _reads(formulas: list[Formula], middle: CellWrite, access: nodes.Node) -> Iterator[str]:
    wanted = {middle.slot: {middle.cell}}
    read: dict[Slot, set[FlowCell]] = {}
    for formula in formulas:
        for write in writes_of(formula, points_writing(formula, wanted), PointBudget(MOST_POINTS_OF_FLOW)):
            if (write.slot, write.cell) == (middle.slot, middle.cell):
                for slot, cell in _read_by(write, access):
                    read.setdefault(slot, set()).add(cell)
    if read and not any(None in cell for cells in read.values() for cell in cells):
        texts = [cells_text(slot.name, cells, slot.shape) for slot, cells in read.items()]
        yield f"{cells_text(middle.slot.name, {middle.cell}, middle.slot.shape)} reads {', '.join(texts)}"


def _feeds(formulas: list[Formula], middle: CellWrite, access: nodes.Node) -> Iterator[str]:
    slot, cell = _read_by(middle, access)[0]
    if None in cell:
        return
    fed: dict[Slot, set[FlowCell]] = {}
    for formula in formulas:
        for write in writes_of(formula, points_reading(formula, {slot: {cell}}), PointBudget(MOST_POINTS_OF_FLOW)):
            if (slot, cell) in _read_by(write, access):
                fed.setdefault(write.slot, set()).add(write.cell)
    texts = [cells_text(each.name, cells, each.shape) for each, cells in fed.items()]
    yield f"{cells_text(slot.name, {cell}, slot.shape)} is read for {', '.join(texts)}"
