"""What typing finds out about an expression or a symbol."""

from __future__ import annotations

from msgspec import Struct

from snd_analysis.skriptnd.types.type import Type
from snd_analysis.symbolic.integers import Integer


class Typed(Struct, frozen=True):
    """What is known of an expression.

    ``type`` is None if it could not be typed: whatever is built of it is silent (invariant 8). ``value`` is that of a
    single int, as far as it is known symbolically; ``items`` those of a pack of ints that is written out.
    """

    type: Type | None
    value: Integer | None = None
    items: tuple[Integer | None, ...] | None = None
    accesses: bool = False
    """True if a tensor access takes part: the value is known at run time only."""


UNTYPED = Typed(None)
