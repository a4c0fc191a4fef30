"""``erf`` over arrays: NumPy has none.

In 64 bits, rational approximations in five intervals, from the FreeBSD mathematical library (s_erf.c); the error is
less than one unit in the last place. In 32 bits, polynomials in two intervals, after N. Juffa; the error is less than
1.5 units.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

_Reals = np.ndarray[Any, np.dtype[np.floating[Any]]]

_SMALL_P = (1.28379167095512558561e-01, -3.25042107247001499370e-01, -2.84817495755985104766e-02,
            -5.77027029648944159157e-03, -2.37630166566501626084e-05)  # fmt: skip
_SMALL_Q = (1.0, 3.97917223959155352819e-01, 6.50222499887672944485e-02, 5.08130628187576562776e-03,
            1.32494738004321644526e-04, -3.96022827877536812320e-06)  # fmt: skip
_AT_ONE = 8.45062911510467529297e-01
_ONE_P = (-2.36211856075265944077e-03, 4.14856118683748331666e-01, -3.72207876035701323847e-01,
          3.18346619901161753674e-01, -1.10894694282396677476e-01, 3.54783043256182359371e-02,
          -2.16637559486879084300e-03)  # fmt: skip
_ONE_Q = (1.0, 1.06420880400844228286e-01, 5.40397917702171048937e-01, 7.18286544141962662868e-02,
          1.26171219808761642112e-01, 1.36370839120290507362e-02, 1.19844998467991074170e-02)  # fmt: skip
_LARGE_P = (-9.86494403484714822705e-03, -6.93858572707181764372e-01, -1.05586262253232909814e+01,
            -6.23753324503260060396e+01, -1.62396669462573470355e+02, -1.84605092906711035994e+02,
            -8.12874355063065934246e+01, -9.81432934416914548592e+00)  # fmt: skip
_LARGE_Q = (1.0, 1.96512716674392571292e+01, 1.37657754143519042600e+02, 4.34565877475229228821e+02,
            6.45387271733267880336e+02, 4.29008140027567833386e+02, 1.08635005541779435134e+02,
            6.57024977031928170135e+00, -6.04244152148580987438e-02)  # fmt: skip
_HUGE_P = (-9.86494292470009928597e-03, -7.99283237680523006574e-01, -1.77579549177547519889e+01,
           -1.60636384855821916062e+02, -6.37566443368389627722e+02, -1.02509513161107724954e+03,
           -4.83519191608651397019e+02)  # fmt: skip
_HUGE_Q = (1.0, 3.03380607434824582924e+01, 3.25792512996573918826e+02, 1.53672958608443695994e+03,
           3.19985821950859553908e+03, 2.55305040643316442583e+03, 4.74528541206955367215e+02,
           -2.24409524465858183362e+01)  # fmt: skip


_SINGLE_SMALL = (-5.96761703e-4, 4.99119423e-3, -2.67681349e-2, 1.12819925e-1, -3.76125336e-1, 1.28379166e-1)
_SINGLE_LARGE = (-1.72853470e-5, 3.83197126e-4, -3.88396438e-3, 2.42546219e-2, -1.06777877e-1, -6.34846687e-1,
                 -1.28717512e-1)  # fmt: skip
_SINGLE_BORDER = 0.927734375
_SMALL_32, _LARGE_32 = (tuple(map(np.float32, each)) for each in (_SINGLE_SMALL, _SINGLE_LARGE))
_EXP_32 = tuple(map(np.float32, (1.9875691500e-4, 1.3981999507e-3, 8.3334519073e-3, 4.1665795894e-2, 1.6666665459e-1,
                                 5.0000001201e-1)))  # fmt: skip
_BORDER_32, _LEAST_32, _ONE, _HALF = map(np.float32, (_SINGLE_BORDER, -18.0, 1.0, 0.5))
_LOG2_E, _LN_2_HIGH, _LN_2_LOW = map(np.float32, (1.44269504, 0.693359375, -2.12194440e-4))
_CHUNK = 1 << 14
"""Number of elements in a chunk: operands that stay in the cache are computed much faster."""


def error_function(values: _Reals) -> _Reals:
    """Return ``erf`` of every element, in the type of the elements."""
    return _single(values) if values.dtype == np.float32 else _double(values)


def _single(values: _Reals) -> _Reals:
    flat = values.reshape(-1)
    result = np.empty_like(flat)
    for start in range(0, len(flat), _CHUNK):
        part = slice(start, start + _CHUNK)
        x = flat[part]
        magnitude = np.abs(x)
        with np.errstate(all="ignore"):  # the polynomial of small elements is computed for infinity, too
            large = _horner(magnitude, _SINGLE_LARGE)
            large *= magnitude
            large -= magnitude
            np.subtract(1, np.exp(large, out=large), out=large)
            small = _horner(x * x, _SINGLE_SMALL)
            small *= x
            small += x
        result[part] = np.where(magnitude > np.float32(_SINGLE_BORDER), np.copysign(large, x), small)
    return result.reshape(values.shape)


def error_function_of_one(x: Any) -> Any:
    """Return ``erf`` of one real of 32 bits, for compiled loops: without branches and calls, so that they use vectors.

    It differs from ``error_function`` by the rounding of the exponential function, here that of the Cephes library.
    """
    magnitude = abs(x)
    large, small, z = _LARGE_32[0], _SMALL_32[0], x * x
    for coefficient in _LARGE_32[1:]:
        large = large * magnitude + coefficient
    for coefficient in _SMALL_32[1:]:
        small = small * z + coefficient
    large = large * magnitude - magnitude
    large = large if large > _LEAST_32 else _LEAST_32  # beyond, 1 - exp(large) is 1
    exponent = np.floor(large * _LOG2_E + _HALF)
    rest = (large - exponent * _LN_2_HIGH) - exponent * _LN_2_LOW
    power = _EXP_32[0]
    for coefficient in _EXP_32[1:]:
        power = power * rest + coefficient
    power = power * (rest * rest) + rest + _ONE
    power = power * np.int32((np.int32(exponent) + 127) << 23).view(np.float32)
    signed, near_zero = np.copysign(_ONE - power, x), small * x + x
    return signed if magnitude > _BORDER_32 else near_zero


def _horner(x: _Reals, coefficients: Sequence[float]) -> _Reals:
    """Return a polynomial in place of a new array; the first coefficient is that of the highest power."""
    result = x * x.dtype.type(coefficients[0])
    for coefficient in coefficients[1:-1]:
        result += x.dtype.type(coefficient)
        result *= x
    result += x.dtype.type(coefficients[-1])
    return result


def _double(values: _Reals) -> _Reals:
    x = np.asarray(values, np.float64)
    magnitude = np.abs(x)
    result = np.ones_like(x)
    result[np.isnan(x)] = np.nan
    small = magnitude < 0.84375
    z = x[small] ** 2
    result[small] = magnitude[small] * (1.0 + _ratio(z, _SMALL_P, _SMALL_Q))
    middle = (magnitude >= 0.84375) & (magnitude < 1.25)
    s = magnitude[middle] - 1.0
    result[middle] = _AT_ONE + _ratio(s, _ONE_P, _ONE_Q)
    for low, high, above, below in (
        (1.25, 1 / 0.35, _LARGE_P, _LARGE_Q),
        (1 / 0.35, 6.0, _HUGE_P, _HUGE_Q),
    ):
        part = (magnitude >= low) & (magnitude < high)
        a = magnitude[part]
        result[part] = 1.0 - np.exp(-a * a - 0.5625 + _ratio(1.0 / (a * a), above, below)) / a
    return np.copysign(result, x).astype(values.dtype)


def _ratio(x: _Reals, above: Sequence[float], below: Sequence[float]) -> _Reals:
    return _polynomial(x, above) / _polynomial(x, below)


def _polynomial(x: _Reals, coefficients: Sequence[float]) -> _Reals:
    result = np.full_like(x, coefficients[-1])
    for coefficient in reversed(coefficients[:-1]):
        result = result * x + coefficient
    return result
