"""Operations on single values, taken item by item over packs (2.4)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from snd_analysis import rules
from snd_analysis.base import counted
from snd_analysis.symbolic import integers as shapes
from snd_analysis.symbolic.integers import TRUE, EqualityVerdict, Integer
from snd_analysis.symbolic.limits import MOST_ITEMS
from snd_analysis.symbolic.values.items import at, divided
from snd_analysis.symbolic.values.pack import ONE, POSITION, ItemRun, Pack, Segment, fresh
from snd_analysis.symbolic.values.scalars import UNDEFINED, OperationError, Value, default_value, dtype_of

ItemOperation: TypeAlias = Callable[..., Value]


def elementwise(operation: ItemOperation, *operands: Value) -> Value:
    """Return the operation on single values, or on the items of all packs among them.

    Single values are combined with each item. Raise Failure if the packs certainly have different lengths, or the
    operation has no value for some item.
    """
    packs = [operand for operand in operands if type(operand) is Pack]
    if not packs:
        return operation(*operands)
    length = joined_length(operands)
    if all(pack.run is not None for pack in packs):
        return _over_runs(operation, operands, length)
    rows = _rows(operands, packs, length)
    if rows is not None:
        return _pack_of_items([operation(*row) for row in rows], operation, operands)
    return _over_segments(operation, operands, packs, length)


def joined_length(operands: Sequence[Value]) -> Integer:
    """Return the common length of the packs among the operands, in its simplest form.

    At least one operand is a pack. Raise Failure if the lengths certainly differ.
    """
    length: Integer | None = None
    told = 0
    for place, operand in enumerate(operands):
        if type(operand) is not Pack:
            continue
        other = operand.length
        if length is None:
            length, told = other, place
        elif other is not length and other != length:
            if shapes.decide_equal(length, other) is EqualityVerdict.DIFFERENT:
                message = rules.packs.different_lengths(length, other)
                notes = ((told, f"this has {counted(length, 'item')}"), (place, f"this has {counted(other, 'item')}"))
                raise OperationError(rules.LENGTH_MISMATCH, message, None, notes)
            if other.value is not None:
                length, told = other, place
    assert length is not None
    return length


def _rows(operands: Sequence[Value], packs: Sequence[Pack], length: Integer) -> list[tuple[Value, ...]] | None:
    """Return the operands of each item, if their number is known, not too large, and each is known."""
    count = length.value
    if count is None or count > MOST_ITEMS:
        return None
    columns: list[Sequence[Value]] = []
    for operand in operands:
        if type(operand) is not Pack:
            columns.append((operand,) * count)
        elif operand.items is not None:
            columns.append(operand.items)
        else:
            columns.append([at(operand, shapes.constant(place)) for place in range(count)])
    return list(zip(*columns, strict=True))


def _pack_of_items(items: list[Value], operation: ItemOperation, operands: Sequence[Value]) -> Value:
    if not items:
        return _empty(operation, operands)
    for item in items:
        if item is UNDEFINED:
            return UNDEFINED
    repeats = all(type(operand) is not Pack or operand.repeats is not None for operand in operands)
    return Pack(items, repeats=items[0] if repeats else None)


def _empty(operation: ItemOperation, operands: Sequence[Value]) -> Pack:
    """Return an empty pack; its repeated value and element type are known if those of every operand are."""
    samples = [operand.repeats if isinstance(operand, Pack) else operand for operand in operands]
    if all(sample is not None for sample in samples):
        try:
            return Pack((), repeats=operation(*samples))
        except OperationError:
            return Pack(())
    samples = [_sample_of(operand) for operand in operands]
    if any(sample is None for sample in samples):
        return Pack(())
    try:
        return Pack((), dtype=dtype_of(operation(*samples)))
    except OperationError:
        return Pack(())


def _sample_of(operand: Value) -> Value | None:
    if not isinstance(operand, Pack):
        return operand
    if operand.dtype == "int":
        return ONE
    return None if operand.dtype is None else default_value(operand.dtype)


# ---- runs ------------------------------------------------------------------------------------------------------------
def _over_runs(operation: ItemOperation, operands: Sequence[Value], length: Integer) -> Value:
    elements = [
        operand.run.element if isinstance(operand, Pack) and operand.run is not None else operand
        for operand in operands
    ]
    element = run_element(operation, elements, length)
    return UNDEFINED if element is UNDEFINED else Pack((ItemRun(length, element),))


def run_element(operation: ItemOperation, elements: Sequence[Value], length: Integer) -> Value:
    """Return the element of a run; an unknown one if it has no value while there may be no items."""
    try:
        return operation(*elements)
    except OperationError:
        if (shapes.bounds(length)[0] or 0) > 0:
            raise
    return fresh(_dtype_without_value(operation, elements))


def _dtype_without_value(operation: ItemOperation, elements: Sequence[Value]) -> str | None:
    try:
        return dtype_of(operation(*(ONE if isinstance(element, Integer) else element for element in elements)))
    except OperationError:
        return None


def _over_segments(
    operation: ItemOperation, operands: Sequence[Value], packs: Sequence[Pack], length: Integer
) -> Value:
    aligned = _aligned(operands, packs)
    if aligned is None:
        elements = [at(operand, POSITION) if isinstance(operand, Pack) else operand for operand in operands]
        element = run_element(operation, elements, length)
        return UNDEFINED if element is UNDEFINED else Pack((ItemRun(length, element),))
    segments: list[Segment] = []
    for count, elements in aligned:
        value = operation(*elements) if count is None else run_element(operation, elements, count)
        if value is UNDEFINED:
            return UNDEFINED
        segments.append(value if count is None else ItemRun(count, value))
    return Pack(segments)


Aligned: TypeAlias = "list[tuple[Integer | None, list[Value]]]"
"""Segments: the length (None for a single item) and the operands of each."""


def _aligned(operands: Sequence[Value], packs: Sequence[Pack]) -> Aligned | None:
    """Return the operands in parts that have the same length in all packs; None if they can't be cut so."""
    rests = {id(pack): list(reversed(pack.segments)) for pack in packs}
    aligned: Aligned = []
    while all(rests.values()):
        heads = {identity: rest.pop() for identity, rest in rests.items()}
        lengths = [_length(head) for head in heads.values()]
        shortest = next((length for length in lengths if all(_fits(length, other) for other in lengths)), None)
        if shortest is None:
            return None
        for identity, head in heads.items():
            if isinstance(head, ItemRun) and head.length != shortest:
                first, second = divided(head, shortest)
                heads[identity] = first
                # A segment of known length is written out.
                rests[identity].extend(reversed(Pack((second,)).segments))
        single = all(not isinstance(head, ItemRun) for head in heads.values())
        elements = [
            _element(heads[id(operand)], shortest) if isinstance(operand, Pack) else operand for operand in operands
        ]
        aligned.append((None if single or shortest == ONE else shortest, elements))
    return aligned


def _fits(length: Integer, other: Integer) -> bool:
    return length == other or shapes.compare("<=", length, other) is TRUE


def _length(segment: Segment) -> Integer:
    return segment.length if isinstance(segment, ItemRun) else ONE


def _element(segment: Segment, length: Integer) -> Value:
    if not isinstance(segment, ItemRun):
        return segment
    return at(Pack((segment,)), shapes.constant(0)) if length == ONE else segment.element
