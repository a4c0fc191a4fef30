"""``a[i]``, ``a[i:j:k]``, ``a[indices]`` and ``a[mask]`` on packs and strings (2.4, Indexing)."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from msgspec import Struct

from snd_analysis import rules
from snd_analysis.symbolic import integers as shapes
from snd_analysis.symbolic.integers import FALSE, TRUE, Integer, Truth
from snd_analysis.symbolic.values.elementwise import elementwise, joined_length, run_element
from snd_analysis.symbolic.values.folds import FOLDS
from snd_analysis.symbolic.values.formatting import result_of
from snd_analysis.symbolic.values.items import at, bounds_of, from_start, item, reversed_pack, split
from snd_analysis.symbolic.values.pack import ONE, POSITION, ZERO, ItemRun, Pack, Segment
from snd_analysis.symbolic.values.scalars import DEFINITIONS, UNDEFINED, OperationError, OperationKey, Unknown, Value
from snd_analysis.symbolic.values.selection import choose, opaque_pack


class Slice(Struct, frozen=True):
    """``first:last:step``; None for an omitted part."""

    first: Integer | None
    last: Integer | None
    step: Integer | None


def index(target: Value, place: Value) -> Value:
    """Return ``target[place]`` for an int, a pack of ints, or a mask.

    Raise Failure if it is certainly out of bounds.
    """
    match target:
        case Pack():
            if isinstance(place, Integer):
                return item(target, place)
            return _items(target, place) if isinstance(place, Pack) else UNDEFINED
        case str():
            return _substring(target, place)
        case Unknown() if target.dtype == "str":
            return result_of("str", "[]", (target, place))
    return UNDEFINED


DEFINITIONS["[]"] = index


def _items(target: Pack, places: Pack) -> Value:
    dtype = places.dtype
    if dtype == "bool":
        return masked(target, places)
    if dtype not in ("int", None):
        return UNDEFINED
    segments: list[Segment] = []
    for segment in places.segments:
        if not isinstance(segment, ItemRun):
            assert isinstance(segment, Integer)
            segments.append(item(target, segment))
            continue
        element = run_element(lambda place: item(target, place), [segment.element], segment.length)
        segments.append(ItemRun(segment.length, element))
    made = Pack(segments, dtype=target.dtype, repeats=target.repeats)
    return UNDEFINED if UNDEFINED in made.elements else made


# ---- masks -----------------------------------------------------------------------------------------------------------
def masked(target: Pack, mask: Pack) -> Value:
    """Return the items where the mask is true. Raise Failure if it certainly has another length."""
    try:
        joined_length((target, mask))
    except OperationError:
        message = rules.packs.mask_differs(mask.length, target.length)
        raise OperationError(rules.LENGTH_MISMATCH, message, 1) from None
    uniform = mask.uniform
    if uniform is TRUE:
        return target
    if uniform is FALSE:
        return Pack((), dtype=target.dtype, repeats=target.repeats)
    bits = mask.items
    if bits is not None and all(bit is TRUE or bit is FALSE for bit in bits):
        taken = [at(target, shapes.constant(place)) for place, bit in enumerate(bits) if bit is TRUE]
        return UNDEFINED if UNDEFINED in taken else Pack(taken, dtype=target.dtype, repeats=target.repeats)
    pieces = _unmasked(target, mask)
    if pieces is not None:
        return Pack(pieces, dtype=target.dtype, repeats=target.repeats)
    if target.dtype is None:
        return UNDEFINED
    ones = elementwise(lambda bit: choose(bit, ONE, ZERO), mask)
    count = FOLDS["+"](ones) if isinstance(ones, Pack) else UNDEFINED
    if not isinstance(count, Integer):
        return UNDEFINED
    if target.uniform is not None:
        return Pack((ItemRun(count, target.uniform),))
    low, high = bounds_of([target])
    return opaque_pack(OperationKey(target.dtype, "[..]", (target, mask)), count, low, high)


DEFINITIONS["[..]"] = masked


def _unmasked(target: Pack, mask: Pack) -> list[Segment] | None:
    """Return the parts where the mask is true; None if it is not known where they begin and end."""
    pieces: list[Segment] = []
    rest = target
    for segment in mask.segments:
        bit, length = (segment.element, segment.length) if isinstance(segment, ItemRun) else (segment, ONE)
        parts = split(rest, length) if bit is TRUE or bit is FALSE else None
        if parts is None:
            return None
        if bit is TRUE:
            pieces.extend(parts[0].segments)
        rest = parts[1]
    return pieces


# ---- slices ----------------------------------------------------------------------------------------------------------
def sliced(target: Value, part: Slice) -> Value:
    """Return ``target[first:last:step]``.

    Raise Failure if a given bound is certainly outside, its operand being 0 for the first, 1 for the last and 2 for the
    step.
    """
    step = ONE if part.step is None else part.step
    if step.value == 0:
        raise zero_step()
    match target:
        case str():
            return _sliced_string(target, part)
        case Unknown(dtype="str"):
            return _sliced_unknown(target, part)
        case Pack(items=items):
            _check_bounds(part, target.length)
            numbers = _numbers(part)
            if items is not None and numbers is not None:
                return Pack(items[slice(*numbers)], dtype=target.dtype, repeats=target.repeats)
            return _sliced_symbolically(target, part, step)
        case _:
            return UNDEFINED


def zero_step() -> OperationError:
    """Return why there is no range."""
    return OperationError(rules.ZERO_STEP, rules.packs.STEP_IS_ZERO, 2)


def _numbers(part: Slice) -> tuple[int | None, int | None, int | None] | None:
    numbers = []
    for bound in (part.first, part.last, part.step):
        number = None if bound is None else bound.value
        if number is None and bound is not None:
            return None
        numbers.append(number)
    return numbers[0], numbers[1], numbers[2]


def _check_bounds(part: Slice, length: Integer) -> None:
    for operand, bound in enumerate((part.first, part.last)):
        if bound is None:
            continue
        number, count = bound.value, length.value
        if number is not None and count is not None:
            outside = not -count <= number <= count
        else:
            outside = shapes.compare(">", bound, length) is TRUE or shapes.compare("<", bound, -length) is TRUE
        if outside:
            message = rules.packs.outside_of_pack(f"bound {bound}", length)
            raise OperationError(rules.INDEX_OUT_OF_RANGE, message, operand)


def _sliced_symbolically(target: Pack, part: Slice, step: Integer) -> Value:
    length = target.length
    backwards = shapes.compare("<", step, 0)
    start, end = _start(part, length, backwards), _end(part, length, backwards)
    if step == ONE:
        cut = _cut(target, start, end)
        if cut is not None:
            return cut
    elif step.value == -1:
        cut = _cut(target, end + 1, start + 1)
        if cut is not None:
            return reversed_pack(cut)
    count = shapes.maximum(shapes.ceil_divide(end - start, step), 0)
    if target.uniform is not None:
        return Pack((ItemRun(count, target.uniform),))
    if count.value == 0:
        return Pack((), dtype=target.dtype)
    element = run_element(lambda place: at(target, place), [start + step * POSITION], count)
    return UNDEFINED if element is UNDEFINED else Pack((ItemRun(count, element),), dtype=target.dtype)


def _start(part: Slice, length: Integer, backwards: Truth) -> Integer:
    if part.first is None:
        return shapes.choose(backwards, length - 1, 0)
    first = from_start(part.first, length)
    # A first bound of the length is that of an empty slice forwards, and backwards that of a whole one.
    return shapes.choose(backwards, shapes.minimum(first, length - 1), first)


def _end(part: Slice, length: Integer, backwards: Truth) -> Integer:
    return shapes.choose(backwards, -1, length) if part.last is None else from_start(part.last, length)


def _cut(target: Pack, start: Integer, end: Integer) -> Pack | None:
    """Return the items from ``start`` up to ``end``; None if it is not known where they begin and end."""
    if shapes.compare("<=", end, start) is TRUE:
        return Pack((), dtype=target.dtype, repeats=target.repeats)
    first = split(target, start)
    if first is None or shapes.compare("<=", start, end) is not TRUE:
        return None
    second = split(first[1], end - start)
    return None if second is None else second[0]


# ---- strings ---------------------------------------------------------------------------------------------------------
@contextmanager
def _of_characters() -> Iterator[None]:
    """Rename packs to strings in the messages of failures."""
    try:
        yield
    except OperationError as failure:
        message = failure.message.replace("the pack", "the string").replace(" item", " character")
        raise OperationError(failure.rule, message, failure.operand, failure.notes) from None


def _substring(text: str, place: Value) -> Value:
    characters = Pack(text)
    if isinstance(place, Integer) and place.value is None:
        return _unknown_substring(text, place)
    with _of_characters():
        taken = index(characters, place)
    if isinstance(taken, Pack):
        return _joined(taken) if _is_written_out(taken) else _unknown_substring(text, place)
    return taken


def _sliced_string(text: str, part: Slice) -> Value:
    with _of_characters():
        _check_bounds(part, shapes.constant(len(text)))
    numbers = _numbers(part)
    if numbers is None:
        return _sliced_unknown(text, part)
    return text[slice(*numbers)]


def _sliced_unknown(text: Value, part: Slice) -> Value:
    given = tuple("" if bound is None else bound for bound in (part.first, part.last, part.step))
    return result_of("str", "[:]", (text, *given))


def _slice_again(text: Value, *given: Value) -> Value:
    bounds = [bound if isinstance(bound, Integer) else None for bound in given]
    return sliced(text, Slice(*bounds))


DEFINITIONS["[:]"] = _slice_again


def _unknown_substring(text: str, place: Value) -> Value:
    return result_of("str", "[]", (text, place))


def _is_written_out(pack: Pack) -> bool:
    return pack.items is not None and all(isinstance(character, str) for character in pack.items)


def _joined(pack: Pack) -> str:
    assert pack.items is not None
    return "".join(str(character) for character in pack.items)
