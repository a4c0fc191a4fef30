"""Steps around compiled formulas: initial values, zeros around a tensor with their checks, packs."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from functools import cache
from itertools import accumulate
from math import prod
from operator import mul
from typing import Any

import numpy as np
from msgspec import Struct

from snd_runtime.lowering.arithmetic import Array
from snd_runtime.lowering.compiled.calls import CompiledCall, called, elements, helper, inlined


class TensorPart(Struct, frozen=True):
    """A tensor that is a part of another one: ``size`` bytes, from byte ``start`` on."""

    tensor: Hashable
    start: int
    size: int

    def onto(self, whole: Hashable) -> CompiledCall:
        """Return a call that copies the tensor to its place in the whole."""
        return called((_copying,), (self.tensor, whole), (0, self.start, self.size))

    def out_of(self, whole: Hashable) -> CompiledCall:
        """Return a call that copies the part of the whole to the tensor."""
        return called((_copying,), (whole, self.tensor), (self.start, 0, self.size))


def filling(tensor: Hashable, size: int, value: Array) -> CompiledCall:
    """Return a call that sets all elements of a tensor of a size to the only element of an array."""
    return called((_filling, value.dtype.name), (tensor,), (value, size))


def padding(
    tensor: Hashable,
    wider: Hashable,
    extents: Sequence[int],
    before: Sequence[int],
    after: Sequence[int],
    real: np.dtype[Any],
) -> CompiledCall:
    """Return a call that copies a tensor of reals into a wider one, with zeros around it along each dimension."""
    # Neighbours without zeros around the second one are walked through as one.
    merged: list[list[int]] = []
    for extent, first, last in zip(extents, before, after, strict=True):
        if merged and not first and not last:
            merged[-1] = [each * extent for each in merged[-1]]
        else:
            merged.append([extent, first, last])
    shapes = [each[0] for each in merged], [sum(each) for each in merged]
    inner, outer = ([*accumulate(reversed(shape[1:]), mul, initial=1)][::-1] for shape in shapes)
    tables = [np.array(each, np.int64) for each in (shapes[0], inner, outer, [each[1] for each in merged])]
    return called((_padding, real.str), (tensor, wider), (*tables, prod(shapes[1])))


def one_is_finite(tensors: Sequence[tuple[Hashable, int]], real: np.dtype[Any]) -> CompiledCall:
    """Return a call that fails unless all elements of one of two tensors, with these sizes, are finite."""
    places, sizes = zip(*tensors, strict=True)
    return called((_one_is_finite, real.str), places, sizes, is_check=True)


@cache
def _copying() -> Callable[..., None]:
    items = elements("uint8")

    @inlined
    def kernel(of: int, to: int, of_start: int, to_start: int, size: int) -> None:
        source, target = items(of + of_start, size), items(to + to_start, size)
        for at in range(size):
            target[at] = source[at]

    compiled: Callable[..., None] = kernel
    return compiled


@cache
def _filling(dtype: str) -> Callable[..., None]:
    items = elements(dtype)

    @inlined
    def kernel(tensor: int, values: Any, size: int) -> None:
        items(tensor, size)[:] = values[0]

    compiled: Callable[..., None] = kernel
    return compiled


@cache
def _padding(dtype: str) -> Callable[..., None]:
    reals = elements(np.dtype(dtype).name)

    @inlined
    def kernel(of: int, to: int, extents: Any, inner: Any, outer: Any, before: Any, size: int) -> None:
        source, target = reals(of, size), reals(to, size)
        rank, done = len(extents), 0
        row, rows = extents[rank - 1], 1
        for axis in range(rank - 1):
            rows *= extents[axis]
        position = np.zeros(rank, np.int64)
        at = before[rank - 1]
        for axis in range(rank - 1):
            at += before[axis] * outer[axis]
        for number in range(rows):
            target[done:at] = 0
            wide, narrow, done = target[at:], source[number * row :], at + row
            for each in range(row):  # a loop that counts from 0 uses vectors
                wide[each] = narrow[each]
            axis = rank - 2
            while axis >= 0:
                position[axis] += 1
                at += outer[axis]
                if position[axis] < extents[axis]:
                    break
                at -= extents[axis] * outer[axis]
                position[axis] = 0
                axis -= 1
        target[done:] = 0

    compiled: Callable[..., None] = kernel
    return compiled


@cache
def _one_is_finite(dtype: str) -> Callable[..., bool]:
    real = np.dtype(dtype)
    whole = np.dtype(f"i{real.itemsize}")
    integers, infinity = elements(whole.name), np.array(np.inf, real).view(whole)[()]

    @helper
    def is_finite(tensor: int, size: int) -> Any:
        bits, count = integers(tensor, size), 0
        for at in range(size):  # NaN and infinity have the greatest exponent
            count += (bits[at] & infinity) == infinity
        return count == 0

    @inlined
    def kernel(first: int, second: int, first_size: int, second_size: int) -> Any:
        return is_finite(first, first_size) or is_finite(second, second_size)

    compiled: Callable[..., bool] = kernel
    return compiled
