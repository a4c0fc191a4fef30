"""One dimension of a shape, or a pack of them, as its declaration has it."""

from __future__ import annotations

from typing import TypeAlias

from msgspec import Struct

from snd_analysis.skriptnd.names import Symbol
from snd_analysis.symbolic.integers import Integer

Extents: TypeAlias = "tuple[Integer | None, ...]"
"""The extent of every dimension of a tensor whose rank is a number; None for one that is not known."""


class Dimension(Struct, frozen=True):
    """One component of a declared shape (2.6): a single dimension, or a pack of them.

    ``count`` is the number of dimensions. ``value`` is the extent of a single one, ``items`` are the extents of a pack,
    as far as they are known. ``symbol`` is the extent's name, if it is a plain name.
    """

    count: Integer
    packed: bool
    value: Integer | None = None
    items: Extents | None = None
    symbol: Symbol | None = None
