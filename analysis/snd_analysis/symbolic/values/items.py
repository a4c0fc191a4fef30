"""Items of packs at places that may be known symbolically only, and packs cut in two."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from snd_analysis import rules
from snd_analysis.symbolic import integers as shapes
from snd_analysis.symbolic.integers import FALSE, TRUE, Integer, is_wide
from snd_analysis.symbolic.notation import notation
from snd_analysis.symbolic.values.pack import POSITION, ZERO, ItemRun, Pack, Segment, element_value, positional
from snd_analysis.symbolic.values.rewriting import shifted
from snd_analysis.symbolic.values.scalars import DEFINITIONS, Maybe, OperationError, Value


def outside(index: Integer, length: Integer) -> OperationError:
    """Return why there is no item at an index, as it was written."""
    message = rules.packs.outside_of_pack(f"index {index}", length)
    return OperationError(rules.INDEX_OUT_OF_RANGE, message, 1)


def from_start(index: Integer, length: Integer) -> Integer:
    """Return an index counted from the start, where negative ones count from the end (2.4, Indexing)."""
    number = index.value
    if number is not None:
        return index if number >= 0 else length + number
    low, high = shapes.bounds(index)
    if low is not None and low >= 0:
        return index
    if high is not None and high < 0:
        return index + length
    return shapes.choose(shapes.compare("<", index, 0), index + length, index)


def item(pack: Pack, index: Integer) -> Value:
    """Return ``pack[index]``. Raise Failure if the index is certainly outside."""
    number, count = index.value, pack.length.value
    if number is not None and count is not None:
        if -count <= number < count:
            return at(pack, index if number >= 0 else shapes.constant(number + count))
        raise outside(index, pack.length)
    if not positional(index) and (
        shapes.compare(">=", index, pack.length) is TRUE or shapes.compare("<", index, -pack.length) is TRUE
    ):
        raise outside(index, pack.length)
    return at(pack, from_start(index, pack.length))


def at(pack: Pack, index: Integer) -> Value:
    """Return the item at an index that is not negative and in the pack, both as far as is known.

    Raise Failure if it is certainly not.
    """
    number, count = index.value, pack.length.value
    if number is not None and count is not None and not 0 <= number < count:
        raise outside(index, pack.length)
    run = pack.run
    if run is not None:
        return shifted(run.element, index)
    if number is not None and pack.items is not None:
        return pack.items[number]
    uniform = pack.uniform
    if uniform is not None:
        return uniform
    offset = ZERO
    for segment in pack.segments:
        after = offset + (segment.length if isinstance(segment, ItemRun) else 1)
        inside = shapes.compare("<", index, after)
        if inside is TRUE:
            return shifted(segment.element, index - offset) if isinstance(segment, ItemRun) else segment
        if inside is not FALSE:
            break
        offset = after
    return some_item(pack, index)


DEFINITIONS["at"] = at


def some_item(pack: Pack, index: Integer) -> Value:
    """Return an unknown item of a pack at an unknown index, with the bounds of all items."""
    low, high = bounds_of([pack])
    return element_value(pack, notation(pack), index, pack.dtype, low, high)


def bounds_of(values: Iterable[Value]) -> tuple[int | None, int | None]:
    """Return bounds of all ints among values and in packs; None where there is none."""
    lows: list[int | None] = []
    highs: list[int | None] = []
    for value in values:
        for element in value.elements if isinstance(value, Pack) else (value,):
            if not isinstance(element, Integer):
                return None, None
            low, high = shapes.bounds(element)
            lows.append(low)
            highs.append(high)
    low = None if None in lows or not lows else min(known for known in lows if known is not None)
    high = None if None in highs or not highs else max(known for known in highs if known is not None)
    return low, high


def split(pack: Pack, place: Integer) -> tuple[Pack, Pack] | None:
    """Return the first ``place`` items and the rest; None if it is not known where that is."""
    number, segments = place.value, pack.segments
    if number is not None and not any(type(each) is ItemRun for each in segments):
        return _parts(pack, segments[:number], segments[number:]) if 0 <= number <= len(segments) else None
    rest = place
    for count, segment in enumerate(pack.segments):
        if rest.value == 0:
            return _parts(pack, pack.segments[:count], pack.segments[count:])
        length = segment.length if isinstance(segment, ItemRun) else shapes.constant(1)
        if shapes.compare("<=", length, rest) is TRUE:
            rest = rest - length
            continue
        if isinstance(segment, ItemRun) and _within(rest, length):
            first, second = divided(segment, rest)
            return _parts(pack, (*pack.segments[:count], first), (second, *pack.segments[count + 1 :]))
        return None
    return _parts(pack, pack.segments, ()) if rest.value == 0 else None


def _within(place: Integer, length: Integer) -> bool:
    return shapes.compare(">=", place, 0) is TRUE and shapes.compare("<=", place, length) is TRUE


def _parts(pack: Pack, first: tuple[Segment, ...], second: tuple[Segment, ...]) -> tuple[Pack, Pack]:
    return (
        Pack(first, dtype=pack.dtype, repeats=pack.repeats),
        Pack(second, dtype=pack.dtype, repeats=pack.repeats),
    )


def cut(pack: Pack, place: Integer) -> tuple[Pack, Pack]:
    """Return the first ``place`` items and the rest, wherever that may be: two runs of unknown items."""
    first = ItemRun(place, at(pack, POSITION))
    second = ItemRun(pack.length - place, at(pack, POSITION + place))
    return _parts(pack, (first,), (second,))


def divided(run: ItemRun, place: Integer) -> tuple[ItemRun, ItemRun]:
    """Return a run as two, the first with ``place`` items."""
    return ItemRun(place, run.element), ItemRun(run.length - place, shifted(run.element, POSITION + place))


def reversed_pack(pack: Pack) -> Pack:
    """Return the items from last to first."""
    segments = [
        ItemRun(segment.length, shifted(segment.element, segment.length - 1 - POSITION))
        if isinstance(segment, ItemRun)
        else segment
        for segment in reversed(pack.segments)
    ]
    return Pack(segments, dtype=pack.dtype, repeats=pack.repeats)


def wide_items(value: Value) -> Iterator[tuple[int, Integer]]:
    """Yield the known ints of more than 64 bits in a value, with their positions in a pack; 0 for a single value."""
    if isinstance(value, Maybe):
        value = value.value
    for at_, each in enumerate(value.elements if isinstance(value, Pack) else (value,)):
        if isinstance(each, Integer) and is_wide(each):
            yield at_, each
