"""Tensors as small pictures: heat maps of matrices, strips of images. PNG, made with the standard library alone."""

from __future__ import annotations

import struct
import zlib
from typing import Any, TypeAlias

import numpy as np

from snd_runtime.limits import MOST_PICTURED_ELEMENTS, MOST_PICTURED_IMAGES

Array: TypeAlias = np.ndarray[Any, Any]

_PIXELS = 128
"""Along the longer side, about; smaller ones are enlarged."""
_GAP = 2
_COLOURS = np.array([[68, 1, 84], [59, 82, 139], [33, 145, 140], [94, 201, 98], [253, 231, 37]], np.float64)
"""Colours from the least to the greatest element: dark blue over green to yellow, lighter for greater ones."""
_NOT_FINITE = (160, 160, 160)
_NO_IMAGE = 255


def picture(array: Array) -> bytes | None:
    """Return a PNG of a tensor of numbers or bools; None if it has fewer than two dimensions or elements.

    ``[rows,columns]`` is a heat map, ``[…,3,rows,columns]`` a strip of colour images, anything else a strip of heat
    maps. The smallest element is dark and the largest light; infinities and NaN are grey.
    """
    if array.ndim < 2 or array.size < 2 or array.dtype.kind not in "biuf":
        return None
    in_colours = array.ndim > 2 and array.shape[-3] == 3 and array.dtype.kind == "f"
    rank = 3 if in_colours else 2
    images = array.reshape((-1, *array.shape[-rank:]))[:MOST_PICTURED_IMAGES]
    thinned = images[..., :: _step(array.shape[-2]), :: _step(array.shape[-1])].astype(np.float64)
    least, greatest = _range(thinned)
    with np.errstate(all="ignore"):
        scaled = np.clip((thinned - least) / ((greatest - least) or 1.0), 0.0, 1.0)
    drawn = [_in_colours(each) if in_colours else _heat(each) for each in scaled]
    return _png(_strip([_enlarged(each) for each in drawn]))


def _step(extent: int) -> int:
    return -(-extent // MOST_PICTURED_ELEMENTS)


def _range(array: Array) -> tuple[float, float]:
    finite = array[np.isfinite(array)]
    return (float(finite.min()), float(finite.max())) if finite.size else (0.0, 1.0)


def _heat(matrix: Array) -> Array:
    """Return elements between 0 and 1 as pixels: ``[rows,columns]`` to ``[rows,columns,3]``."""
    known = np.isfinite(matrix)
    place = np.where(known, matrix, 0.0) * (len(_COLOURS) - 1)
    before = np.minimum(place.astype(np.int64), len(_COLOURS) - 2)
    part = (place - before)[..., None]
    pixels: Array = _COLOURS[before] * (1.0 - part) + _COLOURS[before + 1] * part
    pixels[~known] = _NOT_FINITE
    drawn: Array = pixels.astype(np.uint8)
    return drawn


def _in_colours(image: Array) -> Array:
    """Convert ``[3,rows,columns]`` to ``[rows,columns,3]``."""
    pixels = np.where(np.isfinite(image), image, 0.5) * 255.0
    return pixels.transpose(1, 2, 0).astype(np.uint8)


def _enlarged(pixels: Array) -> Array:
    times = max(1, _PIXELS // max(pixels.shape[:2]))
    return pixels.repeat(times, axis=0).repeat(times, axis=1)


def _strip(images: list[Array]) -> Array:
    """Return images of one size side by side."""
    gap = np.full((images[0].shape[0], _GAP, 3), _NO_IMAGE, np.uint8)
    parts = [images[0]]
    for image in images[1:]:
        parts += [gap, image]
    return np.concatenate(parts, axis=1)


def _png(pixels: Array) -> bytes:
    """Return 8-bit pixels ``[rows,columns,3]`` as the bytes of a PNG file."""
    height, width = pixels.shape[:2]
    rows = np.concatenate([np.zeros((height, 1), np.uint8), pixels.reshape(height, width * 3)], axis=1)
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        _chunk(kind, content)
        for kind, content in ((b"IHDR", header), (b"IDAT", zlib.compress(rows.tobytes(), 9)), (b"IEND", b""))
    )


def _chunk(kind: bytes, content: bytes) -> bytes:
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))
