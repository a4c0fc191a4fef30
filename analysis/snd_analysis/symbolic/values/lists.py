"""Expansions in lists: repetitions, ranges and zips (2.4, Lists, Ranges, Zip expressions)."""

from __future__ import annotations

from collections.abc import Sequence

from snd_analysis import rules
from snd_analysis.symbolic import integers as shapes
from snd_analysis.symbolic.integers import FALSE, TRUE, EqualityVerdict, Integer, Truth
from snd_analysis.symbolic.limits import MOST_ITEMS
from snd_analysis.symbolic.values.elementwise import elementwise, joined_length
from snd_analysis.symbolic.values.indexing import zero_step
from snd_analysis.symbolic.values.items import at
from snd_analysis.symbolic.values.pack import ONE, POSITION, ZERO, ItemRun, Pack
from snd_analysis.symbolic.values.scalars import UNDEFINED, OperationError, Value
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
