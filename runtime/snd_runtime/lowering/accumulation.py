"""Formulas with ``+=``, ``*=``, ``&=``, ``|=``, ``<?=`` and ``>?=`` that read none of their writes."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from itertools import chain, islice
from math import prod
from typing import Any

import numpy as np

from snd_analysis.compose.formulas import Analysis, Bounds, Formula, Read, Write, unconditional
from snd_runtime.lowering.arithmetic import Array
from snd_runtime.lowering.compiled.accesses import Statement
from snd_runtime.lowering.compiled.calls import CompiledCall
from snd_runtime.lowering.compiled.kernels import Kernel
from snd_runtime.lowering.compiled.nests import kernel
from snd_runtime.lowering.contraction import Contraction, IndexBlock, Summation, contraction_of
from snd_runtime.lowering.domains import Box
from snd_runtime.lowering.evaluation import ActivePoints, Evaluation
from snd_runtime.lowering.limits import MOST_CHUNKS, MOST_ROUNDS
from snd_runtime.lowering.loops import (
    axes_of_short_reduction,
    axes_of_windows,
    axes_that_collide,
    boxes,
    guards_of,
)
from snd_runtime.lowering.matrices.products import MatrixProduct, matrix_product
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


class Accumulation:
    """A write of a formula with known extents. The analysis of the write serves all runs."""

    def __init__(self, analysis: Analysis, formula: Formula, write: Write) -> None:
        self._analysis = analysis
        self._formula = formula
        self._write = write
        self._kept: dict[int, list[IndexBlock]] = {}
        self._contraction: Contraction | None = None
        self._reduced: tuple[int, ...] | None = None
        """Axes that the target does not depend on; None if the write stores element by element."""
        self._fixed: list[int] = []
        extents = analysis.extents
        forms = analysis.affine_places(write.places)
        reads = [each for each in unconditional(write.value, *write.place_terms) if isinstance(each, Read)]
        places = (*write.places, *(place for read in reads for place in read.places))
        self._is_guarded = any(place.bounds is Bounds.SKIPPED for place in places)
        self._guards = guards_of(analysis, write, () if formula.condition is None else (formula.condition,))
        if forms is None:
            return
        written = {axis for form in forms for axis in form.factors}
        reduced = tuple(axis for axis in range(len(extents)) if axis not in written)
        fixed = axes_that_collide(extents, forms)
        contraction = contraction_of(analysis, formula, write, reduced, fixed)
        if contraction is None:
            fixed = axes_of_windows(extents, fixed, self._guards)
            fixed = axes_of_short_reduction(extents, fixed, reduced)
        else:
            fixed = contraction.fixed
        if prod(extents[axis] for axis in fixed) > max(MOST_ROUNDS, prod(extents) // 64):
            # Too few points at a time: element by element then, but all at once.
            if contraction is not None:
                self._guards = contraction.guards
            return
        self._reduced, self._fixed, self._contraction = reduced, sorted(fixed), contraction

    def run(self, memory: Memory) -> None:
        """Accumulate every element with the values of all points that write it."""
        if memory.compiles and self._is_compiled(memory):
            return
        if self._contraction is not None:
            self._contract(memory, self._contraction)
            return
        for box in boxes(self._analysis.extents, self._fixed, self._guards):
            for part in box.chunks(memory.budget.limits.chunk_elements, self._reduced or ()):
                memory.budget.check_time(self._formula.source)
                self._add(Evaluation(memory, self._analysis, self._formula, part), part)

    def _is_compiled(self, memory: Memory) -> bool:
        """Return whether compiled loops have done it."""
        if self._product is not None:
            return self._product.run(memory)
        loops = self._kernel
        return loops is not None and loops.run([*map(memory.array, loops.tensors)], memory.dtypes["real"])

    @property
    def can_begin(self) -> bool:
        """Return whether calls need no zeros to add to."""
        return self._product is not None and self._product.is_whole

    def calls(self, real: np.dtype[Any], *, begins: bool = False) -> list[CompiledCall] | None:
        """Return the calls that accumulate every element of contiguous tensors; None if they can't all be compiled."""
        if self._product is not None:
            return self._product.calls(real, begins=begins)
        call = None if self._kernel is None else self._kernel.call(real)
        return None if call is None else [call]

    @cached_property
    def _kernel(self) -> Kernel | None:
        """The accumulation as compiled loops, which are faster than NumPy; None if they can't express it."""
        how = self._contraction
        if self._formula.condition is not None or (how is not None and how.is_dense(self._analysis.extents)):
            return None
        return kernel([Statement(self._write, self._formula.operator, self._analysis, lambda slot: slot)])

    @cached_property
    def _product(self) -> MatrixProduct | None:
        """Products of matrices that are faster, once they are compiled."""
        return None if self._contraction is None else matrix_product(self._contraction, self._analysis.extents)

    def _contract(self, memory: Memory, contraction: Contraction) -> None:
        summation = Summation(contraction, memory)
        for chunk in self._chunks(contraction, memory.budget.limits.contraction_elements):
            memory.budget.check_time(self._formula.source)
            evaluation = Evaluation(memory, self._analysis, self._formula, chunk.box)
            if not summation.add(evaluation, chunk):
                self._add(Evaluation(memory, self._analysis, self._formula, chunk.box), chunk.box)

    def _chunks(self, contraction: Contraction, most: int) -> Iterable[IndexBlock]:
        known = self._kept.get(most)
        if known is not None:
            return known
        whole = boxes(self._analysis.extents, self._fixed, contraction.guards)
        found = (chunk for box in whole for chunk in contraction.chunks(box, most))
        first = [*islice(found, MOST_CHUNKS)]
        if len(first) == MOST_CHUNKS:
            return chain(first, found)
        return self._kept.setdefault(most, first)

    def _add(self, evaluation: Evaluation, part: Box) -> None:
        scope = condition_scope(evaluation)
        if self._is_guarded:
            scope = target_scope(evaluation, self._write, scope)
        _accumulate_chunk(evaluation, self._write, scope, part, self._reduced)


def _accumulate_chunk(
    evaluation: Evaluation, write: Write, scope: ActivePoints, chunk: Box, reduced: tuple[int, ...] | None
) -> None:
    """Accumulate a part of the index space, at the points of ``scope``.

    ``reduced`` are the axes that the target does not depend on; None if the write stores element by element.
    """
    operator = evaluation.formula.operator
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
