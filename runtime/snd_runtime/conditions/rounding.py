"""Reals as `fp16_t` and `bf16_t` hold them: rounded to the nearest, and to the even one in the middle (IEEE 754)."""

from __future__ import annotations

import numpy as np

from snd_runtime.lowering.arithmetic import Array

_BITS = 8
_LEAST_EXPONENT = -125
_BEYOND = 2.0**128


def rounded(values: Array, storage: str) -> Array:
    """Return numbers rounded to a type of 16 bits, in an array of their own type; unchanged for other types.

    Rounding a sum, product or quotient of 16-bit numbers to 32 bits first does not change the result.
    """
    dtype = values.dtype if values.dtype.kind == "f" else np.dtype(np.float64)
    if storage == "fp16_t":
        return values.astype(np.float16).astype(dtype)
    if storage != "bf16_t":
        return values
    wide = values.astype(np.float64)
    exponent = np.maximum(np.frexp(wide)[1], _LEAST_EXPONENT)
    step = np.ldexp(1.0, exponent - _BITS)
    near = np.where(np.isfinite(wide), np.copysign(np.rint(wide / step) * step, wide), wide)
    return np.where(np.abs(near) >= _BEYOND, np.copysign(np.inf, wide), near).astype(dtype)
