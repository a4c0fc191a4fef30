"""Functions of one real of 32 bits, for compiled loops: without branches and calls, so that they use vectors.

The polynomials are from the Cephes library. Results differ from the exact ones by less than two units in the last
place, subnormal ones too.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

_EXP = tuple(map(np.float32, (1.9875691500e-4, 1.3981999507e-3, 8.3334519073e-3, 4.1665795894e-2, 1.6666665459e-1,
                              5.0000001201e-1)))  # fmt: skip
_LOG = tuple(map(np.float32, (7.0376836292e-2, -1.1514610310e-1, 1.1676998740e-1, -1.2420140846e-1, 1.4249322787e-1,
                              -1.6668057665e-1, 2.0000714765e-1, -2.4999993993e-1, 3.3333331174e-1)))  # fmt: skip
_TANH = tuple(map(np.float32, (-5.70498872745e-3, 2.06390887954e-2, -5.37397155531e-2, 1.33314422036e-1,
                               -3.33332819422e-1)))  # fmt: skip
_ZERO, _HALF, _ONE, _TWO = map(np.float32, (0.0, 0.5, 1.0, 2.0))
_LOG2_E, _LN_2_HIGH, _LN_2_LOW = map(np.float32, (1.44269504, 0.693359375, -2.12194440e-4))
_MOST_EXP, _LEAST_EXP = map(np.float32, (89.0, -104.0))
"""Beyond, the exponential function is infinite or 0."""
_SHIFT = np.float32(1.5 * 2**23)
"""A real to which this is added is rounded to an integer, which the last bits of the sum are."""
_SHIFT_BITS = int(_SHIFT.view(np.int32))
_TANH_BORDER, _MOST_TANH = map(np.float32, (0.625, 9.5))
_LEAST_NORMAL, _INTO_NORMAL, _INTO_NORMAL_BY = map(np.float32, (2.0**-126, 2.0**23, 23.0))
_INFINITY, _NAN = map(np.float32, (np.inf, np.nan))
_HALF_ROOT_BITS = int(np.float32(0.5**0.5).view(np.int32))


def exp_of_one(x: Any) -> Any:
    """Return ``exp`` of a real."""
    within = _MOST_EXP if x > _MOST_EXP else x  # NaN stays
    within = _LEAST_EXP if within < _LEAST_EXP else within
    shifted = within * _LOG2_E + _SHIFT
    exponent = shifted - _SHIFT
    rest = (within - exponent * _LN_2_HIGH) - exponent * _LN_2_LOW
    power = _EXP[0]
    for coefficient in _EXP[1:]:
        power = power * rest + coefficient
    power = power * (rest * rest) + rest + _ONE
    # In two steps: neither factor is beyond the exponents of reals, and only the second product is rounded.
    whole = np.int32(np.int64(np.float32(shifted).view(np.int32)) - _SHIFT_BITS)
    half = np.int32(whole >> 1)
    first = np.int32((np.int64(half) + 127) << 23).view(np.float32)
    second = np.int32((np.int64(whole) - half + 127) << 23).view(np.float32)
    return x if x != x else power * first * second


def log_of_one(x: Any) -> Any:
    """Return ``log`` of a real."""
    is_small = x < _LEAST_NORMAL
    bits = np.int64(np.float32(x * _INTO_NORMAL if is_small else x).view(np.int32)) - _HALF_ROOT_BITS
    exponent = np.float32(np.int32(np.int32(bits) >> 23)) - (_INTO_NORMAL_BY if is_small else _ZERO)
    rest = np.int32((bits & 0x7FFFFF) + _HALF_ROOT_BITS).view(np.float32) - _ONE
    square = rest * rest
    value = _LOG[0]
    for coefficient in _LOG[1:]:
        value = value * rest + coefficient
    value = value * rest * square + exponent * _LN_2_LOW - _HALF * square
    value = (rest + value) + exponent * _LN_2_HIGH
    value = -_INFINITY if x == _ZERO else value
    value = value if x < _INFINITY else x  # NaN, too
    return _NAN if x < _ZERO else value


def tanh_with(exp: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Return ``tanh`` of a real, which calls this function for ``exp``: a compiler wants one that is compiled."""

    def tanh_of_one(x: Any) -> Any:
        magnitude = abs(x)
        square = magnitude * magnitude
        small = _TANH[0]
        for coefficient in _TANH[1:]:
            small = small * square + coefficient
        small = small * square * magnitude + magnitude
        within = magnitude if magnitude < _MOST_TANH else _MOST_TANH  # beyond, the result is 1
        large = _ONE - _TWO / (exp(within + within) + _ONE)
        value = np.copysign(small if magnitude < _TANH_BORDER else large, x)
        return x if x != x else value

    return tanh_of_one
