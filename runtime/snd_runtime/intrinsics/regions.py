"""``image.max_roi_pool`` and ``image.avg_roi_pool``, as NNEF 1.0 defines them (its section 4.6.1)."""

from __future__ import annotations

from math import prod

import numpy as np
from msgspec import Struct

from snd_analysis import rules
from snd_runtime.intrinsics.invocation import BoundIntrinsic
from snd_runtime.lowering.arithmetic import Array
from snd_runtime.lowering.lowered import Argument

_FARTHEST = 2.0**61
"""Lengths of regions that lie nearer fit into 64 bits."""


class _Cells(Struct, frozen=True):
    """The cells of one region along one dimension: elements from ``starts`` to before ``stops``, all in the image."""

    starts: Array
    stops: Array

    @property
    def span(self) -> slice:
        """Return the range that all cells together cover."""
        return slice(int(self.starts.min()), int(self.stops.max()))


def max_roi_pool(invocation: BoundIntrinsic) -> tuple[Argument, ...]:
    """Return the maximum of each cell; minus infinity for a cell without elements, as ``nn.max_pool`` has it."""
    return (_pooled(invocation, np.maximum, -np.inf)[0],)


def avg_roi_pool(invocation: BoundIntrinsic) -> tuple[Argument, ...]:
    """Return the mean of each cell; NaN for a cell without elements, as ``nn.avg_pool`` has it."""
    sums, counts = _pooled(invocation, np.add, 0.0)
    with np.errstate(invalid="ignore"):
        np.divide(sums, counts, out=sums)
    return (sums,)


def _pooled(invocation: BoundIntrinsic, reduction: np.ufunc, identity: float) -> tuple[Array, Array]:
    """Reduce each cell of each region: ``[n, c, output_size..]``, and how many elements it has, ``[n, 1, …]``.

    Cells of a region lie ``floor(extent / size)`` apart and have ``ceil(extent / size)`` elements. Elements outside the
    image do not count.
    """
    images, rois, index = (invocation.tensor(number) for number in range(3))
    size = invocation.integers("output_size")
    check_index(invocation, index, len(images), "input", "index")
    begins, ends = _corners(invocation, rois)
    shape = (len(rois), images.shape[1], *size)
    invocation.claim("'output'", shape, images.dtype)
    invocation.claim("the counts of elements", (len(rois), 1, *size), images.dtype)
    # Dimensions are reduced one after the other; each step copies its input.
    widest = max(prod(size[:done]) * prod(images.shape[2 + done :]) for done in range(len(size) + 1))
    invocation.claim("a region of 'input'", (2, images.shape[1], widest), images.dtype)
    pooled, counts = np.empty(shape, images.dtype), np.ones((len(rois), 1, *size), images.dtype)
    for region, item in enumerate(index):
        invocation.budget.check_time(invocation.place)
        cells = [
            _cells(begins[region, dimension], ends[region, dimension], count, extent)
            for dimension, (count, extent) in enumerate(zip(size, images.shape[2:], strict=True))
        ]
        values = images[(item, slice(None), *(each.span for each in cells))]
        for dimension, each in enumerate(cells):
            with np.errstate(all="ignore"):
                values = _reduced(values, dimension + 1, each, reduction, identity)
            lengths = (each.stops - each.starts).astype(counts.dtype)
            counts[region] *= lengths.reshape(-1, *[1] * (len(size) - dimension - 1))
        pooled[region] = values
    invocation.budget.release(counts.size + 2 * images.shape[1] * widest, counts.itemsize)
    return pooled, counts


def _cells(begin: int, end: int, count: int, extent: int) -> _Cells:
    length = end - begin
    starts = begin + np.arange(count) * (length // count)
    stops = starts - (-length // count)
    starts, stops = np.clip(starts, 0, extent), np.clip(stops, 0, extent)
    return _Cells(starts, np.maximum(starts, stops))


def _reduced(values: Array, axis: int, cells: _Cells, reduction: np.ufunc, identity: float) -> Array:
    """Reduce the cells along an axis, which is as long as they reach and becomes as long as there are cells.

    Go through the cells one by one, or through the first element of all of them, then the second and so on, whichever
    takes fewer steps.
    """
    rows = np.ascontiguousarray(np.moveaxis(values, axis, 0))
    starts, stops = cells.starts - cells.span.start, cells.stops - cells.span.start
    reduced = np.full((len(starts), *rows.shape[1:]), identity, values.dtype)
    longest = int((stops - starts).max())
    if len(starts) <= longest:
        for at, (start, stop) in enumerate(zip(starts, stops, strict=True)):
            reduction.reduce(rows[start:stop], axis=0, initial=identity, out=reduced[at, ...])
    for number in range(longest if longest < len(starts) else 0):
        longer = starts + number < stops
        reduced[longer] = reduction(reduced[longer], rows[starts[longer] + number])
    return np.moveaxis(reduced, 0, axis)


# ---- arguments -------------------------------------------------------------------------------------------------------
def check_index(invocation: BoundIntrinsic, index: Array, count: int, images: str, name: str) -> None:
    """Raise EvaluationFailed if regions lie in an image that is not there."""
    outside = (index < 0) | (index >= count)
    if outside.any():
        at = int(np.argmax(outside))
        message = (
            f"the index {index[at]} is outside of dimension 0 of '{images}', whose extent is {count} (at {name}[{at}])"
        )
        raise invocation.failed(rules.INDEX_OUT_OF_RANGE, message)


def _corners(invocation: BoundIntrinsic, rois: Array) -> tuple[Array, Array]:
    """Return where regions begin and end, as ints of extents ``[n, d]``; halves are rounded away from zero."""
    far = ~(np.abs(rois) < _FARTHEST)
    if far.any():
        at = np.unravel_index(int(np.argmax(far)), far.shape)
        message = f"{rois[at]} is no coordinate (at rois[{int(at[0])}, {int(at[1])}])"
        raise invocation.failed(rules.CAST_TYPE, message)
    rounded = (np.sign(rois) * np.floor(np.abs(rois) + 0.5)).astype(np.int64)
    d = rois.shape[1] // 2
    begins, ends = rounded[:, :d], rounded[:, d:]
    backward = (begins > ends).any(axis=1)
    if backward.any():
        at_row = int(np.argmax(backward))
        message = f"the region rois[{at_row}] ends before it begins: {[each.item() for each in rois[at_row]]}"
        raise invocation.failed(rules.NEGATIVE_EXTENT, message)
    return begins, ends
