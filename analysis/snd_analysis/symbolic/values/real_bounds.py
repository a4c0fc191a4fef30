"""Bounds of unknown reals, which also bound extents that are computed in reals.

Operations of IEEE 754 keep the order of their operands, rounding included, so the values at the ends of intervals bound
all values between.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import product
from typing import Final

from msgspec import Struct

from snd_analysis.symbolic import integers as shapes
from snd_analysis.symbolic.integers import Integer
from snd_analysis.symbolic.values.pack import Element, Pack
from snd_analysis.symbolic.values.scalars import OperationKey, Unknown, Value


class RealInterval(Struct, frozen=True):
    """Bounds of a real, unless it is NaN. Ends may be infinite."""

    low: float
    high: float
    may_be_nan: bool


_ANYTHING: Final = RealInterval(-math.inf, math.inf, True)
Estimate = Callable[..., RealInterval]


def real_bounds(value: Value) -> RealInterval:
    """Return the interval of a real."""
    if isinstance(value, float):
        return _ANYTHING if math.isnan(value) else RealInterval(value, value, False)
    if not isinstance(value, Unknown) or value.dtype != "real":
        return _ANYTHING
    key = value.key
    if isinstance(key, OperationKey):
        known: RealInterval | None = key.interval
        if known is None:
            known = key.interval = _of_result(key)
        return known
    if isinstance(key, Element) and isinstance(key.pack, Pack):
        return _union([real_bounds(each) for each in key.pack.elements] or [_ANYTHING])
    return _ANYTHING


def int_bounds(value: Value) -> tuple[int | None, int | None]:
    """Return the least and greatest int that a real can be truncated to; None where there is no bound."""
    interval = real_bounds(value)
    low, high = interval.low, interval.high
    return (int(low) if math.isfinite(low) else None), (int(high) if math.isfinite(high) else None)


def _of_result(key: OperationKey) -> RealInterval:
    if key.operation == "real":
        return _of_int(key.operands[0])
    if key.operation == "? :":
        return _union([real_bounds(operand) for operand in key.operands[1:]])
    if key.operation in _WITHIN:
        low, high = _WITHIN[key.operation]
        return RealInterval(low, high, True)
    estimate = _ESTIMATES.get(key.operation)
    return _ANYTHING if estimate is None else estimate(*map(real_bounds, key.operands))


def _of_int(operand: Value) -> RealInterval:
    if not isinstance(operand, Integer):
        return _ANYTHING
    low, high = shapes.bounds(operand)
    return RealInterval(_nearest(low, -math.inf), _nearest(high, math.inf), False)


def _nearest(number: int | None, none: float) -> float:
    if number is None:
        return none
    try:
        return float(number)
    except OverflowError:
        return math.copysign(math.inf, number)


def _union(intervals: list[RealInterval]) -> RealInterval:
    return RealInterval(
        min(each.low for each in intervals),
        max(each.high for each in intervals),
        any(each.may_be_nan for each in intervals),
    )


# ---- operations ------------------------------------------------------------------------------------------------------
def _over(ends: list[float], may_be_nan: bool) -> RealInterval:
    """Return the interval of some values; a NaN denotes a value between the others."""
    known = [each for each in ends if not math.isnan(each)]
    return RealInterval(min(known), max(known), may_be_nan) if known else _ANYTHING


def _sum(a: RealInterval, b: RealInterval) -> RealInterval:
    low, high = a.low + b.low, a.high + b.high
    infinite = math.inf in (a.high, b.high) and -math.inf in (a.low, b.low)
    if math.isnan(low) or math.isnan(high):
        return _ANYTHING
    return RealInterval(low, high, a.may_be_nan or b.may_be_nan or infinite)


def _negative(a: RealInterval) -> RealInterval:
    return RealInterval(-a.high, -a.low, a.may_be_nan)


def _difference(a: RealInterval, b: RealInterval) -> RealInterval:
    return _sum(a, _negative(b))


def _product(a: RealInterval, b: RealInterval) -> RealInterval:
    ends = [x * y for x, y in product((a.low, a.high), (b.low, b.high))]
    undefined = any(map(math.isnan, ends))  # 0 * inf, next to which all products are 0
    return _over([*ends, 0.0] if undefined else ends, a.may_be_nan or b.may_be_nan or _straddles(a, b))


def _straddles(a: RealInterval, b: RealInterval) -> bool:
    """Return whether one may be zero and the other infinite."""
    return any(
        one.low <= 0 <= one.high and (math.isinf(other.low) or math.isinf(other.high))
        for one, other in ((a, b), (b, a))
    )


def _quotient(a: RealInterval, b: RealInterval) -> RealInterval:
    if b.low <= 0 <= b.high:
        return _ANYTHING
    ends = [x / y for x, y in product((a.low, a.high), (b.low, b.high))]
    undefined = any(map(math.isnan, ends))  # inf / inf
    infinite = any(map(math.isinf, (a.low, a.high))) and any(map(math.isinf, (b.low, b.high)))
    return _over([*ends, 0.0] if undefined else ends, a.may_be_nan or b.may_be_nan or infinite)


def _minimum(a: RealInterval, b: RealInterval) -> RealInterval:
    return RealInterval(min(a.low, b.low), min(a.high, b.high), a.may_be_nan or b.may_be_nan)


def _maximum(a: RealInterval, b: RealInterval) -> RealInterval:
    return RealInterval(max(a.low, b.low), max(a.high, b.high), a.may_be_nan or b.may_be_nan)


def _absolute(a: RealInterval) -> RealInterval:
    low = 0.0 if a.low <= 0 <= a.high else min(abs(a.low), abs(a.high))
    return RealInterval(low, max(abs(a.low), abs(a.high)), a.may_be_nan)


def _increasing(operation: str) -> Estimate:
    def estimate(a: RealInterval) -> RealInterval:
        from snd_analysis.symbolic.values.functions import REAL_FUNCTIONS

        compute = REAL_FUNCTIONS[operation]
        return RealInterval(compute(a.low), compute(a.high), a.may_be_nan)

    return estimate


def _square_root(a: RealInterval) -> RealInterval:
    if a.high < 0:
        return _ANYTHING
    return RealInterval(math.sqrt(max(a.low, 0.0)), math.sqrt(a.high), a.may_be_nan or a.low < 0)


_WITHIN: Final = dict.fromkeys(("sin", "cos", "tanh", "erf", "frac", "sign"), (-1.0, 1.0))
_ESTIMATES: Final[dict[str, Estimate]] = {
    "+": _sum,
    "-": _difference,
    "*": _product,
    "/": _quotient,
    "<?": _minimum,
    ">?": _maximum,
    "negate": _negative,
    "abs": _absolute,
    "sqrt": _square_root,
    **{name: _increasing(name) for name in ("round", "floor", "ceil")},
}
