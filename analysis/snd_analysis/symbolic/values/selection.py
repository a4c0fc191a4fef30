"""``c ? a : b`` of values and packs where the condition need not be known (2.4, Select operator)."""

from __future__ import annotations

from snd_analysis.symbolic import integers as shapes
from snd_analysis.symbolic.integers import FALSE, TRUE, Integer, Truth
from snd_analysis.symbolic.values.elementwise import elementwise
from snd_analysis.symbolic.values.formatting import operation_text, result_of
from snd_analysis.symbolic.values.items import at, bounds_of
from snd_analysis.symbolic.values.pack import POSITION, ItemRun, Pack, element_value
from snd_analysis.symbolic.values.scalars import (
    DEFINITIONS,
    NULL,
    UNDEFINED,
    Foreign,
    Maybe,
    OperationKey,
    Value,
    dtype_of,
    maybe,
)


def choose(condition: Value, a: Value, b: Value) -> Value:
    """Return one of two values by a single condition; both, if it is not known, as far as one value can say."""
    if condition is TRUE:
        return a
    if condition is FALSE:
        return b
    if not isinstance(condition, Truth) or a is UNDEFINED or b is UNDEFINED:
        return UNDEFINED
    if isinstance(a, Maybe) or isinstance(b, Maybe) or a is NULL or b is NULL:
        return _choose_optional(condition, a, b)
    if isinstance(a, Pack) or isinstance(b, Pack):
        return _choose_pack(condition, a, b)
    return _choose_single(condition, a, b)


def _choose_optional(condition: Truth, a: Value, b: Value) -> Value:
    (first, x), (second, y) = _taken_apart(a), _taken_apart(b)
    present = shapes.or_(shapes.and_(condition, first), shapes.and_(shapes.not_(condition), second))
    value = y if x is NULL else x if y is NULL else choose(condition, x, y)
    return maybe(present, value)


def _taken_apart(value: Value) -> tuple[Truth, Value]:
    if isinstance(value, Maybe):
        return value.present, value.value
    return (FALSE, NULL) if value is NULL else (TRUE, value)


def _choose_single(condition: Value, a: Value, b: Value) -> Value:
    if condition is TRUE:
        return a
    if condition is FALSE:
        return b
    if not isinstance(condition, Truth):
        return UNDEFINED
    match a, b:
        case Integer(), Integer():
            return shapes.choose(condition, a, b)
        case Truth(), Truth():
            if a == b:
                return a
            return shapes.or_(shapes.and_(condition, a), shapes.and_(shapes.not_(condition), b))
        case _ if a is b or (dtype_of(a) == "str" and a == b):
            return a
        case Foreign(), _:
            return a.or_else(condition, b)
        case _, Foreign():
            return b.or_else(shapes.not_(condition), a)
    dtype = dtype_of(a)
    return UNDEFINED if dtype is None or dtype != dtype_of(b) else result_of(dtype, "? :", (condition, a, b))


def _choose_pack(condition: Truth, a: Value, b: Value) -> Value:
    if not isinstance(a, Pack):
        assert isinstance(b, Pack)
        a = Pack((ItemRun(b.length, a),))
    elif not isinstance(b, Pack):
        b = Pack((ItemRun(a.length, b),))
    if a.length == b.length:
        if _is_certain(a) and _is_certain(b):
            return elementwise(_choose_single, condition, a, b)
        element = elementwise(_choose_single, condition, at(a, POSITION), at(b, POSITION))
        return UNDEFINED if element is UNDEFINED else Pack((ItemRun(a.length, element),))
    length = shapes.choose(condition, a.length, b.length)
    dtype = a.dtype or b.dtype
    if dtype is None:
        return UNDEFINED
    if a.uniform is not None and b.uniform is not None:
        return Pack((ItemRun(length, _choose_single(condition, a.uniform, b.uniform)),))
    low, high = bounds_of((a, b))
    return opaque_pack(OperationKey(dtype, "? :", (condition, a, b)), length, low, high)


def _is_certain(pack: Pack) -> bool:
    """Return whether the pack is cut into segments that way in any case, not only where it has a value at all."""
    lows = (shapes.bounds(segment.length)[0] for segment in pack.segments if isinstance(segment, ItemRun))
    return all(low is not None and low >= 0 for low in lows)


def opaque_pack(result: OperationKey, length: Integer, low: int | None = None, high: int | None = None) -> Value:
    """Return a pack of unknown items with its origin, its length, and bounds of its items."""
    text = operation_text(result.operation, result.operands)
    element = element_value(result, text, POSITION, result.dtype, low, high)
    return Pack((ItemRun(length, element),), dtype=result.dtype)


def select(condition: Value, a: Value, b: Value) -> Value:
    """Return ``c ? a : b``: by one condition, or item by item.

    A single value beside a pack counts as a pack of its length. Raise Failure if lengths that must agree can't.
    """
    if isinstance(condition, Pack):
        return elementwise(_choose_single, condition, a, b)
    if isinstance(a, Pack) != isinstance(b, Pack) and condition in (TRUE, FALSE):
        return elementwise(_choose_single, condition, a, b)
    return choose(condition, a, b)


DEFINITIONS["? :"] = select
