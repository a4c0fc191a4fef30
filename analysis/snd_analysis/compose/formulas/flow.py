"""The cells of tensors that a formula reads for each cell that it writes, with all sizes known (2.12).

An index of a cell is None if data decide it: the cell may be any along that dimension. Other decisions by data, such as
a condition or a branch, count as if they might hold, so no read is ever left out.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import product
from math import prod
from typing import TypeAlias

from msgspec import Struct

from snd_analysis.compose.formulas.affine import Analysis
from snd_analysis.compose.formulas.formula import UNKNOWN_VALUE, Formula, FormulaFailed, PointBudget
from snd_analysis.compose.formulas.separable_flow import Access, FlowCell, Separable, separable
from snd_analysis.compose.formulas.terms import (
    SHORT_CIRCUITING,
    Apply,
    Bounds,
    Constant,
    IndexTerm,
    Read,
    Slot,
    Term,
    operands_of,
    subterms,
    unconditional,
)
from snd_analysis.compose.formulas.walking import Point, Skipped
from snd_analysis.skriptnd.evaluate import EvaluationError

Cells: TypeAlias = dict[Slot, set[FlowCell]]


class CellRead(Struct, frozen=True):
    """A cell of a tensor that is no pack, and the access that reads it."""

    slot: Slot
    cell: FlowCell
    access: Read


class CellWrite(Struct, frozen=True):
    """A cell that is written at one point, and the cells that are read for it."""

    slot: Slot
    cell: FlowCell
    formula: Formula
    reads: tuple[CellRead, ...]
    is_certain: bool
    """True if no data decide that it is written."""


def read_for(formulas: Sequence[Formula], cells: Mapping[Slot, Collection[FlowCell]], budget: PointBudget) -> Cells:
    """Return all cells whose values affect the given cells after the formulas of an operator, without the given cells.

    Raise FormulaFailed if data decide the range of an index, or there are too many points.
    """
    found: Cells = {slot: set(each) for slot, each in cells.items()}
    for formula in reversed(formulas):
        reads, overwritten = _read_by_groups(formula, found, budget) or _read_in(formula, found, budget)
        for slot, each in overwritten.items():
            found[slot] -= each
        _merge(found, reads)
    return found


def written_from(formulas: Sequence[Formula], cells: Mapping[Slot, Collection[FlowCell]], budget: PointBudget) -> Cells:
    """Return all cells that the given cells affect, without the given cells.

    Raise FormulaFailed as ``read_for`` does.
    """
    found: Cells = {slot: set(each) for slot, each in cells.items()}
    for formula in formulas:
        written = _written_by_groups(formula, found, budget)
        if written is not None:
            _merge(found, written)
            continue
        is_growing = True
        while is_growing:
            before = _size(found)
            for write in writes_of(formula, points_reading(formula, found), budget):
                if any(_meets(found, each.slot, each.cell) for each in write.reads):
                    found.setdefault(write.slot, set()).add(write.cell)
            is_growing = _size(found) > before and any(True for _ in formula.own_reads())
    return found


def writes_of(formula: Formula, positions: Sequence[Collection[int]], budget: PointBudget) -> Iterator[CellWrite]:
    """Yield the writes at points of a formula, and the reads for them."""
    budget.take(prod(map(len, positions)))
    for point in product(*positions):
        yield from _AtPoint(formula, dict(enumerate(point))).writes()


def points_writing(formula: Formula, cells: Mapping[Slot, Collection[FlowCell]]) -> list[Collection[int]]:
    """Return positions along the axes of a formula that include all positions that write one of the cells."""
    accesses = [(write.slot, write.places) for write in formula.writes]
    return _positions(formula, accesses, cells)


def points_reading(formula: Formula, cells: Mapping[Slot, Collection[FlowCell]]) -> list[Collection[int]]:
    """Return positions along the axes of a formula that include all positions that read one of the cells."""
    reads = [each for each in subterms(*formula.roots) if isinstance(each, Read)]
    return _positions(formula, [(each.slot, each.places) for each in reads], cells)


def _positions(
    formula: Formula,
    accesses: Sequence[tuple[Slot, tuple[IndexTerm, ...]]],
    cells: Mapping[Slot, Collection[FlowCell]],
) -> list[Collection[int]]:
    """Return the positions along axes from which one of several accesses may reach cells."""
    extents = [int(axis.extent.value) for axis in formula.axes if isinstance(axis.extent, Constant)]
    if len(extents) < len(formula.axes):
        raise FormulaFailed(UNKNOWN_VALUE, "data decide how far an index goes", formula.source)
    analysis = Analysis(extents)
    each = [_positions_of(slot, places, cells, analysis) for slot, places in accesses if _within(slot, cells)]
    if not each:
        return [()]
    positions: list[Collection[int]] = []
    for axis, extent in enumerate(extents):
        known = [found.get(axis) for found in each]
        together = set[int]().union(*(found for found in known if found is not None))
        positions.append(range(extent) if None in known else sorted(together))
    return positions


def _positions_of(
    slot: Slot, places: Sequence[IndexTerm], cells: Mapping[Slot, Collection[FlowCell]], analysis: Analysis
) -> dict[int, set[int]]:
    """Return the positions along the axes of a single index each, without positions that reach no cell."""
    wanted = _within(slot, cells)
    found: dict[int, set[int]] = {}
    for at, place in enumerate(places):
        form = analysis.affine(place.index) if place.bounds is not Bounds.REMAPPED else None
        column = {cell[at] for cell in wanted}
        if form is None or len(form.factors) != 1 or None in column:
            continue
        ((axis, factor),) = form.factors.items()
        steps = [divmod(each - form.constant, factor) for each in column if each is not None]
        allowed = {step for step, left in steps if left == 0 and 0 <= step < analysis.extents[axis]}
        found[axis] = found[axis] & allowed if axis in found else allowed
    return found


def _within(slot: Slot, cells: Mapping[Slot, Collection[FlowCell]]) -> list[FlowCell]:
    """Return the cells of a tensor; for a pack taken as one tensor, the cells of each item with its number."""
    if not slot.items:
        return list(cells.get(slot, ()))
    return [(number, *cell) for number, item in enumerate(slot.items) for cell in cells.get(item, ())]


def _read_in(formula: Formula, cells: Cells, budget: PointBudget) -> tuple[Cells, Cells]:
    """Return the cells that a formula reads for ``cells``, and the cells whose earlier values do not matter."""
    wanted = {slot: set(each) for slot, each in cells.items()}
    own = {each.slot for each in formula.own_reads()}
    while True:
        reads: Cells = {}
        overwritten: Cells = {}
        for write in writes_of(formula, points_writing(formula, wanted), budget):
            if _meets(wanted, write.slot, write.cell):
                for each in write.reads:
                    reads.setdefault(each.slot, set()).add(each.cell)
                if write.is_certain and formula.operator == "=" and write.cell in cells.get(write.slot, ()):
                    overwritten.setdefault(write.slot, set()).add(write.cell)
        before = _size(wanted)
        if own:  # a formula may read the writes of other points
            written = {each for slot in formula.slots for each in (slot, *slot.items)}
            _merge(wanted, {slot: each for slot, each in reads.items() if slot in written})
        if _size(wanted) == before:
            return reads, overwritten


def _read_by_groups(formula: Formula, cells: Cells, budget: PointBudget) -> tuple[Cells, Cells] | None:
    """Return the same where the axes of a formula can be looked at by groups; else None."""
    known = separable(formula)
    if known is None:
        return None
    reads: Cells = {}
    overwritten: Cells = {}
    for write in known.writes:
        is_read = _merged(reads, known, [(read, write) for read in known.reads], cells, budget)
        if not is_read or not _merged(overwritten, known, [(write, write)], cells, budget):
            return None
    return reads, overwritten if formula.operator == "=" else {}


def _written_by_groups(formula: Formula, cells: Cells, budget: PointBudget) -> Cells | None:
    """Return the cells that a formula writes from ``cells`` if its axes can be examined by groups; else None."""
    known, written = separable(formula), Cells()
    if known is None:
        return None
    pairs = [(write, read) for write in known.writes for read in known.reads]
    return written if _merged(written, known, pairs, cells, budget) else None


def _merged(
    found: Cells, formula: Separable, pairs: Sequence[tuple[Access, Access]], cells: Cells, budget: PointBudget
) -> bool:
    """Add the cells that the first access of a pair reaches if the second reaches ``cells``.

    Return whether groups suffice to find them.
    """
    for asked, known in pairs:
        wanted = cells.get(known.slot)
        if wanted:
            positions = _positions(formula.formula, [(known.slot, known.places)], cells)
            reached = formula.reached(asked, known, wanted, positions, budget)
            if reached is None:
                return False
            found.setdefault(asked.slot, set()).update(reached)
    return True


def _merge(cells: Cells, more: Cells) -> None:
    for slot, each in more.items():
        cells.setdefault(slot, set()).update(each)


def _size(cells: Cells) -> int:
    return sum(map(len, cells.values()))


def _meets(cells: Mapping[Slot, Collection[FlowCell]], slot: Slot, cell: FlowCell) -> bool:
    """Return whether a cell is, or may be, one of several."""
    known = cells.get(slot, ())
    if cell in known:
        return True
    return any(
        all(one is None or other is None or one == other for one, other in zip(cell, each, strict=True))
        for each in known
        if None in cell or None in each
    )


class _AtPoint:
    def __init__(self, formula: Formula, positions: Mapping[int, int]) -> None:
        self._formula = formula
        self._point = Point(formula, positions, with_reals=True)
        self._is_certain = True

    def writes(self) -> Iterator[CellWrite]:
        """Yield the writes at this point; nothing if the point is skipped, or fails."""
        formula = self._formula
        try:
            self._enter()
            condition = None if formula.condition is None else self._point.value(formula.condition)
            if condition is False:
                return
            self._is_certain = self._is_certain and (formula.condition is None or condition is True)
            for write in formula.writes:
                cell = self._cell(write.slot, write.places)
                if cell is None:
                    continue
                roots = [write.value, *write.place_terms, *([] if formula.condition is None else [formula.condition])]
                reads = tuple(self._reads(roots))
                for slot, inner in _told_apart(write.slot, cell):
                    yield CellWrite(slot, inner, formula, reads, self._is_certain and None not in cell)
        except (Skipped, EvaluationError):
            return

    def _enter(self) -> None:
        """Raise Skipped where a guarded index is out of bounds."""
        accesses = [(write.slot, write.places) for write in self._formula.writes]
        accesses += [(each.slot, each.places) for each in unconditional(*self._formula.roots) if isinstance(each, Read)]
        for slot, places in accesses:
            for at, place in enumerate(places):
                if place.bounds is Bounds.SKIPPED and self._index(slot, place, at) is None:
                    self._is_certain = False

    def _cell(self, slot: Slot, places: Sequence[IndexTerm]) -> FlowCell | None:
        """Return the cell that an access reaches; None if there is none."""
        found = []
        for at, place in enumerate(places):
            index, extent = self._index(slot, place, at), slot.shape[at]
            if index is not None and extent is not None and not 0 <= index < extent:
                return None
            found.append(index)
        return tuple(found)

    def _index(self, slot: Slot, place: IndexTerm, at: int) -> int | None:
        index, extent = self._point.value(place.index), slot.shape[at]
        if index is None or extent is None or 0 <= int(index) < extent:
            return None if index is None else int(index)
        if place.bounds is Bounds.SKIPPED:
            raise Skipped
        remapped = place.below if int(index) < 0 else place.above
        found = index if remapped is None else self._point.value(remapped)
        return None if found is None else int(found)

    def _reads(self, roots: Sequence[Term]) -> Iterator[CellRead]:
        """Yield the cells below terms, except in branches that are not taken."""
        seen: set[Term] = set()
        pending = list(reversed(roots))
        while pending:
            term = pending.pop()
            if term in seen:
                continue
            seen.add(term)
            pending += reversed(self._needed_by(term))
            if isinstance(term, Read):
                cell = self._cell(term.slot, term.places)
                if cell is not None:
                    yield from (CellRead(slot, inner, term) for slot, inner in _told_apart(term.slot, cell))

    def _needed_by(self, term: Term) -> Sequence[Term]:
        """Return the terms below one that it is computed from here."""
        if isinstance(term, Read):
            return [each for place in term.places for each in self._needed_for(place)]
        if not isinstance(term, Apply) or not (term.operation in SHORT_CIRCUITING or term.operation == "pick"):
            return operands_of(term)
        first = self._point.value(term.operands[0])
        if first is None:
            return term.operands
        if term.operation in ("select", "pick"):
            return [term.operands[1 if first else 2]]
        is_decided = first is (term.operation == "||")  # of '=>', the second counts only if the first holds
        return [] if is_decided else [term.operands[1]]

    def _needed_for(self, place: IndexTerm) -> Sequence[Term]:
        return place.terms if self._point.value(place.index) is None else ()


def _told_apart(slot: Slot, cell: FlowCell) -> Iterator[tuple[Slot, FlowCell]]:
    """Yield a cell with its tensor. A slot of several tensors yields the cell of each tensor that may contain it."""
    if not slot.items:
        yield slot, cell
        return
    number = cell[0]
    for item in slot.items if number is None else (slot.items[number],):
        yield item, cell[1:]
