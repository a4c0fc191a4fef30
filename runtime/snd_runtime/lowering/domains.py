"""Domains that formulas are evaluated over: boxes of their index space, or lists of points in it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from math import prod
from typing import TypeAlias

import numpy as np
from msgspec import Struct

from snd_runtime.lowering.arithmetic import INT, Array


def points_in_order(extents: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """Yield all points of a space, the last axis the fastest.

    Unlike ``itertools.product`` it doesn't list the positions.
    """
    if not extents:
        yield ()
        return
    for first in range(extents[0]):
        for rest in points_in_order(extents[1:]):
            yield (first, *rest)


class Box(Struct, frozen=True, eq=False, dict=True):
    """Positions within a range along every axis; arrays over it have a dimension for each axis."""

    ranges: tuple[tuple[int, int], ...]

    @cached_property
    def shape(self) -> tuple[int, ...]:
        """Return the number of positions along each axis."""
        return tuple(max(stop - start, 0) for start, stop in self.ranges)

    @property
    def size(self) -> int:
        """The number of points."""
        return prod(self.shape)

    def positions(self, axis: int) -> Array:
        """Return the positions along an axis."""
        shape = [1] * len(self.ranges)
        shape[axis] = self.shape[axis]
        return np.arange(*self.ranges[axis], dtype=INT).reshape(shape)

    def position_at(self, axis: int, where: Sequence[int]) -> int:
        """Return the position along an axis of the point with these coordinates in the box."""
        return self.ranges[axis][0] + where[axis]

    def points(self, mask: Array | None) -> Points:
        """Return the points where a mask holds, in order: the last axis is the fastest."""
        if mask is None:
            mask = np.ones((), np.bool_)
        where = np.nonzero(np.broadcast_to(mask, self.shape)) if self.ranges else np.nonzero(np.atleast_1d(mask))
        vectors = [found + start for found, (start, _) in zip(where, self.ranges, strict=False)]
        return Points(tuple(vectors), len(where[0]))

    def chunks(self, most: int, last: Sequence[int] = ()) -> Iterator[Box]:
        """Yield boxes of at most ``most`` points (but at least one), in order. The axes ``last`` are split last."""
        order = [axis for axis in range(len(self.ranges)) if axis not in last] + list(last)
        lengths = dict(enumerate(self.shape))
        volume = self.size
        steps = dict(lengths)
        for axis in order:
            if volume <= most:
                break
            rest = volume // max(lengths[axis], 1)
            steps[axis] = max(most // max(rest, 1), 1)
            volume = rest * steps[axis]
        yield from self._cut(0, (), steps)

    def _cut(self, axis: int, ranges: tuple[tuple[int, int], ...], steps: dict[int, int]) -> Iterator[Box]:
        if axis == len(self.ranges):
            yield Box(ranges)
            return
        start, stop = self.ranges[axis]
        for first in range(start, stop, max(steps[axis], 1)):
            yield from self._cut(axis + 1, (*ranges, (first, min(first + steps[axis], stop))), steps)


class Points(Struct, frozen=True, eq=False):
    """A list of points: a vector of positions for every axis."""

    vectors: tuple[Array, ...]
    size: int

    @property
    def shape(self) -> tuple[int, ...]:
        """Return the shape of arrays over the points."""
        return (self.size,)

    def positions(self, axis: int) -> Array:
        """Return the positions along an axis."""
        return self.vectors[axis]

    def position_at(self, axis: int, where: Sequence[int]) -> int:
        """Return the position along an axis of a point of the list."""
        return int(self.vectors[axis][where[0]])


Domain: TypeAlias = "Box | Points"
