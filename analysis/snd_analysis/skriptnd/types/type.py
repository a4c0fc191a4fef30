"""Types of expressions (2.3): a primitive or generic type, packed or not, optional or not, tensor or not."""

from __future__ import annotations

from typing import TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from snd_analysis.skriptnd.names import Symbol
from snd_analysis.symbolic.integers import Integer


class Dtype(Struct, frozen=True):
    """``int``, ``real``, ``bool``, ``str``, or a generic type with its abstract base."""

    name: str
    base: str | None = None
    """``type``, ``arith`` or ``num`` for a generic type."""

    @property
    def is_generic(self) -> bool:
        """Return whether the type is generic: it may be bound to any type of its base."""
        return self.base is not None

    def __str__(self) -> str:
        return self.name


INT, REAL, BOOL, STR = Dtype("int"), Dtype("real"), Dtype("bool"), Dtype("str")
CONCRETE = {"int": INT, "real": REAL, "bool": BOOL, "str": STR}
ABSTRACT = ("type", "arith", "num")


class TensorShape(Struct, frozen=True):
    """The known part of a tensor's shape: its rank, and its spelling."""

    rank: Integer
    text: str
    """The shape as the user would write it, without the brackets: ``b,c,is..(d)``."""


class Type(Struct, frozen=True):
    """The type of an expression. ``length`` is None unless it is packed, ``shape`` None unless it is a tensor."""

    dtype: Dtype
    optional: bool = False
    length: Integer | None = None
    shape: TensorShape | None = None

    @property
    def packed(self) -> bool:
        """Return whether there is a row of values rather than one."""
        return self.length is not None

    @property
    def tensor(self) -> bool:
        """Return whether the values are tensors rather than compile-time scalars."""
        return self.shape is not None

    def item(self) -> Type:
        """Return the type of one item of a pack."""
        return replace(self, length=None)

    def of_length(self, length: Integer | None) -> Type:
        """Return the same type, packed with another length, or not packed."""
        return replace(self, length=length)

    def required(self) -> Type:
        """Return the same type, not optional."""
        return replace(self, optional=False)

    def __str__(self) -> str:
        optional = "optional " if self.optional else ""
        shape = f"[{self.shape.text}]" if self.shape is not None else ""
        length = "" if self.length is None else f"..{_in_parentheses(self.length)}"
        return f"{optional}{self.dtype}{shape}{length}"


def _in_parentheses(length: Integer) -> str:
    """Return the length of a pack as declarations write it: nothing for one that has no name, which is ``|axes|``."""
    leaf = length.variable
    return "" if leaf is not None and leaf.name.startswith("|") else f"({length})"


# ---- element types that an operation accepts (2.3, 2.4, 2.13) --------------------------------------------------------
def is_numeric(dtype: Dtype) -> bool:
    """Return whether every type that ``dtype`` may be bound to is int or real."""
    return dtype.base == "num" if dtype.is_generic else dtype.name in ("int", "real")


def is_arithmetic(dtype: Dtype) -> bool:
    """Return whether every type that ``dtype`` may be bound to is int, real or bool, which casts accept."""
    return dtype.base in ("num", "arith") if dtype.is_generic else dtype.name in ("int", "real", "bool")


def described(dtype: Dtype) -> str:
    """Return a type in a message; a generic one with its base, which makes it unfit."""
    return f"'{dtype}: {dtype.base}'" if dtype.is_generic else f"'{dtype}'"


# ---- the facts about an expression or a symbol that typing infers ----------------------------------------------------
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


# ---- one dimension of a shape, or a pack of them, as its declaration has it ------------------------------------------
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
