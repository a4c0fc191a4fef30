"""Formulas with ``+=``, ``*=``, ``&=``, ``|=``, ``<?=`` and ``>?=`` that read nothing of what they write."""

from __future__ import annotations

from math import prod

import numpy as np

from snd_analysis.compose.formulas import Analysis, Formula, Write
from snd_runtime.lowering.arithmetic import Array
from snd_runtime.lowering.contraction import contraction_of
from snd_runtime.lowering.domains import Box
from snd_runtime.lowering.evaluation import ActivePoints, Evaluation
from snd_runtime.lowering.loops import (
    MOST_ROUNDS,
    axes_of_short_reduction,
    axes_of_windows,
    axes_that_collide,
    boxes,
    guards_of,
)
from snd_runtime.lowering.memory import Memory
from snd_runtime.lowering.writing import (
    IDEMPOTENT,
    combine,
    condition_scope,
    identity,
    reduce_axes,
    store,
    target_scope,
    target_view,
    without_skipped,
)


def accumulate(memory: Memory, analysis: Analysis, formula: Formula) -> None:
    """Every element is accumulated with the values of all points that write it."""
    for write in formula.writes:
        _accumulate(memory, analysis, formula, write)


def _accumulate(memory: Memory, analysis: Analysis, formula: Formula, write: Write) -> None:
    extents, limits = analysis.extents, memory.budget.limits
    forms = analysis.affine_places(write.places)
    condition = () if formula.condition is None else (formula.condition,)
    guards = guards_of(analysis, write, condition)
    contraction = None
    reduced: tuple[int, ...] = ()
    fixed: list[int] = []
    if forms is not None:
        written = {axis for form in forms for axis in form.factors}
        reduced = tuple(axis for axis in range(len(extents)) if axis not in written)
        fixed = axes_that_collide(extents, forms)
        contraction = contraction_of(memory, analysis, formula, write, reduced, fixed)
        if contraction is not None:
            fixed, guards = contraction.fixed, contraction.guards
        else:
            fixed = axes_of_windows(extents, fixed, guards)
            fixed = axes_of_short_reduction(extents, fixed, reduced)
        if prod(extents[axis] for axis in fixed) > max(MOST_ROUNDS, prod(extents) // 64):
            # Too few points at a time: element by element then, but all at once.
            forms, fixed, contraction = None, [], None
    most = limits.chunk_elements
    for box in boxes(extents, sorted(fixed), guards):
        parts = box.chunks(most, reduced) if contraction is None else contraction.chunks(box)
        for chunk in parts:
            memory.budget.check_time(formula.source)
            evaluation = Evaluation(memory, analysis, formula, chunk)
            if contraction is not None and contraction.run(evaluation, chunk):
                continue
            _accumulate_chunk(evaluation, write, chunk, reduced if forms is not None else None)


def _accumulate_chunk(evaluation: Evaluation, write: Write, chunk: Box, reduced: tuple[int, ...] | None) -> None:
    """``reduced`` are the axes that the target doesn't depend on; None if it is to be stored element by element."""
    operator = evaluation.formula.operator
    scope = target_scope(evaluation, write, condition_scope(evaluation))
    if scope.is_empty:
        return
    array = evaluation.memory.array(write.slot)
    view = None if reduced is None else target_view(evaluation.analysis, write, array, chunk)
    if view is None or reduced is None:
        store(evaluation, write, scope, operator)
        return
    values = evaluation.value(write.value, scope)
    scope = without_skipped(evaluation, scope)
    values = _masked(values, scope, operator)
    axes = tuple(axis for axis in reduced if chunk.shape[axis] > 1)
    if operator not in IDEMPOTENT:
        wide = tuple(chunk.shape[axis] if axis in axes else 1 for axis in range(len(chunk.shape)))
        values = np.broadcast_to(values, np.broadcast_shapes(values.shape, wide))
    elif values.ndim < len(chunk.shape):
        values = values.reshape((1,) * (len(chunk.shape) - values.ndim) + values.shape)
    combine(evaluation, view, reduce_axes(evaluation, values, axes, operator), operator)


def _masked(values: Array, scope: ActivePoints, operator: str) -> Array:
    """Return values that change nothing where the scope isn't active."""
    if scope.active is None:
        return values
    return np.where(scope.active, values, identity(operator, values.dtype))
