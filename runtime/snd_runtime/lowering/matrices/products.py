"""Sums of products of two tensors as compiled products of matrices, found by affine indices."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from math import prod
from typing import Any, TypeAlias

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from snd_analysis.compose.formulas import AffineIndex, colliding_axes
from snd_runtime.lowering.arithmetic import Array
from snd_runtime.lowering.compiled.calls import CompiledCall, Scratch, run_calls
from snd_runtime.lowering.compiled.kernels import has_compiler, is_worth_compiling
from snd_runtime.lowering.compiled.padding import one_is_finite, padding
from snd_runtime.lowering.contraction import Contraction, Factor
from snd_runtime.lowering.domains import Box
from snd_runtime.lowering.limits import MOST_OFFSETS, MOST_PARTS, MOST_PRODUCTS, MOST_SUMMED, MOST_VECTORS
from snd_runtime.lowering.loops import boxes
from snd_runtime.lowering.matrices.depthwise import SingleRows, are_dense
from snd_runtime.lowering.matrices.gemm import Multiplication, Offsets
from snd_runtime.lowering.matrices.gemv import FewVectors
from snd_runtime.lowering.matrices.images import images_of
from snd_runtime.lowering.memory import Memory

_LEAST_SUMMED = 64
"""Products with a few vectors are worth it if the sums are as long as several registers."""
_SAMPLE = 16
"""Number of offsets that are sampled to decide whether most are contiguous."""
_AS_LONG_AS_A_POINT = 1 << 13
"""Number of products that NumPy computes in the time of one point of other formulas, if there are many rows."""

Axes: TypeAlias = Sequence[int]


class MatrixProduct:
    """A contraction of two factors as products of matrices, added one after the other."""

    def __init__(self, how: Contraction, parts: Sequence[_Part]) -> None:
        self._slot = how.write.slot
        self._factors = [factor for factor in how.factors if isinstance(factor, Factor)]
        self._parts = parts
        self._points = sum(part.points for part in parts)
        self._kinds = "".join(sorted({part.matrices.kind.__name__ for part in parts}))

    def run(self, memory: Memory) -> bool:
        """Add the products to the result; false if NumPy has to, since they can't be added so."""
        real, result = memory.dtypes["real"], memory.array(self._slot)
        if not result.flags.c_contiguous:
            return False
        if not is_worth_compiling(f"{self._kinds} of {real.char}", self._points):
            return False
        wider = [each for each in self._factors if each.is_wider]
        for each in wider:
            each.claim(memory)
        before = result.copy() if wider else result
        arrays: dict[Hashable, Array] = {self._slot: result}
        arrays |= {each.term.slot: memory.array(each.term.slot).astype(real, copy=False) for each in self._factors}
        if run_calls(self.calls(real), arrays):
            return True
        result[...] = before
        return False

    @property
    def is_whole(self) -> bool:
        """Return whether the product computes every element of the result."""
        size = prod(extent or 0 for extent in self._slot.shape)
        return len(self._parts) == 1 and self._parts[0].matrices.results == size

    def calls(self, real: np.dtype[Any], *, begins: bool = False) -> list[CompiledCall]:
        """Return the calls that add the products, or begin with them, on tensors with reals of this type."""
        calls: list[CompiledCall] = []
        padded: dict[Factor, Hashable] = {}

        def placed(factor: Factor) -> Hashable:
            """Return where a factor is, with the zeros around it that the first calls put there."""
            slot = factor.term.slot
            if not factor.is_wider:
                return slot
            if factor not in padded:
                padded[factor] = wider = Scratch(prod(factor.shape) * real.itemsize)
                calls.append(padding(slot, wider, factor.extents, factor.before, factor.after, real))
            return padded[factor]

        for part in self._parts:
            a, b = part.factors
            left, right = placed(a), placed(b) if part.images is None else b.term.slot
            call = part.multiplication(real.itemsize).call(left, right, self._slot, real, begins)
            calls.append(replace(call, points=part.points))
        if any(each.is_wider for each in self._factors):
            calls.append(self._check(real))
        return calls

    def _check(self, real: np.dtype[Any]) -> CompiledCall:
        """Return the check that fails if zeros around one tensor may have met an infinity in the other one."""
        result = self._slot, prod(extent or 0 for extent in self._slot.shape)
        others = [(each.term.slot, prod(each.extents)) for each in self._factors if not each.is_wider] or [result]
        return one_is_finite(sorted([result, *others], key=lambda each: each[1])[:2], real)


def matrix_product(how: Contraction, extents: Sequence[int]) -> MatrixProduct | None:
    """Return a contraction over axes of these extents as products of matrices; None if it is none, or no compiler."""
    slot = how.write.slot
    factors = [factor for factor in how.factors if isinstance(factor, Factor)]
    if len(factors) != 2 or len(how.factors) != 2 or slot.items or not has_compiler():
        return None
    if {slot.dtype, *(factor.term.slot.dtype for factor in factors)} != {"real"} or prod(extents) > MOST_PRODUCTS:
        return None
    if prod(extents[axis] for axis in how.fixed) > MOST_PARTS:
        return None
    whole = Box(tuple((0, extent) for extent in extents))
    lengths = {axis: extent for axis, extent in enumerate(extents) if extent > 1 and axis not in how.reduced}
    if how.is_within(whole) and not colliding_axes(how.forms, lengths):
        cut = [whole]
    else:
        cut = [*boxes(extents, how.fixed, how.guards)]
    parts = [_part(how, factors, box) for box in cut if how.is_within(box)]
    found = [part for part in parts if part is not None]
    return MatrixProduct(how, found) if found and len(found) == len(cut) else None


class _Part:
    """The products of a part of the index space."""

    def __init__(self, factors: tuple[Factor, Factor], matrices: _Matrices, products: int) -> None:
        self.factors = factors
        self.matrices = matrices
        self.points = products if matrices.kind is SingleRows else products // _AS_LONG_AS_A_POINT
        b, placed = factors[1], matrices.offsets[1]
        self.images = images_of(b.extents, b.before, b.after, placed) if matrices.kind is SingleRows else None
        self._multiplications: dict[int, Multiplication | FewVectors | SingleRows] = {}

    def multiplication(self, item_bytes: int) -> Multiplication | FewVectors | SingleRows:
        """Return the multiplication of the matrices, for elements of ``item_bytes``."""
        known = self._multiplications.get(item_bytes)
        if known is None:
            kind, offsets = self.matrices.kind, self.matrices.offsets
            known = SingleRows(*offsets, item_bytes, self.images) if kind is SingleRows else kind(*offsets, item_bytes)
            self._multiplications[item_bytes] = known
        return known


def _part(how: Contraction, factors: Sequence[Factor], box: Box) -> _Part | None:
    target = _placed(how.forms, [extent or 0 for extent in how.write.slot.shape], box)
    first, second = (_placed(factor.forms, factor.shape, box) for factor in factors)
    found = [
        (matrices.cost, pair, matrices)
        for pair, matrices in (
            ((factors[0], factors[1]), _matrices(first, second, target, how.reduced, box.shape)),
            ((factors[1], factors[0]), _matrices(second, first, target, how.reduced, box.shape)),
        )
        if matrices is not None
    ]
    if not found:
        return None
    _, pair, matrices = min(found, key=lambda each: each[0])
    return _Part(pair, matrices, box.size)


class _Placed(Struct, frozen=True):
    """Offsets of the elements of a tensor: offset of the first point, and the step along each axis."""

    start: int
    steps: Mapping[int, int]

    def offsets(self, axes: Axes, extents: Sequence[int]) -> Array:
        """Return the offsets of all positions along axes, the last one the fastest."""
        found = np.zeros(1, np.int64)
        for axis in axes:
            found = np.add.outer(found, self.steps.get(axis, 0) * np.arange(extents[axis])).reshape(-1)
        return found


def _placed(forms: Sequence[AffineIndex], shape: Sequence[int], box: Box) -> _Placed:
    start, steps, stride = 0, dict[int, int](), 1
    for form, extent in zip(reversed(forms), reversed(shape), strict=True):
        start += form.at([low for low, _ in box.ranges]) * stride
        for axis, factor in form.factors.items():
            if box.shape[axis] > 1:
                steps[axis] = steps.get(axis, 0) + factor * stride
        stride *= extent
    return _Placed(start, {axis: step for axis, step in steps.items() if step})


class _Matrices(Struct, frozen=True):
    kind: type[Multiplication | FewVectors | SingleRows]
    """The algorithm that multiplies the matrices."""
    cost: float
    """Estimated time of the multiplication, in products."""
    offsets: tuple[Offsets, Offsets, Offsets]

    @property
    def results(self) -> int:
        """Return the number of sums."""
        to = self.offsets[2]
        return len(to.starts) * len(to.rows) * len(to.columns)


def _matrices(a: _Placed, b: _Placed, c: _Placed, reduced: Sequence[int], extents: Sequence[int]) -> _Matrices | None:
    """Return the offsets of the matrices whose rows ``a`` has, and whose columns ``b``; None if there are none."""
    axes = [axis for axis, extent in enumerate(extents) if extent > 1]
    both = a.steps.keys() & b.steps.keys()
    inner = sorted((axis for axis in axes if axis in reduced), key=lambda axis: -abs(a.steps.get(axis, 0)))
    free = sorted((axis for axis in axes if axis not in reduced), key=lambda axis: -c.steps.get(axis, 0))
    if not both.issuperset(inner) or not {*a.steps, *b.steps} >= {*free} or {*c.steps} != {*free}:
        return None
    batch = [axis for axis in free if axis in both]
    rows = [axis for axis in free if axis in a.steps and axis not in both]
    columns = [axis for axis in free if axis in b.steps and axis not in both]
    if max(prod(extents[axis] for axis in each) for each in (batch, rows, columns, inner)) > MOST_OFFSETS:
        return None

    def offsets(of: _Placed, first: Axes, second: Axes) -> Offsets:
        starts = of.start + of.offsets(batch, extents)
        return Offsets(starts, of.offsets(first, extents), of.offsets(second, extents))

    found = offsets(a, rows, inner), offsets(b, inner, columns), offsets(c, rows, columns)
    if len(found[2].columns) <= MOST_VECTORS:
        is_long = len(found[0].columns) >= _LEAST_SUMMED and _is_row(found[0].columns) and _is_row(found[1].rows)
        return _Matrices(FewVectors, 0.0, found) if is_long and len(found[2].rows) > MOST_VECTORS else None
    if len(found[2].rows) <= MOST_VECTORS:
        is_short = len(found[0].columns) <= MOST_SUMMED and are_dense(found[1].columns)
        return _Matrices(SingleRows, 0.0, found) if is_short else None
    # In nanoseconds, as measured on one machine: only their relation matters.
    height, width, length = (prod(extents[axis] for axis in each) for each in (rows, columns, inner))
    left, right, target = found
    are_rows = [_is_row(each[:_SAMPLE]) for each in (left.columns, right.columns, right.rows, target.columns)]
    cost = 0.0085 * (height + -height % 4) * (width + -width % 16) * length
    cost += (0.05 if are_rows[0] else 0.3) * height * length * (1 + width // 512)
    cost += (0.06 if are_rows[1] else 0.08 if are_rows[2] else 0.3) * width * length
    cost += (0.05 if are_rows[3] else 1.0) * height * width * (1 + length // 256)
    return _Matrices(Multiplication, cost, found)


def _is_row(offsets: Array) -> bool:
    return bool(np.all(np.diff(offsets) == 1))
