"""Encoding of reals as codes of quantized items, and decoding, by the formulas of NNEF 1.0, 5.2."""

from __future__ import annotations

import math
from typing import Any, TypeAlias

import numpy as np

from snd_runtime.files.storage import ElementStorage, ItemKind

Array: TypeAlias = np.ndarray[Any, Any]


def decoded(codes: Array, storage: ElementStorage) -> Array:
    """Return the reals (float64) of codes (uint64)."""
    if storage.kind is ItemKind.LINEAR:
        return codes / storage.levels * (storage.greatest - storage.least) + storage.least
    magnitudes = codes & np.uint64(storage.levels)
    # The distance from the greatest code is exact; a difference of two 64-bit reals would not be.
    below = (np.uint64(storage.levels) - magnitudes).astype(np.float64)
    powers = np.exp2(_greatest_exponent(storage) - below)
    return np.where(magnitudes == codes, powers, -powers)


def encoded(values: Array, storage: ElementStorage) -> Array:
    """Return the codes (uint64) of reals; values beyond the range get its ends.

    Raise ValueError for NaN.
    """
    values = values.astype(np.float64)
    if np.isnan(values).any():
        raise ValueError("NaN can't be quantized")
    levels = storage.levels
    if storage.kind is ItemKind.LINEAR:
        width = storage.greatest - storage.least
        shares = np.clip((values - storage.least) / width, 0.0, 1.0) if width else np.zeros_like(values)
        return _whole(shares * levels, levels)
    exponent = _greatest_exponent(storage)
    with np.errstate(divide="ignore"):
        powers = np.log2(np.abs(values) if storage.has_sign_bit else np.maximum(values, 0.0))
    below = np.clip(exponent - np.round(powers), 0.0, float(levels))
    codes = np.uint64(levels) - _whole(below, levels)
    return np.where(values < 0, codes | np.uint64(levels + 1), codes) if storage.has_sign_bit else codes


def _greatest_exponent(storage: ElementStorage) -> int:
    """Return the exponent of the least power of two not below the greatest value, without rounding of a logarithm."""
    fraction, exponent = math.frexp(storage.greatest)
    return exponent - (fraction == 0.5)


def _whole(values: Array, most: int) -> Array:
    """Round to uint64. Reals next to ``most`` may round to a power of two above it."""
    rounded = np.round(values)
    is_most = rounded >= float(most)
    return np.where(is_most, np.uint64(most), np.where(is_most, 0.0, rounded).astype(np.uint64))
