"""``onnx.roi_align``, as ONNX defines ``RoiAlign``.

A sample is interpolated along one dimension after the other, so the samples of all cells along a dimension are a few
elements and a matrix of weights: the mean of cells is a product of the image with two matrices.
"""

from __future__ import annotations

import numpy as np
from msgspec import Struct

from snd_analysis import rules
from snd_runtime.intrinsics.invocation import BoundIntrinsic
from snd_runtime.intrinsics.regions import check_index
from snd_runtime.lowering.arithmetic import INT, Array
from snd_runtime.lowering.lowered import Argument

_FARTHEST = 2.0**31
"""Regions that are larger have more samples than memory holds."""


class _Samples(Struct, frozen=True):
    """The samples of one region along one dimension: ``count`` in each cell, the cells one after the other."""

    count: int
    low: Array
    """The elements on both sides of each sample."""
    high: Array
    low_weights: Array
    """Zero, as that of the other side, for samples that lie too far outside."""
    high_weights: Array


def roi_align(invocation: BoundIntrinsic) -> tuple[Argument, ...]:
    """Return the mean or the maximum of the samples of each cell; 0 for a cell without samples."""
    images, rois, index = (invocation.tensor(number) for number in range(3))
    size = invocation.integers("output_size")
    check_index(invocation, index, len(images), "x", "batch_indices")
    begins, lengths = _regions(invocation, rois.astype(images.dtype))
    shape = (len(rois), images.shape[1], *size)
    invocation.claim("'y'", shape, images.dtype)
    aligned = np.zeros(shape, images.dtype)
    reduced = _maxima if invocation.attributes["mode"] == "max" else _means
    for region, item in enumerate(index):
        invocation.budget.check_time(invocation.place)
        rates = [
            rate or max(int(np.ceil(length / cells)), 0)
            for rate, length, cells in zip(invocation.integers("sampling_rate"), lengths[region], size, strict=True)
        ]
        if all(rates):
            places = zip(begins[region], lengths[region], size, rates, images.shape[2:], strict=True)
            reduced(invocation, images[item], [_samples(invocation, *each) for each in places], aligned[region])
    return (aligned,)


def _regions(invocation: BoundIntrinsic, rois: Array) -> tuple[Array, Array]:
    """Return where regions begin, and their extents, both of extents ``[n, 2]``, vertical ones first."""
    is_half, scale = bool(invocation.attributes["half_pixel"]), invocation.number("scale")
    offset = 0.5 if is_half else 0.0
    with np.errstate(all="ignore"):
        begins, ends = rois[:, [1, 0]] * scale - offset, rois[:, [3, 2]] * scale - offset
        lengths = ends - begins if is_half else np.maximum(ends - begins, 1)
    far = ~((np.abs(begins) < _FARTHEST) & (lengths < _FARTHEST))
    if far.any():
        at = int(np.argmax(far.any(axis=1)))
        corners = [each.item() for each in rois[at]]
        raise invocation.failed(rules.CAST_TYPE, f"the region rois[{at}] lies too far away: {corners}")
    return begins, lengths


def _samples(invocation: BoundIntrinsic, begin: Array, length: Array, cells: int, count: int, extent: int) -> _Samples:
    invocation.claim("the places of samples", (8, cells * count), INT)
    step = length / cells
    cell, number = np.divmod(np.arange(cells * count), count)
    # In this order ONNX computes it: a place may be equal to that of an element.
    places = begin + cell.astype(step.dtype) * step + (number.astype(step.dtype) + 0.5) * step / count
    is_near = (places >= -1) & (places <= extent)
    places = np.clip(places, 0, extent - 1)
    low = np.floor(places).astype(INT)
    rest = places - low.astype(places.dtype)
    invocation.budget.release(8 * cells * count, INT.itemsize)
    return _Samples(count, low, np.minimum(low + 1, extent - 1), (1 - rest) * is_near, rest * is_near)


def _means(invocation: BoundIntrinsic, image: Array, samples: list[_Samples], found: Array) -> None:
    parts, bands = [], []
    for along, cells in zip(samples, found.shape[1:], strict=True):
        band = slice(int(along.low.min()), int(along.high.max()) + 1)
        invocation.claim("weights", (cells, band.stop - band.start), image.dtype)
        weights = np.zeros((cells, band.stop - band.start), image.dtype)
        rows = np.repeat(np.arange(cells), along.count)
        np.add.at(weights, (rows, along.low - band.start), along.low_weights)
        np.add.at(weights, (rows, along.high - band.start), along.high_weights)
        parts.append(weights / along.count)
        bands.append(band)
    invocation.claim("a region of 'x'", (image.shape[0], len(parts[0]), parts[1].shape[1]), image.dtype)
    np.matmul(parts[0] @ image[:, bands[0], bands[1]], parts[1].T, out=found)
    claimed = image.shape[0] * len(parts[0]) * parts[1].shape[1] + sum(each.size for each in parts)
    invocation.budget.release(claimed, image.itemsize)


def _maxima(invocation: BoundIntrinsic, image: Array, samples: list[_Samples], found: Array) -> None:
    """Reduce the products of elements with their weights: ONNX does not add the products of a sample."""
    vertical, horizontal = samples
    shape = (len(image), len(vertical.low), len(horizontal.low))
    invocation.claim("the samples of a region", (3, *shape), image.dtype)
    greatest = np.full(shape, -np.inf, image.dtype)
    for row, row_weights in ((vertical.low, vertical.low_weights), (vertical.high, vertical.high_weights)):
        for column, weights in ((horizontal.low, horizontal.low_weights), (horizontal.high, horizontal.high_weights)):
            products = image[:, row[:, None], column] * (row_weights[:, None] * weights)
            np.maximum(greatest, products, out=greatest)
    _, height, width = found.shape
    cells = greatest.reshape(len(image), height, vertical.count, width, horizontal.count)
    cells.max(axis=(2, 4), out=found)
    invocation.budget.release(3 * greatest.size, image.itemsize)
