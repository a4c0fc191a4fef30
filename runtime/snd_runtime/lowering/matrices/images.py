"""Images within tensors, which are copied one by one with zeros around them, as compiled loops.

Windows with strides read, for example, every second element of a row. A copy stores these elements next to each other:
each phase of the stride is an image of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import Any

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from snd_runtime.lowering.arithmetic import Array
from snd_runtime.lowering.compiled.calls import helper
from snd_runtime.lowering.limits import MOST_OFFSETS
from snd_runtime.lowering.matrices.gemm import Offsets
from snd_runtime.lowering.matrices.panels import element_load, element_store, vector_copy, vector_halving
from snd_runtime.lowering.matrices.vectors import Tile

FEW = 4
"""Number of elements that are copied together if fewer than a vector remain."""


class Images(Struct, frozen=True, eq=False):
    """The plan of copying images, and the matrices in each copy. Matrices start where images start in the tensor."""

    size: int
    """Number of elements of a copy."""
    step: int
    """Distance of source elements that become neighbours in the copy."""
    of: Array
    to: Array
    counts: Array
    matrices: Offsets
    first: int
    """Offset of the matrix in a copy."""


def images_of(extents: Sequence[int], before: Sequence[int], after: Sequence[int], matrices: Offsets) -> Images | None:
    """Return the images of a tensor with zeros around it that have one matrix each; None if copies are no help."""
    shape = [sum(each) for each in zip(before, extents, after, strict=True)]
    rows, columns = (each - each.min() for each in (matrices.rows, matrices.columns))
    if len(rows) * len(columns) > MOST_OFFSETS:
        return None
    starts = matrices.starts + matrices.rows.min() + matrices.columns.min()
    outer = next((at for at, each in enumerate(zip(before, after, strict=True)) if any(each)), len(shape) - 1)
    for rank in range(outer, -1, -1):
        size = prod(shape[rank:])
        within = starts % size
        if np.all(within == within[0]) and within[0] + rows.max() + columns.max() < size:
            break
    else:
        return None
    frame, first = _Frame.of(shape[rank:], int(within[0]), columns), int(within[0])
    if frame.is_plain and shape == [*extents]:
        return None
    origin = frame.places(np.array(first))
    placed_rows, placed_columns = (frame.places(first + each) - origin for each in (rows, columns))
    if np.any(frame.places(first + np.add.outer(rows, columns)) - origin != np.add.outer(placed_rows, placed_columns)):
        return None
    part = prod(extents[rank:])
    placed = Offsets(starts // size * part, placed_rows, placed_columns)
    copies = frame.copies(extents[rank:], before[rank:])
    return Images(frame.size, frame.steps[-1], *copies, placed, int(origin))


class _Frame(Struct, frozen=True):
    """An image with zeros around it, in phases: one for every few elements along each dimension."""

    shape: tuple[int, ...]
    steps: tuple[int, ...]

    @staticmethod
    def of(shape: Sequence[int], first: int, columns: Array) -> _Frame:
        """Return the frame in which columns are neighbours."""
        positions = np.unravel_index(first + columns, shape)
        steps = (int(np.gcd.reduce(each - each[0])) for each in positions)
        return _Frame(tuple(shape), tuple(step or 1 for step in steps))

    @property
    def is_plain(self) -> bool:
        return all(step == 1 for step in self.steps)

    @property
    def _lengths(self) -> tuple[int, ...]:
        return tuple(-(-extent // step) for extent, step in zip(self.shape, self.steps, strict=True))

    @property
    def size(self) -> int:
        return prod(self.steps) * prod(self._lengths)

    def places(self, offsets: Array) -> Array:
        """Return where elements are that have these offsets without phases."""
        pairs = [*zip(np.unravel_index(offsets, self.shape), self.steps, strict=True)]
        digits = (*(each % step for each, step in pairs), *(each // step for each, step in pairs))
        return np.asarray(np.ravel_multi_index(digits, (*self.steps, *self._lengths)))

    def copies(self, extents: Sequence[int], before: Sequence[int]) -> tuple[Array, Array, Array]:
        """Return the source offsets, the target offsets and the lengths of the stretches to copy."""
        step = self.steps[-1]
        columns = np.array([each for each in range(step) if each < extents[-1]])
        inner = np.indices((*extents[:-1], 1)).reshape(len(extents), -1)
        of = np.add.outer(np.ravel_multi_index(tuple(inner), (*extents[:-1], extents[-1])), columns)
        offsets = np.ravel_multi_index(
            tuple(each + first for each, first in zip(inner, before, strict=True)), self.shape
        )
        counts = np.broadcast_to(-(-(extents[-1] - columns) // step), of.shape)
        return of.reshape(-1), self.places(np.add.outer(offsets, columns)).reshape(-1), counts.reshape(-1)


def image_copy(tile: Tile) -> Callable[..., None]:
    """Return a function that copies an image."""
    load, store = element_load(tile), element_store(tile)
    lanes, few = tile.lanes, min(FEW, tile.lanes)
    short = replace(tile, lanes=few)
    copied, some_copied, halved, some_halved = (
        vector_copy(tile), vector_copy(short), vector_halving(tile), vector_halving(short),
    )  # fmt: skip

    @helper
    def copy_image(image: int, b: int, start: int, of: Any, to: Any, counts: Any, step: int) -> None:
        for row in range(len(of)):
            source, target, count = start + of[row], to[row], counts[row]
            done = 0
            if step == 1:
                for at in range(0, count - lanes + 1, lanes):
                    copied(image, target + at, b, source + at)
                done = count - count % lanes
                for at in range(done, count - few + 1, few):
                    some_copied(image, target + at, b, source + at)
                done = count - count % few
            elif step == 2:
                for at in range(0, count - lanes + 1, lanes):
                    halved(image, target + at, b, source + 2 * at)
                done = count - count % lanes
                for at in range(done, count - few + 1, few):
                    some_halved(image, target + at, b, source + 2 * at)
                done = count - count % few
            for at in range(done, count):
                store(image, target + at, load(b, source + step * at))

    copying: Callable[..., None] = copy_image
    return copying
