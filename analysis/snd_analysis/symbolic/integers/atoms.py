"""Atoms: variables, and operations on integers that no polynomial expresses (a quotient, a minimum, ...)."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any, ClassVar
from weakref import WeakValueDictionary

from msgspec import Struct

from snd_analysis.symbolic.intervals import Interval
from snd_analysis.symbolic.notation import Composed


class Atom(Composed):
    """A factor of a monomial. Atoms that are equal and whose variables agree in name and bounds are one object."""

    __slots__ = (
        "__weakref__",
        "conditions",
        "depth",
        "interval",
        "leaves",
        "order",
        "spelling",
        "text",
    )

    _known: ClassVar[WeakValueDictionary[tuple[Any, ...], Atom]] = WeakValueDictionary()

    order: tuple[int, str]
    """Sorts the atoms of a monomial."""
    leaves: frozenset[Leaf]
    depth: int
    conditions: int
    """Number of conditions at any depth, each counted as often as it occurs."""
    interval: Interval | None
    """Cached result of ``bounds``."""
    spelling: str | None
    """Cached result of ``spelling``."""
    text: tuple[str, int] | None
    """Cached text and its precedence."""

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self})"

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), self.parts

    def _setup(self, key: tuple[Any, ...], leaves: frozenset[Leaf], depth: int, name: str = "") -> None:
        self.hash = hash(key)
        self.order = (self.hash, name)
        self.leaves = leaves
        self.depth = depth
        self.conditions = 0
        self.interval = None
        self.spelling = None
        self.text = None


class Leaf(Struct, frozen=True):
    """The identity, name and bounds of a variable."""

    key: Hashable
    name: str
    low: int | None
    high: int | None
    fold: bool = False


class Variable(Atom):
    """An unknown within bounds. Its key alone says whether it is the same as another."""

    __slots__ = ("leaf",)
    leaf: Leaf

    def __new__(cls, leaf: Leaf) -> Variable:
        known = cls._known.get((cls, leaf))
        if known is not None:
            return known  # type: ignore[return-value]
        self = super().__new__(cls)
        self.parts = (leaf.key,)
        self.leaf = leaf
        self._setup((cls, leaf.key), frozenset((leaf,)), 0, leaf.name)
        self.interval = (leaf.low, leaf.high)
        cls._known[cls, leaf] = self
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return Variable, (self.leaf,)


class IntegerOperation(Atom):
    """An operation on integers; ``parts`` distinguish it from others of its class."""

    __slots__ = ()

    def __new__(cls, *parts: Any) -> IntegerOperation:
        leaves = _leaves_of(parts)
        known = cls._known.get((cls, *parts))
        # A variable of the same key may have had another name then.
        if known is not None and known.leaves == leaves:
            return known  # type: ignore[return-value]
        self = super().__new__(cls)
        self.parts = parts
        self._setup((cls, *parts), leaves, 1 + max((part.depth for part in parts if hasattr(part, "depth")), default=0))
        self.conditions = sum(part.conditions for part in parts if hasattr(part, "conditions"))
        self.conditions += issubclass(cls, Indicator)
        cls._known[cls, *parts] = self
        return self


def _leaves_of(parts: tuple[Any, ...]) -> frozenset[Leaf]:
    found = [part.leaves for part in parts if hasattr(part, "leaves")]
    return found[0].union(*found[1:]) if found else frozenset()


class Indicator(IntegerOperation):
    """1 where a proposition or comparison holds, 0 where not: its square is itself."""

    __slots__ = ()


class Product(IntegerOperation):
    """A product whose expansion has too many terms."""

    __slots__ = ()
