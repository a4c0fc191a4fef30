"""Facts about a tensor during translation: its type in ONNX, its shape, and often its elements."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
from msgspec import Struct

from snd_analysis.convert import shortest
from snd_analysis.model import Tensor
from snd_analysis.symbolic import integers
from snd_analysis.symbolic.integers import Integer
from snd_analysis.symbolic.values import Pack
from snd_server.exchange.onnx_import.limits import MOST_CONTENTS
from snd_server.exchange.onnx_import.source import Array


class UntranslatableError(Exception):
    """The reason that a node can't be translated: no operator covers it, or a required value is unknown."""


def require(condition: object, reason: str) -> None:
    """Raise UntranslatableError unless the condition holds."""
    if not condition:
        raise UntranslatableError(reason)


class Data(Struct, frozen=True, eq=False):
    """A tensor of the source. At least one of the last three fields is set.

    ``array`` has the elements of a constant; ``contents`` the elements of a small tensor of ints, by the extents of
    inputs.
    """

    dtype: np.dtype[Any]
    shape: tuple[Integer, ...]
    tensor: Tensor | None = None
    array: Array | None = None
    contents: Array | None = None
    name: str = ""
    may_be_infinite: bool = False
    """True if elements may be -inf: the tensor is a logarithm, or computed from one."""
    is_natural: bool = False
    """True if no element is negative: the tensor has indices that exporters count up. Not set for constants."""

    @property
    def rank(self) -> int:
        """The number of dimensions."""
        return len(self.shape)

    @property
    def extents(self) -> tuple[int | None, ...]:
        """The extents, None for each that is no number."""
        return tuple(each.value for each in self.shape)

    @property
    def is_real(self) -> bool:
        """True if the elements are reals in SkriptND."""
        return real_type(self.dtype)

    @property
    def is_int(self) -> bool:
        """True if the elements are ints in SkriptND."""
        return self.dtype.kind in "iu" or self.dtype.name in ("int4", "uint4", "int2", "uint2")

    @property
    def is_bool(self) -> bool:
        """True if the elements are bools."""
        return self.dtype.kind == "b"

    @property
    def scalar(self) -> float | int | bool | None:
        """The element of a constant that has only one."""
        if self.array is None or self.array.size != 1:
            return None
        item = self.array.reshape(())[()]
        if not self.is_real:
            return bool(item) if self.is_bool else int(item)
        return shortest(float(item)) if self.dtype.itemsize < 8 else float(item)

    @property
    def integers(self) -> Array | None:
        """The elements as symbolic integers; None if they are not known, too many, or no ints."""
        if self.contents is not None:
            return self.contents
        if self.array is None or not self.is_int or self.array.size > MOST_CONTENTS:
            return None
        return as_integers(self.array)


def as_integers(array: Array) -> Array:
    """Return an array of symbolic integers."""
    found = np.empty(array.shape, object)
    for at in np.ndindex(array.shape):
        found[at] = integers.constant(int(array[at]))
    return found


def constant_of(array: Array, name: str = "") -> Data:
    """Return a constant."""
    return Data(array.dtype, tuple(map(integers.constant, array.shape)), array=array, name=name)


def real_type(dtype: np.dtype[Any]) -> bool:
    """Return whether a type of elements is one of reals."""
    return dtype.kind == "f" or dtype.name.startswith(("bfloat", "float"))


def is_half(dtype: np.dtype[Any]) -> bool:
    """Return whether a type of elements is one of reals of fewer than 32 bits."""
    return real_type(dtype) and dtype.itemsize < 4


def type_name(dtype: np.dtype[Any]) -> str:
    """Return the type in SkriptND. Raise UntranslatableError if there is none."""
    if real_type(dtype):
        return "real"
    if dtype.kind in "iu" or dtype.name in ("int4", "uint4", "int2", "uint2"):
        return "int"
    if dtype.kind == "b":
        return "bool"
    require(dtype.kind in "OUS", f"SkriptND has no type for elements of the type {dtype.name}")
    return "str"


OnnxArgument: TypeAlias = "Data | Tensor | Pack | Sequence[OnnxArgument] | float | int | bool | Integer | None"


def natural(value: OnnxArgument) -> bool:
    """Return whether it is known that no element of an argument is negative."""
    match value:
        case Data() if value.array is not None:
            return value.is_bool or bool(value.array.size == 0 or value.array.min() >= 0)
        case Data() if value.contents is not None:
            return all(_least(each) >= 0 for each in value.contents.flat)
        case Data():
            return value.is_natural or value.is_bool
        case Integer():
            return _least(value) >= 0
        case int() | float():
            return value >= 0
        case list() | tuple():
            return all(map(natural, value))
    return False


def _least(value: Integer) -> int:
    low, _ = integers.bounds(value)
    return -1 if low is None else low


def tensor_array(array: Array) -> Array:
    """Return an array with elements of a type that SkriptND has; the same array where it has one already.

    Raise UntranslatableError for elements that SkriptND has no type for.
    """
    match type_name(array.dtype):
        case "real":
            return array if array.dtype in (np.float32, np.float64) else array.astype(np.float32)
        case "int":
            return array if array.dtype == np.int64 else array.astype(np.int64)
        case "str":
            return array.astype(object)
    return array
