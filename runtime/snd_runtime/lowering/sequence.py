"""Formulas that read their own writes: in the order of their loops, as far as that matters (2.12).

Points that differ along an axis whose position alone chooses the part of the output that is read and written can't
influence each other: over these axes everything is computed at once. Along the others, where most conditions don't
hold, the next point at which one does is searched for many at a time.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import prod

import numpy as np

from snd_analysis.compose.formulas import AffineIndex, Analysis, Formula, IndexTerm, Slot, colliding_axes
from snd_runtime.errors import EvaluationFailed
from snd_runtime.lowering.domains import Box, Points, points_in_order
from snd_runtime.lowering.evaluation import Evaluation
from snd_runtime.lowering.memory import Memory
from snd_runtime.lowering.writing import condition_scope, store, target_scope

_FEW_LANES = 16
_FIRST_SEARCH = 64


def run_in_order(memory: Memory, analysis: Analysis, formula: Formula) -> None:
    """Execute a formula point by point, or with the same result."""
    extents = analysis.extents
    parallel = parallel_axes(analysis, formula)
    sequential = [axis for axis in range(len(extents)) if axis not in parallel and extents[axis] > 1]
    lanes = prod(extents[axis] for axis in parallel)
    steps = prod(extents[axis] for axis in sequential)
    if formula.condition is not None and lanes <= _FEW_LANES and steps > 4 * _FIRST_SEARCH:
        for lane in points_in_order([extents[axis] for axis in parallel]):
            _search(memory, analysis, formula, sequential, dict(zip(parallel, lane, strict=True)))
        return
    for positions in points_in_order([extents[axis] for axis in sequential]):
        ranges = [(0, extent) for extent in extents]
        for axis, position in zip(sequential, positions, strict=True):
            ranges[axis] = (position, position + 1)
        for chunk in Box(tuple(ranges)).chunks(memory.budget.limits.chunk_elements):
            memory.budget.check_time(formula.source)
            _step(Evaluation(memory, analysis, formula, chunk))


def _step(evaluation: Evaluation) -> None:
    """Execute all points of a domain at once: none influences another, so all reads come before all writes."""
    formula = evaluation.formula
    condition = condition_scope(evaluation)
    if condition.is_empty:
        return
    found = []
    for write in formula.writes:
        scope = target_scope(evaluation, write, condition)
        value = evaluation.value(write.value, scope)
        found.append((write, scope, np.array(value)))
    if any(scope.active is not None for _, scope, _ in found) and len(found) > 1:
        # One assignment of a pack: a skip of one item skips all.
        masks = [np.asarray(True) if scope.active is None else scope.active for _, scope, _ in found]
        whole = np.logical_and.reduce(np.broadcast_arrays(*masks))
        found = [(write, scope.narrowed(whole), value) for write, scope, value in found]
    for write, scope, value in found:
        store(evaluation, write, scope, formula.operator, value)


def _search(memory: Memory, analysis: Analysis, formula: Formula, sequential: list[int], lane: dict[int, int]) -> None:
    """Search one lane: nothing changes until the next point at which the condition holds."""
    extents = analysis.extents
    shape = tuple(extents[axis] for axis in sequential)
    end = prod(shape)
    start, length = 0, _FIRST_SEARCH
    while start < end:
        memory.budget.check_time(formula.source)
        stop = min(start + length, end)
        hit = _first(memory, analysis, formula, _points(extents, sequential, shape, lane, start, stop))
        if hit is None:
            start, length = stop, min(2 * length, memory.budget.limits.chunk_elements)
            continue
        points = _points(extents, sequential, shape, lane, start + hit, start + hit + 1)
        _step(Evaluation(memory, analysis, formula, points))
        start, length = start + hit + 1, max(length // 2, _FIRST_SEARCH)


def _first(memory: Memory, analysis: Analysis, formula: Formula, points: Points) -> int | None:
    """Return the first point at which the condition holds."""
    try:
        scope = condition_scope(Evaluation(memory, analysis, formula, points))
    except EvaluationFailed:
        # It may hold before the point that fails, and then that need not fail: one at a time then.
        if points.size == 1:
            raise
        half = points.size // 2
        first = Points(tuple(vector[:half] for vector in points.vectors), half)
        found = _first(memory, analysis, formula, first)
        if found is not None:
            return found
        rest = Points(tuple(vector[half:] for vector in points.vectors), points.size - half)
        found = _first(memory, analysis, formula, rest)
        return None if found is None else found + half
    if scope.active is None:
        return 0
    active = np.broadcast_to(scope.active, points.shape)
    return int(np.argmax(active)) if active.any() else None


def _points(
    extents: tuple[int, ...], sequential: list[int], shape: tuple[int, ...], lane: dict[int, int], start: int, stop: int
) -> Points:
    along = np.unravel_index(np.arange(start, stop), shape) if shape else ()
    found = dict(zip(sequential, along, strict=True))
    vectors = tuple(
        np.asarray(found[axis], np.int64) if axis in found else np.full(stop - start, lane.get(axis, 0), np.int64)
        for axis in range(len(extents))
    )
    return Points(vectors, stop - start)


# ---- dependence ------------------------------------------------------------------------------------------------------
def parallel_axes(analysis: Analysis, formula: Formula) -> list[int]:
    """Return the axes along which every position reads and writes its own part of every output."""
    extents = analysis.extents
    candidates = {axis for axis, extent in enumerate(extents) if extent > 1}
    private = [_private_forms(analysis, accesses) for accesses in _accesses(formula)]
    changed = True
    while changed and candidates:
        before = set(candidates)
        for forms in private:
            usable = [form for form in forms if {axis for axis in form.factors if extents[axis] > 1} <= candidates]
            used = {axis for form in usable for axis in form.factors if extents[axis] > 1}
            candidates &= used
            candidates -= colliding_axes(usable, {axis: extents[axis] for axis in used})
        changed = candidates != before
    return sorted(candidates)


def _accesses(formula: Formula) -> Iterator[list[tuple[IndexTerm, ...]]]:
    """For each output, the places at which it is accessed."""
    found: dict[Slot, list[tuple[IndexTerm, ...]]] = {}
    for write in formula.writes:
        found.setdefault(write.slot, []).append(write.places)
    reads = [*formula.own_reads()]
    if any(read.slot not in found for read in reads):
        # The items of a pack are accessed one by one and as one, too.
        yield [()]
    for read in reads:
        found.setdefault(read.slot, []).append(read.places)
    yield from found.values()


def _private_forms(analysis: Analysis, accesses: list[tuple[IndexTerm, ...]]) -> list[AffineIndex]:
    """Return the indices that are the same, and affine, wherever an output is accessed."""
    forms = []
    for places in zip(*accesses, strict=True):
        form = analysis.affine(places[0].index)
        if form is not None and all(place.index is places[0].index and place.below is None for place in places):
            forms.append(form)
    return forms
