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
from snd_runtime.lowering.limits import MOST_COPIED
from snd_runtime.lowering.loops import Guard, axes_of_windows
from snd_runtime.lowering.memory import Memory
from snd_runtime.lowering.product import contract
from snd_runtime.lowering.reading import Window
from snd_runtime.lowering.writing import combine

_FEW_VECTORS = 4


class Factor(Struct, frozen=True, eq=False):
    """A read at affine indices; guarded ones are within bounds of its tensor padded with zeros."""

    term: Read
    forms: tuple[AffineIndex, ...]
    before: tuple[int, ...]
    after: tuple[int, ...]

    @property
    def is_wider(self) -> bool:
        """Return whether the tensor is padded with zeros."""
        return any(self.before) or any(self.after)

    @property
    def extents(self) -> list[int]:
        """The extents of the tensor."""
        return [extent or 0 for extent in self.term.slot.shape]

    @property
    def shape(self) -> list[int]:
        """The extents of the tensor with zeros around."""
        return [sum(each) for each in zip(self.before, self.extents, self.after, strict=True)]

    def array(self, memory: Memory) -> Array:
        """Return the tensor, with zeros around."""
        array = memory.array(self.term.slot)
        if not self.is_wider:
            return array
        self.claim(memory)
        widths = [*zip(self.before, self.after, strict=True)]
        padded = np.zeros(self.shape, array.dtype)
        inner = tuple(slice(width[0], width[0] + extent) for extent, width in zip(array.shape, widths, strict=True))
        padded[inner] = array
        return padded

    def claim(self, memory: Memory) -> None:
        """Raise EvaluationFailed if there is not enough memory for a copy with zeros around."""
        shape, item_bytes = self.shape, memory.array(self.term.slot).itemsize
        memory.budget.allocate(f"a copy of '{self.term.slot.name}'", shape, item_bytes, None)
        memory.budget.release(prod(shape), item_bytes)


class IndexBlock(Struct, frozen=True, eq=False):
    """A part of the index space; ``target`` and ``factors`` say where it is in the tensors.

    There is no target if an index is out of bounds, and no window for terms that are more than a read.
    """

    box: Box
    target: Window | None
    factors: tuple[Window | None, ...]


class Contraction(Struct, eq=False):
    """The plan of a sum of products: a loop runs over ``fixed`` axes, ``guards`` belong to the left side."""

    write: Write
    forms: tuple[AffineIndex, ...]
    factors: tuple[Term | Factor, ...]
    reduced: tuple[int, ...]
    fixed: list[int]
    guards: list[Guard]

    def is_dense(self, extents: Sequence[int]) -> bool:
        """Return whether there are matrices to multiply, not a few vectors for each of many positions."""
        if len(self.factors) != 2:
            return True
        first, second = (self._axes(factor) for factor in self.factors)
        return min(prod(extents[axis] for axis in axes) for axes in (first - second, second - first)) > _FEW_VECTORS

    def chunks(self, box: Box, most: int) -> Iterator[IndexBlock]:
        """Yield parts of a box in which no factor has more than ``most`` elements."""
        for part in self._parts(box, most):
            windows = (Window(each.forms, part) if isinstance(each, Factor) else None for each in self.factors)
            target = Window(self.forms, part) if self.is_within(part) else None
            yield IndexBlock(part, target, tuple(windows))

    def is_within(self, box: Box) -> bool:
        """Return whether every point writes to an element that there is."""
        intervals = zip((form.over(box.ranges) for form in self.forms), self.write.slot.shape, strict=True)
        return all(extent is not None and low >= 0 and high < extent for (low, high), extent in intervals)

    def _parts(self, box: Box, most: int) -> Iterator[Box]:
        varying = [self._axes(factor) for factor in self.factors]
        volumes = [prod(box.shape[axis] for axis in axes) for axes in varying]
        at = volumes.index(max(volumes))
        if volumes[at] > 2 * self._stored(self.factors[at]):  # windows that overlap are copied one by one
            most = min(most, MOST_COPIED)
        if volumes[at] <= most:
            yield box
            return
        # Only along the axes of the largest factor does cutting make it smaller.
        axes = varying[at]
        others = tuple((0, 1) if axis not in axes else box.ranges[axis] for axis in range(len(box.ranges)))
        for part in Box(others).chunks(most, self.reduced):
            yield Box(tuple(part.ranges[axis] if axis in axes else box.ranges[axis] for axis in range(len(box.ranges))))

    def _axes(self, factor: Term | Factor) -> frozenset[int]:
        return factor.term.axes if isinstance(factor, Factor) else factor.axes

    def _stored(self, factor: Term | Factor) -> int:
        """Return how many elements of a tensor a factor is made of."""
        read = factor.term if isinstance(factor, Factor) else factor
        return prod(extent or 1 for extent in read.slot.shape) if isinstance(read, Read) else 1 << 62


class Summation:
    """One run of a contraction: the arrays of its factors, which its chunks share."""

    def __init__(self, contraction: Contraction, memory: Memory) -> None:
        self._contraction = contraction
        self._memory = memory
        self._arrays: dict[int, Array] = {}
        self._finite: bool | None = None

    def add(self, evaluation: Evaluation, chunk: IndexBlock) -> bool:
        """Add the products of a chunk to the results; false if that can't be done so."""
        how, box = self._contraction, chunk.box
        if chunk.target is None:
            return False
        scope = ActivePoints()
        arrays = [
            window.of(self._array(at)) if window is not None else evaluation.value(factor, scope)  # type: ignore[arg-type]
            for at, (factor, window) in enumerate(zip(how.factors, chunk.factors, strict=True))
        ]
        if evaluation.skipped is not None:
            return False
        dimensions = len(box.shape)
        wide = [array.reshape((1,) * (dimensions - array.ndim) + array.shape) for array in arrays]
        total = contract(wide, how.reduced, box.shape)
        if total is None or not self._is_unharmed(total, arrays):
            return False
        combine(evaluation, chunk.target.of(self._memory.array(how.write.slot)), total, "+=")
        return True

    def _array(self, at: int) -> Array:
        known = self._arrays.get(at)
        if known is None:
            factor = self._contraction.factors[at]
            assert isinstance(factor, Factor)
            known = self._arrays[at] = factor.array(self._memory)
        return known

    def _is_unharmed(self, total: Array, arrays: Sequence[Array]) -> bool:
        """Return whether zero times every other factor was zero: infinity would have left its mark in the sums."""
        factors = self._contraction.factors
        padded = [isinstance(factor, Factor) and factor.is_wider for factor in factors]
        if not any(padded) or total.dtype.kind != "f" or self._finite or bool(np.isfinite(total).all()):
            return True
        whole = [
            self._memory.array(factor.term.slot) if isinstance(factor, Factor) else array
            for factor, array in zip(factors, arrays, strict=True)
        ]
        others = whole if sum(padded) > 1 else [each for each, is_it in zip(whole, padded, strict=True) if not is_it]
        finite = all(each.dtype.kind != "f" or bool(np.isfinite(each).all()) for each in others)
        if all(isinstance(factor, Factor) for factor in factors):
            self._finite = finite
        return finite


def contraction_of(
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
    forms = analysis.affine_places(write.places)
    if forms is None:
        return None
    factors = [_factor(analysis, term) for term in terms]
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
    return Contraction(write, forms, known, tuple(reduced), looped, guards)


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


def _factor(analysis: Analysis, term: Term) -> Term | Factor | None:
    """Return a factor; None if it is guarded in a way that zeros around its tensor don't help."""
    if not isinstance(term, Read):
        return term
    is_guarded = any(place.bounds is Bounds.SKIPPED for place in term.places)
    forms = analysis.affine_places(term.places)
    if forms is None or term.slot.items or None in term.slot.shape:
        return None if is_guarded else term
    ranges: list[tuple[int, int]] = [(0, extent) for extent in analysis.extents]
    before, after, placed = [], [], []
    volume = size = 1
    for form, place, extent in zip(forms, term.places, term.slot.shape, strict=True):
        assert extent is not None
        low, high = form.over(ranges)
        if place.bounds is not Bounds.SKIPPED and (low < 0 or high >= extent):
            return None if is_guarded else term
        before.append(max(-low, 0))
        after.append(max(high - extent + 1, 0))
        placed.append(AffineIndex(form.constant + before[-1], form.factors))
        volume *= extent + before[-1] + after[-1]
        size *= extent
    if volume > 8 * size + 4096:
        return None
    return Factor(term, tuple(placed), tuple(before), tuple(after))
