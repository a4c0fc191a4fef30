"""What stands around compiled formulas: values to begin with, zeros around a tensor and doubts about those, packs."""

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
from snd_runtime.lowering.calls import Call, called, elements


class Piece(Struct, frozen=True):
    """A tensor that is a part of another one: so many bytes, from one of them on."""

    tensor: Hashable
    start: int
    size: int

    def onto(self, whole: Hashable) -> Call:
        """Return what copies the tensor to its place in the whole."""
        return called(_copying(), (self.tensor, whole), (0, self.start, self.size))

    def out_of(self, whole: Hashable) -> Call:
        """Return what copies the part of the whole to the tensor."""
        return called(_copying(), (whole, self.tensor), (self.start, 0, self.size))


def filling(tensor: Hashable, size: int, value: Array) -> Call:
    """Return what gives all elements of a tensor, which has so many, the only one of an array."""
    return called(_filling(value.dtype.name), (tensor,), (value, size))


class Wider(Struct, frozen=True):
    """A tensor with zeros around; neighbouring dimensions without zeros between are taken as one."""

    extents: tuple[int, ...]
    before: tuple[int, ...]
    shape: tuple[int, ...]
    """The extents with the zeros."""

    @property
    def steps(self) -> list[int]:
        """The steps of the dimensions."""
        return [*accumulate(reversed(self.shape[1:]), mul, initial=1)][::-1]

    @property
    def plane(self) -> Wider | None:
        """One of many pictures with zeros around each of them; None if it is not made of such."""
        if len(self.shape) != 3 or self.shape[0] != self.extents[0]:
            return None
        return Wider(self.extents[1:], self.before[1:], self.shape[1:])


def wider(extents: Sequence[int], before: Sequence[int], after: Sequence[int]) -> Wider:
    """Return what becomes of a tensor with so many zeros before and after it along each dimension."""
    merged: list[list[int]] = []
    for extent, first, last in zip(extents, before, after, strict=True):
        if merged and not first and not last:
            merged[-1] = [each * extent for each in merged[-1]]
        else:
            merged.append([extent, first, first + extent + last])
    return Wider(*map(tuple, zip(*merged, strict=True)))


def padding(tensor: Hashable, target: Hashable, how: Wider, real: np.dtype[Any]) -> Call:
    """Return what copies a tensor of reals into a wider one."""
    tables = [np.array(each, np.int64) for each in (how.extents, how.steps, how.before)]
    return called(_padding(real.str), (tensor, target), (*tables, prod(how.shape)))


def one_is_finite(tensors: Sequence[tuple[Hashable, int]], real: np.dtype[Any]) -> Call:
    """Return what fails unless all elements of one of two tensors, which have so many, are finite."""
    places, sizes = zip(*tensors, strict=True)
    return called(_one_is_finite(real.str), places, sizes, is_check=True)


@cache
def _copying() -> Callable[..., None]:
    from numba import njit

    items = elements("uint8")

    @njit(error_model="numpy", boundscheck=False)
    def kernel(of: int, to: int, of_start: int, to_start: int, size: int) -> None:
        source, target = items(of + of_start, size), items(to + to_start, size)
        for at in range(size):
            target[at] = source[at]

    compiled: Callable[..., None] = kernel
    return compiled


@cache
def _filling(dtype: str) -> Callable[..., None]:
    from numba import njit

    items = elements(dtype)

    @njit(error_model="numpy", boundscheck=False)
    def kernel(tensor: int, values: Any, size: int) -> None:
        items(tensor, size)[:] = values[0]

    compiled: Callable[..., None] = kernel
    return compiled


@cache
def _padding(dtype: str) -> Callable[..., None]:
    from numba import njit

    real = np.dtype(dtype)
    reals, copy_row = elements(real.name), row_copy(real.name)

    @njit(error_model="numpy", boundscheck=False)
    def kernel(of: int, to: int, extents: Any, steps: Any, before: Any, size: int) -> None:
        target, rank, done = reals(to, size), len(extents), 0
        row, rows, at = extents[rank - 1], 1, before[rank - 1]
        for axis in range(rank - 1):
            rows *= extents[axis]
            at += before[axis] * steps[axis]
        position = np.zeros(rank, np.int64)
        for number in range(rows):
            target[done:at] = 0
            copy_row(to, at, of, number * row, row)
            done = at + row
            axis = rank - 2
            while axis >= 0:
                position[axis] += 1
                at += steps[axis]
                if position[axis] < extents[axis]:
                    break
                at -= extents[axis] * steps[axis]
                position[axis] = 0
                axis -= 1
        target[done:] = 0

    compiled: Callable[..., None] = kernel
    return compiled


@cache
def row_copy(dtype: str) -> Callable[..., None]:
    """Return what copies elements in a row, from an offset to another one, for the compiler."""
    from numba import njit

    reals = elements(dtype)

    @njit(error_model="numpy", boundscheck=False)
    def copied(to: int, to_start: int, of: int, of_start: int, length: int) -> None:
        target, source = reals(to, to_start + length)[to_start:], reals(of, of_start + length)[of_start:]
        for at in range(length):  # what counts from 0 uses vectors
            target[at] = source[at]

    compiled: Callable[..., None] = copied
    return compiled


@cache
def _one_is_finite(dtype: str) -> Callable[..., bool]:
    from numba import njit

    real = np.dtype(dtype)
    whole = np.dtype(f"i{real.itemsize}")
    integers, infinity = elements(whole.name), np.array(np.inf, real).view(whole)[()]

    @njit(error_model="numpy", boundscheck=False)
    def is_finite(tensor: int, size: int) -> bool:
        bits, count = integers(tensor, size), 0
        for at in range(size):  # NaN and infinity have the greatest exponent
            count += (bits[at] & infinity) == infinity
        return count == 0

    @njit(error_model="numpy", boundscheck=False)
    def kernel(first: int, second: int, first_size: int, second_size: int) -> bool:
        return is_finite(first, first_size) or is_finite(second, second_size)

    compiled: Callable[..., bool] = kernel
    return compiled
