"""Sums of products, as matrix products (2.12).

The factors are arrays over the index space that don't vary along all of its axes; mostly they are views. Guarded
indices of a factor are in bounds of a copy of its tensor with zeros around, so that nothing is skipped: a product with
zero adds nothing as long as all other factors are finite.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import prod

import numpy as np
from msgspec import Struct

from snd_analysis.compose.formulas import AffineIndex, Analysis, Apply, Bounds, Formula, Read, Term, Write, subterms
from snd_runtime.lowering.arithmetic import Array
from snd_runtime.lowering.domains import Box
from snd_runtime.lowering.evaluation import ActivePoints, Evaluation
from snd_runtime.lowering.loops import Guard, axes_of_windows
from snd_runtime.lowering.memory import Memory
from snd_runtime.lowering.product import contract
from snd_runtime.lowering.reading import strided
from snd_runtime.lowering.writing import combine, target_view

# Copies of windows that stay in the cache cost less than half of those that don't (measured).
_MOST_COPIED = 1 << 20


class Padded(Struct, eq=False):
    """A read with guarded indices: its tensor with zeros around, and the indices there."""

    term: Read
    forms: tuple[AffineIndex, ...]
    before: tuple[int, ...]
    after: tuple[int, ...]
    array: Array | None = None

    @property
    def is_wider(self) -> bool:
        """Whether there are zeros around at all."""
        return any(self.before) or any(self.after)

    def elements(self, memory: Memory, box: Box) -> Array:
        """Return the elements over a box."""
        if self.array is None:
            array = memory.array(self.term.slot)
            widths = [*zip(self.before, self.after, strict=True)]
            if any(map(any, widths)):
                shape = [extent + sum(width) for extent, width in zip(array.shape, widths, strict=True)]
                memory.budget.allocate(f"a copy of '{self.term.slot.name}'", shape, array.itemsize, None)
                padded = np.zeros(shape, array.dtype)
                inner = tuple(
                    slice(width[0], width[0] + extent) for extent, width in zip(array.shape, widths, strict=True)
                )
                padded[inner] = array
                memory.budget.release(prod(shape), array.itemsize)
                array = padded
            self.array = array
        return strided(self.array, self.forms, box)


class Contraction(Struct, eq=False):
    """How a sum of products is computed: ``fixed`` axes are looped over, ``guards`` are those of the left side."""

    write: Write
    factors: tuple[Term | Padded, ...]
    reduced: tuple[int, ...]
    fixed: list[int]
    guards: list[Guard]
    most: int
    finite: bool | None = None

    def chunks(self, box: Box) -> Iterator[Box]:
        """Parts of a box such that no factor has too many elements in one."""
        varying = [self._axes(factor) for factor in self.factors]
        volumes = [prod(box.shape[axis] for axis in axes) for axes in varying]
        at = volumes.index(max(volumes))
        most = self.most
        if volumes[at] > 2 * self._stored(self.factors[at]):  # windows that overlap are copied one by one
            most = min(most, _MOST_COPIED)
        if volumes[at] <= most:
            yield box
            return
        # Only along the axes of the largest factor does cutting make it smaller.
        axes = varying[at]
        others = tuple((0, 1) if axis not in axes else box.ranges[axis] for axis in range(len(box.ranges)))
        for part in Box(others).chunks(most, self.reduced):
            yield Box(tuple(part.ranges[axis] if axis in axes else box.ranges[axis] for axis in range(len(box.ranges))))

    def _axes(self, factor: Term | Padded) -> frozenset[int]:
        return factor.term.axes if isinstance(factor, Padded) else factor.axes

    def _stored(self, factor: Term | Padded) -> int:
        """Return how many elements of a tensor a factor is made of."""
        read = factor.term if isinstance(factor, Padded) else factor
        return prod(extent or 1 for extent in read.slot.shape) if isinstance(read, Read) else 1 << 62

    def run(self, evaluation: Evaluation, box: Box) -> bool:
        """Add the products of a box to the results; false if that can't be done so."""
        memory = evaluation.memory
        target = target_view(evaluation.analysis, self.write, memory.array(self.write.slot), box)
        if target is None:
            return False
        scope = ActivePoints()
        arrays = [
            factor.elements(memory, box) if isinstance(factor, Padded) else evaluation.value(factor, scope)
            for factor in self.factors
        ]
        if evaluation.skipped is not None:
            return False
        dimensions = len(box.shape)
        wide = [array.reshape((1,) * (dimensions - array.ndim) + array.shape) for array in arrays]
        total = contract(wide, self.reduced, box.shape)
        if total is None or not self._is_unharmed(total, memory, arrays):
            return False
        combine(evaluation, target, total, "+=")
        return True

    def _is_unharmed(self, total: Array, memory: Memory, arrays: Sequence[Array]) -> bool:
        """Return whether zero times every other factor was zero: infinity would have left its mark in the sums."""
        if not any(isinstance(factor, Padded) and factor.is_wider for factor in self.factors):
            return True
        if total.dtype.kind != "f" or self.finite or bool(np.isfinite(total).all()):
            return True
        whole = [
            memory.array(factor.term.slot if isinstance(factor, Padded) else factor.slot)
            if isinstance(factor, Padded | Read)
            else array
            for factor, array in zip(self.factors, arrays, strict=True)
        ]
        padded = [isinstance(factor, Padded) for factor in self.factors]
        others = whole if sum(padded) > 1 else [each for each, is_it in zip(whole, padded, strict=True) if not is_it]
        finite = all(each.dtype.kind != "f" or bool(np.isfinite(each).all()) for each in others)
        if all(isinstance(factor, Padded | Read) for factor in self.factors):
            self.finite = finite
        return finite


def contraction_of(
    memory: Memory,
    analysis: Analysis,
    formula: Formula,
    write: Write,
    reduced: Sequence[int],
    fixed: Sequence[int],
) -> Contraction | None:
    """Return the accumulation of a write as a sum of products; None if it is none, or would not gain by it."""
    extents = analysis.extents
    if formula.operator != "+=" or formula.condition is not None or write.value.dtype not in ("int", "real"):
        return None
    summed = {axis for axis in reduced if extents[axis] > 1}
    terms = _factors(write.value)
    if len(terms) < 2 or not summed:
        return None
    factors = [_padded(memory, analysis, term) for term in terms]
    if any(factor is None for factor in factors) or any(_guarded_inside(term) for term in terms):
        return None
    guards = [
        Guard(analysis.affine(place.index), extent)  # type: ignore[arg-type]
        for place, extent in zip(write.places, write.slot.shape, strict=True)
        if place.bounds is Bounds.SKIPPED and extent is not None
    ]
    looped = axes_of_windows(extents, fixed, guards)
    if any(len(guard.free_axes(extents, frozenset(looped))) > 1 for guard in guards):
        return None
    known = tuple(factor for factor in factors if factor is not None)
    return Contraction(write, known, tuple(reduced), looped, guards, memory.budget.limits.contraction_elements)


def _factors(term: Term) -> list[Term]:
    if isinstance(term, Apply) and term.operation == "*":
        return [factor for operand in term.operands for factor in _factors(operand)]
    return [term]


def _guarded_inside(term: Term) -> bool:
    """Return whether an index that may be skipped occurs below a factor."""
    inner = (
        subterms(*(each for place in term.places for each in place.terms)) if isinstance(term, Read) else subterms(term)
    )
    return any(place.bounds is Bounds.SKIPPED for each in inner if isinstance(each, Read) for place in each.places)


def _padded(memory: Memory, analysis: Analysis, term: Term) -> Term | Padded | None:
    """Return a factor; None if it is guarded in a way that zeros around its tensor don't help."""
    if not isinstance(term, Read) or not any(place.bounds is Bounds.SKIPPED for place in term.places):
        return term
    forms = analysis.affine_places(term.places)
    if forms is None or term.slot.items or None in term.slot.shape:
        return None
    ranges: list[tuple[int, int]] = [(0, extent) for extent in analysis.extents]
    before, after, placed = [], [], []
    volume = size = 1
    for form, place, extent in zip(forms, term.places, term.slot.shape, strict=True):
        assert extent is not None
        low, high = form.over(ranges)
        if place.bounds is not Bounds.SKIPPED and (low < 0 or high >= extent):
            return None
        before.append(max(-low, 0))
        after.append(max(high - extent + 1, 0))
        placed.append(AffineIndex(form.constant + before[-1], form.factors))
        volume *= extent + before[-1] + after[-1]
        size *= extent
    if volume > 8 * size + 4096:
        return None
    return Padded(term, tuple(placed), tuple(before), tuple(after))
