"""Types of expressions (2.3): a primitive or generic type, packed or not, optional or not, tensor or not."""

from __future__ import annotations

from msgspec import Struct
from msgspec.structs import replace

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
