"""Expansions in lists: repetitions, ranges and zips (2.4, Lists, Ranges, Zip expressions)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct

from snd_analysis import rules
from snd_analysis.symbolic import integers as shapes
from snd_analysis.symbolic.integers import FALSE, TRUE, EqualityVerdict, Integer, Truth
from snd_analysis.symbolic.limits import MOST_ITEMS
from snd_analysis.symbolic.values.elementwise import elementwise, joined_length
from snd_analysis.symbolic.values.formatting import result_of
from snd_analysis.symbolic.values.indexing import zero_step
from snd_analysis.symbolic.values.items import at, divided
from snd_analysis.symbolic.values.operations import OPERATIONS
from snd_analysis.symbolic.values.pack import ONE, POSITION, ZERO, ItemRun, Pack, Segment, fresh, positional
from snd_analysis.symbolic.values.rewriting import shifted
from snd_analysis.symbolic.values.scalars import DEFINITIONS, UNDEFINED, OperationError, Value
from snd_analysis.symbolic.values.selection import choose


def repeated(value: Value, count: Value) -> Value:
    """Return ``value..(count)``: so many times, or under a condition; none for a negative count.

    Of a pack, a count is a length that it must have, and a condition keeps all of it or nothing. Raise Failure if the
    pack certainly has another length.
    """
    if value is UNDEFINED or not isinstance(count, Integer | Truth):
        return UNDEFINED
    if isinstance(value, Pack):
        return _of_length(value, count) if isinstance(count, Integer) else _conditional(value, count)
    if isinstance(count, Truth):
        length = shapes.choose(count, 1, 0)
    else:
        number = count.value
        length = shapes.maximum(count, 0) if number is None else count if number >= 0 else ZERO
    return Pack((ItemRun(length, value),))


def _of_length(pack: Pack, length: Integer) -> Pack:
    if shapes.decide_equal(pack.length, length) is EqualityVerdict.DIFFERENT:
        raise OperationError(rules.LENGTH_MISMATCH, f"this pack has {pack.length} items, not {length}", 0)
    return with_length(pack, length)


def with_length(pack: Pack, length: Integer) -> Pack:
    """Return the pack, said to have a length that is equal to its own: where that is simpler, or known (2.9)."""
    if pack.length == length or pack.items is not None:
        return pack
    run = pack.run
    if run is not None:
        return Pack((ItemRun(length, run.element),), dtype=pack.dtype)
    count = length.value
    if count is None or count > MOST_ITEMS:
        return pack
    return Pack([at(pack, shapes.constant(place)) for place in range(count)], dtype=pack.dtype)


def _conditional(pack: Pack, condition: Truth) -> Value:
    nothing = Pack((), dtype=pack.dtype, repeats=pack.repeats)
    if condition is TRUE or condition is FALSE:
        return pack if condition is TRUE else nothing
    run = pack.run
    if run is not None:
        return Pack((ItemRun(shapes.choose(condition, run.length, 0), run.element),), dtype=pack.dtype)
    return choose(condition, pack, nothing)


def range_(first: Integer, last: Integer, step: Integer | None) -> Pack:
    """Return ``first:last:step``. Raise Failure for a step of zero."""
    by = ONE if step is None else step
    if by.value == 0:
        raise zero_step()
    numbers = first.value, last.value, by.value
    if numbers[0] is not None and numbers[1] is not None and numbers[2] is not None:
        row = range(numbers[0], numbers[1], numbers[2])
        if not row[MOST_ITEMS:]:
            return Pack([shapes.constant(number) for number in row], dtype="int")
    length = shapes.maximum(shapes.ceil_divide(last - first, by), 0)
    return Pack((ItemRun(length, first + by * POSITION),), dtype="int")


def zipped(packs: Sequence[Value]) -> Value:
    """Return ``(a, b)..``: the first items of all packs, then the second ones, and so on.

    Raise Failure if the packs certainly have different lengths.
    """
    rows = [pack for pack in packs if isinstance(pack, Pack)]
    if len(rows) != len(packs) or not rows:
        return UNDEFINED
    length = joined_length(rows)
    number = length.value
    if number is not None and number <= MOST_ITEMS:
        columns = [with_length(row, length) for row in rows]
        return Pack(
            [at(column, shapes.constant(place)) for place in range(number) for column in columns], dtype=rows[0].dtype
        )
    return _zipped_runs(rows, length)


def _zipped_runs(rows: Sequence[Pack], length: Integer) -> Value:
    width = len(rows)
    turn, row = shapes.remainder(POSITION, width), shapes.floor_divide(POSITION, width)
    element = at(rows[-1], row)
    for place in range(width - 2, -1, -1):
        element = elementwise(choose, shapes.compare("==", turn, place), at(rows[place], row), element)
    return UNDEFINED if element is UNDEFINED else Pack((ItemRun(length * width, element),), dtype=rows[0].dtype)


# ---- ``x in a`` (2.4, Containment testing) ---------------------------------------------------------------------------
def contained(item: Value, pack: Value) -> Value:
    """Return whether a value is in a pack; for a pack of values, a pack with an answer for each."""
    if not isinstance(pack, Pack):
        return UNDEFINED
    if isinstance(item, Pack) and any(isinstance(segment, ItemRun) for segment in item.segments):
        known = _known_parts(item, pack)
        if known is not None:
            return known
    return elementwise(lambda single: _is_in(single, pack), item)


DEFINITIONS["in"] = contained


def _is_in(item: Value, pack: Pack) -> Value:
    undecided: list[Truth] = []
    for segment in pack.segments:
        found = _is_at(item, segment)
        if found is TRUE:
            return TRUE
        if not isinstance(found, Truth):
            return UNDEFINED
        if found is not FALSE:
            undecided.append(found)
    return shapes.or_(*undecided) if undecided else FALSE


def _is_at(item: Value, segment: Segment) -> Value:
    if not isinstance(segment, ItemRun):
        return OPERATIONS["=="](item, segment)
    interval = _interval(segment)
    if interval is not None and isinstance(item, Integer):
        return shapes.and_(shapes.compare(">=", item, interval.first), shapes.compare("<", item, interval.end))
    # The positions of the two are not the same one.
    some = shifted(item, _SOME_POSITION) if positional(item) else item
    same = OPERATIONS["=="](some, segment.element)
    if same is UNDEFINED or same is FALSE:
        return same
    if positional(segment.element):
        return result_of("bool", "in", (item, Pack((segment,))))
    return OPERATIONS["&&"](shapes.compare(">=", segment.length, 1), OPERATIONS["=="](item, segment.element))


_position = fresh("int")
assert isinstance(_position, Integer)
_SOME_POSITION = shapes.maximum(_position, ZERO)


# ---- ranges ----------------------------------------------------------------------------------------------------------
class _Interval(Struct, frozen=True):
    """The ints from ``first`` up to ``end``, exclusive."""

    first: Integer
    end: Integer


def _interval(segment: Segment) -> _Interval | None:
    """Return the ints that a range, or a single int, has; None if that is no interval."""
    element = segment.element if isinstance(segment, ItemRun) else segment
    if not isinstance(element, Integer):
        return None
    if not isinstance(segment, ItemRun):
        return _Interval(element, element + 1)
    ascending, descending = element - POSITION, element + POSITION
    if not positional(ascending):
        return _Interval(ascending, ascending + segment.length)
    return None if positional(descending) else _Interval(descending - segment.length + 1, descending + 1)


def _known_parts(item: Pack, pack: Pack) -> Pack | None:
    """Return the parts of ranges in intervals; None if their ends are unknown."""
    intervals = [_interval(segment) for segment in pack.segments]
    parts: list[Segment] = []
    for segment in item.segments:
        for part in _cut(segment, intervals):
            found = _whole(part, intervals)
            if found is None:
                return None
            parts.append(ItemRun(part.length, found) if isinstance(part, ItemRun) else found)
    return Pack(parts)


def _cut(segment: Segment, intervals: list[_Interval | None]) -> Iterator[Segment]:
    """Yield the parts of a range that are each inside or outside an interval, as far as that is known."""
    rest = segment
    for interval in intervals:
        for bound in () if interval is None else (interval.first, interval.end):
            first = _ascending(rest)
            if first is None or not isinstance(rest, ItemRun):
                break
            place = bound - first
            if place != ZERO and place != rest.length and _ordered(ZERO, place) and _ordered(place, rest.length):
                part, rest = divided(rest, place)
                yield part
    yield rest


def _ascending(segment: Segment) -> Integer | None:
    """Return the first int of a range that ascends by 1."""
    if not isinstance(segment, ItemRun) or not isinstance(segment.element, Integer):
        return None
    first = segment.element - POSITION
    return None if positional(first) else first


def _whole(part: Segment, intervals: list[_Interval | None]) -> Truth | None:
    """Return whether all ints of a part are in one interval, or none is in any; None if that is not known."""
    own = _interval(part)
    if own is None:
        return None
    found: Truth | None = FALSE
    for interval in intervals:
        if interval is None:
            found = None
        elif _ordered(interval.first, own.first) and _ordered(own.end, interval.end):
            return TRUE
        elif not _ordered(own.end, interval.first) and not _ordered(interval.end, own.first):
            found = None
    return found


def _ordered(a: Integer, b: Integer) -> bool:
    return shapes.compare("<=", a, b) is TRUE
