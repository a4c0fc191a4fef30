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

from snd_analysis import rules
from snd_analysis.base import counted
from snd_analysis.symbolic import integers as shapes
from snd_analysis.symbolic.integers import TRUE, Integer
from snd_analysis.symbolic.values.items import at, bounds_of, from_start, outside, split
from snd_analysis.symbolic.values.pack import ONE, POSITION, Element, ItemRun, Pack
from snd_analysis.symbolic.values.rewriting import shifted
from snd_analysis.symbolic.values.scalars import DEFINITIONS, UNDEFINED, OperationError, OperationKey, Unknown, Value
from snd_analysis.symbolic.values.selection import opaque_pack


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


# ---- ``a[i] <- b``: a pack with some items replaced (2.4, Substitution) ----------------------------------------------
def replaced(target: Value, place: Value, value: Value) -> Value:
    """Return ``target[place] <- value``: of indices that repeat, the last wins; one value serves for many indices.

    Raise Failure if an index is certainly outside, or there certainly are not as many values as indices.
    """
    match target, place:
        case Pack(), Integer():
            return UNDEFINED if isinstance(value, Pack) else _one_replaced(target, place, value)
        case Pack(), Pack():
            return _many_replaced(target, place, value)
        case _:
            return UNDEFINED


DEFINITIONS["<-"] = replaced


def _many_replaced(target: Pack, place: Pack, value: Value) -> Value:
    if isinstance(value, Pack):
        length = shapes.decide_equal(place.length, value.length)
        if length is shapes.EqualityVerdict.DIFFERENT:
            message = f"there are {counted(place.length, 'item')} to replace, but {value.length} to replace them by"
            raise OperationError(rules.LENGTH_MISMATCH, message)
    places = place.items
    if places is None:
        return _unknown(target, place, value)
    values = [at(value, shapes.constant(at_)) for at_ in range(len(places))] if isinstance(value, Pack) else None
    fast = _all_known(target, places, values, value)
    if fast is not None:
        return fast
    result: Value = target
    for count, single in enumerate(places):
        if not isinstance(single, Integer) or not isinstance(result, Pack):
            return UNDEFINED
        result = _one_replaced(result, single, value if values is None else values[count])
    return result


def _all_known(target: Pack, places: tuple[Value, ...], values: list[Value] | None, value: Value) -> Value | None:
    items = target.items
    if items is None:
        return None
    written = list(items)
    for count, single in enumerate(places):
        number = single.value if isinstance(single, Integer) else None
        if number is None:
            return None
        if not -len(written) <= number < len(written):
            raise outside(shapes.constant(number), target.length)
        written[number] = value if values is None else values[count]
    return UNDEFINED if any(item is UNDEFINED for item in written) else Pack(written, dtype=target.dtype)


def _one_replaced(target: Pack, place: Integer, value: Value) -> Value:
    if value is UNDEFINED:
        return UNDEFINED
    length = target.length
    if shapes.compare(">=", place, length) is TRUE or shapes.compare("<", place, -length) is TRUE:
        raise outside(place, length)
    if place.value is not None and target.items is not None:
        written = list(target.items)
        written[place.value] = value
        return Pack(written, dtype=target.dtype)
    start = from_start(place, length)
    run = target.run
    if run is not None:
        # A valid index cuts a run, wherever it is.
        after = ItemRun(length - start - 1, shifted(run.element, POSITION + start + 1))
        return Pack((ItemRun(start, run.element), value, after))
    parts = split(target, start)
    rest = None if parts is None else _without_first(parts[1])
    if parts is None or rest is None:
        return _unknown(target, place, value)
    return Pack((*parts[0].segments, value, *rest.segments))


def _without_first(rest: Pack) -> Pack | None:
    if shapes.compare(">=", rest.length, ONE) is not TRUE:
        return None
    parts = split(rest, ONE)
    return None if parts is None else parts[1]


def _unknown(target: Pack, place: Value, value: Value) -> Value:
    dtype = target.dtype
    if target.uniform is not None and target.uniform == (value.uniform if isinstance(value, Pack) else value):
        return target
    if dtype is None:
        return Pack((ItemRun(target.length, value),)) if target.length.value == 0 else UNDEFINED
    low, high = bounds_of((target, value))
    return opaque_pack(OperationKey(dtype, "<-", (target, place, value)), target.length, low, high)
