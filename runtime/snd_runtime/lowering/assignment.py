"""Formulas with ``=``, and with ``:=`` that read none of their writes."""

from __future__ import annotations

import numpy as np

from snd_analysis.compose.formulas import Analysis, Formula, Write, colliding_axes
from snd_runtime.lowering.domains import Box
from snd_runtime.lowering.evaluation import Evaluation
from snd_runtime.lowering.loops import boxes, guards_of
from snd_runtime.lowering.memory import Memory
from snd_runtime.lowering.writing import condition_scope, store, target_scope, target_view, without_skipped


def assign(memory: Memory, analysis: Analysis, formula: Formula) -> None:
    """Store in every element the value of the last point that writes it."""
    for write in formula.writes:
        _assign(memory, analysis, formula, write)


def _assign(memory: Memory, analysis: Analysis, formula: Formula, write: Write) -> None:
    extents = analysis.extents
    forms = analysis.affine_places(write.places)
    lengths = {axis: extent for axis, extent in enumerate(extents) if extent > 1}
    distinct = forms is not None and not colliding_axes(forms, lengths)
    guards = guards_of(analysis, write, () if formula.condition is None else (formula.condition,))
    for box in boxes(extents, (), guards):
        for chunk in box.chunks(memory.budget.limits.chunk_elements):
            memory.budget.check_time(formula.source)
            _assign_chunk(Evaluation(memory, analysis, formula, chunk), write, chunk, distinct)


def _assign_chunk(evaluation: Evaluation, write: Write, chunk: Box, distinct: bool) -> None:
    scope = target_scope(evaluation, write, condition_scope(evaluation))
    if scope.is_empty:
        return
    array = evaluation.memory.array(write.slot)
    view = target_view(evaluation.analysis, write, array, chunk) if distinct else None
    if view is None:
        store(evaluation, write, scope, "=")
        return
    value = evaluation.value(write.value, scope)
    scope = without_skipped(evaluation, scope)
    if scope.active is None:
        view[...] = value
    else:
        np.copyto(view, value, where=scope.active)
