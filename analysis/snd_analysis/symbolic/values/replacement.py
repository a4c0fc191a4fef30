"""``a[i] <- b``: a pack with some items replaced (2.4, Substitution)."""

from __future__ import annotations

from snd_analysis import rules
from snd_analysis.base import counted
from snd_analysis.symbolic import integers as shapes
from snd_analysis.symbolic.integers import TRUE, Integer
from snd_analysis.symbolic.values.items import at, bounds_of, from_start, outside, split
from snd_analysis.symbolic.values.pack import ONE, POSITION, ItemRun, Pack
from snd_analysis.symbolic.values.rewriting import shifted
from snd_analysis.symbolic.values.scalars import DEFINITIONS, UNDEFINED, OperationError, OperationKey, Value
from snd_analysis.symbolic.values.selection import opaque_pack


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
