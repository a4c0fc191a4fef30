"""The facts about an expression or a symbol that typing infers."""

from __future__ import annotations

from msgspec import Struct

from snd_analysis.skriptnd.types.type import Type
from snd_analysis.symbolic.integers import Integer


class Typed(Struct, frozen=True):
    """The facts about an expression.

    ``type`` is None if it could not be typed: any expression that contains it is silent (invariant 8). ``value`` is the
    value of a single int, as far as it is known symbolically; ``items`` are the items of a literal pack of ints.
    """

    type: Type | None
    value: Integer | None = None
    items: tuple[Integer | None, ...] | None = None
    accesses: bool = False
    """True if a tensor access takes part: the value is known at run time only."""


UNTYPED = Typed(None)
