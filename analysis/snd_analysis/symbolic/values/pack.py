"""Packs: rows of values, some of them runs whose length is not known (2.3)."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from typing import Final, TypeAlias

from msgspec import Struct

from snd_analysis.symbolic import integers as shapes
from snd_analysis.symbolic.integers import Integer, Truth
from snd_analysis.symbolic.limits import DEEPEST, LONGEST_WRITTEN_OUT, MOST_ITEMS
from snd_analysis.symbolic.values.scalars import (
    Foreign,
    Fresh,
    NestedValue,
    OperationKey,
    Unknown,
    Value,
    depth_of,
    dtype_of,
    unknown,
)

ZERO, ONE = shapes.constant(0), shapes.constant(1)


class _Position:
    __slots__ = ()

    def __reduce__(self) -> str:
        return "POSITION_KEY"


POSITION_KEY: Final = _Position()
POSITION: Final[Integer] = shapes.variable(POSITION_KEY, "i", 0)
"""Placeholder for the index of an item, from 0, in the element of a ``ItemRun``."""


class Element(Struct, NestedValue, frozen=True):
    """The key of item ``index`` of a pack with unknown items.

    ``pack`` identifies the pack: a key given by its maker, an ``OperationKey``, or a ``Pack`` of several segments.
    """

    pack: Hashable
    index: Integer
    dtype: str
    name: str
    depth: int
    """Depth of nested unknown operations."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Element) and self._identity == other._identity

    def __hash__(self) -> int:
        return hash(self._identity)

    @property
    def _identity(self) -> tuple[Hashable, Integer, str]:
        return self.pack, self.index, self.dtype


class ItemRun(Struct, NestedValue, frozen=True):
    """``length`` items, the i-th being ``element`` with i for ``POSITION``. The length is not negative."""

    length: Integer
    element: Value

    @property
    def depth(self) -> int:
        """Depth of nested unknown operations."""
        return max(depth_of(self.length), depth_of(self.element))


Segment: TypeAlias = "Value | ItemRun"
"""An item, or a ``ItemRun``."""


class Pack(NestedValue):
    """Items and runs in a row. Packs of equal segments are equal.

    Runs of known length are written out; only long ones of one value stay. ``repeats`` is the value that makes up the
    pack by the way it was formed, however often, even not at all; ``dtype`` is that of items that an empty one hasn't.
    """

    __slots__ = ("_dtype", "_hash", "_items", "_length", "repeats", "segments", "text")

    segments: tuple[Segment, ...]
    repeats: Value | None
    text: str | None
    """Cached text, with its strings in quotes."""

    def __init__(self, segments: Iterable[Segment], *, dtype: str | None = None, repeats: Value | None = None) -> None:
        written = tuple(segments)
        for segment in written:
            if type(segment) is ItemRun:
                written, repeats = _written_out(written, repeats)
                break
        self.segments = written
        self.repeats = repeats
        self._dtype = dtype
        self._hash: int | None = None
        self._length: Integer | None = None
        self._items: tuple[Value, ...] | bool | None = False
        self.text = None

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        return isinstance(other, Pack) and self.segments == other.segments

    def __hash__(self) -> int:
        if self._hash is None:
            self._hash = hash(self.segments)
        return self._hash

    def __repr__(self) -> str:
        return f"Pack({self.segments!r})"

    @property
    def depth(self) -> int:
        """Depth of nested unknown operations."""
        return max((each.depth if isinstance(each, ItemRun) else depth_of(each) for each in self.segments), default=0)

    @property
    def length(self) -> Integer:
        """Number of items."""
        if self._length is None:
            total, single = ZERO, 0
            for segment in self.segments:
                if type(segment) is ItemRun:
                    total = total + segment.length
                else:
                    single += 1
            self._length = total + single if self.segments else ZERO
        return self._length

    @property
    def count(self) -> int | None:
        """The number of items, if it is known and they are not too many to be written out."""
        number = self.length.value
        return number if number is not None and number <= MOST_ITEMS else None

    @property
    def items(self) -> tuple[Value, ...] | None:
        """The items, if their number is known, and there are not too many to be written out."""
        if self._items is False:
            self._items = self._expanded()
        return self._items  # type: ignore[return-value]

    def _expanded(self) -> tuple[Value, ...] | None:
        if not any(type(segment) is ItemRun for segment in self.segments):
            return self.segments  # type: ignore[return-value]
        if self.count is None:
            return None
        items: list[Value] = []
        for segment in self.segments:
            if isinstance(segment, ItemRun):
                if segment.length.value is None:  # runs that exclude each other
                    return None
                items.extend([segment.element] * segment.length.value)
            else:
                items.append(segment)
        return tuple(items)

    @property
    def elements(self) -> tuple[Value, ...]:
        """The value of each segment: an item, or the element of a run."""
        return tuple([each.element if type(each) is ItemRun else each for each in self.segments])  # type: ignore[misc]

    def map(self, function: Callable[[Value], Value]) -> Pack:
        """Return the pack with ``function`` applied to each element; lengths of runs stay."""
        segments = [
            ItemRun(each.length, function(each.element)) if isinstance(each, ItemRun) else function(each)
            for each in self.segments
        ]
        return Pack(segments, dtype=self.dtype)

    @property
    def dtype(self) -> str | None:
        """The element type; None if nothing tells."""
        if self.segments:
            return dtype_of(self.elements[0])
        return (dtype_of(self.repeats) if self.repeats is not None else None) or self._dtype

    @property
    def uniform(self) -> Value | None:
        """The value of all items, if they are the same by the form of the pack (2.4, Folding)."""
        if not self.segments:
            return self.repeats
        value, *others = self.elements
        if positional(value) or any(other is not value and other != value for other in others):
            return None
        return value

    @property
    def run(self) -> ItemRun | None:
        """The run, if the pack is one run and nothing else."""
        if len(self.segments) != 1:
            return None
        segment = self.segments[0]
        return segment if isinstance(segment, ItemRun) else None


class Positioned(Foreign):
    """A value that the evaluator passes through, but that may differ for every index of a ``ItemRun``."""

    __slots__ = ()

    def at_position(self, shift: Callable[[Integer], Value]) -> Positioned:
        """Return the value at a position, given the function that substitutes the position in values."""
        raise NotImplementedError


def _written_out(segments: tuple[Segment, ...], repeats: Value | None) -> tuple[tuple[Segment, ...], Value | None]:
    written: list[Segment] = []
    for segment in segments:
        if not isinstance(segment, ItemRun):
            written.append(segment)
            continue
        count = segment.length.value
        moves = positional(segment.element)
        if not moves and len(segments) == 1:
            repeats = segment.element
        if count is None or count > (MOST_ITEMS if moves else LONGEST_WRITTEN_OUT):
            written.append(segment)
        else:
            written.extend(_items_of(segment.element, count, moves))
    return tuple(written), repeats


def _items_of(element: Value, count: int, moves: bool) -> Iterable[Value]:
    from snd_analysis.symbolic.values.rewriting import shifted

    return (shifted(element, shapes.constant(at)) for at in range(count)) if moves else [element] * count


def positional(value: Segment) -> bool:
    """Return whether the position occurs in a value, so that it may differ from item to item."""
    if isinstance(value, Integer | Truth):
        return any(is_positional(leaf.key) for leaf in value.leaves)
    return isinstance(value, Unknown) and is_positional(value.key)


def is_positional(key: Hashable) -> bool:
    """Return whether the position occurs in a key."""
    if key is POSITION_KEY:
        return True
    if isinstance(key, Element):
        return positional(key.index)
    if isinstance(key, OperationKey):
        if key.positional is None:
            key.positional = any(positional(operand) for operand in key.operands)
        return key.positional
    return False


def element_value(
    pack: Hashable, name: str, index: Integer, dtype: str | None, low: int | None = None, high: int | None = None
) -> Value:
    """Item ``index`` of a pack whose items are not known; an int lies within bounds."""
    if dtype is None:
        return unknown(None, None, name)
    text = name if index == POSITION else f"{name}[{index}]"
    depth = _depth_of_item(pack, index)
    key = Element(pack, index, dtype, name, depth) if depth <= DEEPEST else Fresh()
    return unknown(dtype, key, text, low, high)


def _depth_of_item(pack: Hashable, index: Integer) -> int:
    """Return how deep unknown operations nest in an item of a pack: known by a key, as a result, or by its segments."""
    own = pack.depth if isinstance(pack, OperationKey) else 1 + pack.depth if isinstance(pack, Pack) else 0
    inner = depth_of(index)
    return max(own, 1 + inner if inner else 0)


def element_of(
    key: Hashable, name: str, minimum: int | None = 0, maximum: int | None = None, dtype: str = "int"
) -> Value:
    """Return the placeholder for each item in a run of the pack with that key; an int lies within the bounds."""
    return element_value(key, name, POSITION, dtype, minimum, maximum)


def pack_of(
    key: Hashable,
    name: str,
    length: Integer | int,
    minimum: int | None = 0,
    maximum: int | None = None,
    dtype: str = "int",
) -> Pack:
    """Return the pack of that key, of known or unknown length, whose items are not known; ints lie within bounds."""
    count = shapes.constant(length) if isinstance(length, int) else length
    return Pack((ItemRun(count, element_of(key, name, minimum, maximum, dtype)),), dtype=dtype)


def fresh(dtype: str | None) -> Value:
    """Return an unknown value that equals only itself."""
    return unknown(dtype, Fresh(), "…")
