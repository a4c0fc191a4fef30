"""Values of NNEF 1.0 expressions during elaboration.

Integers are exact, and symbolic where they depend on the symbols of dynamic extents.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from enum import Enum, auto
from typing import TypeAlias

from msgspec import Struct

from snd_analysis.model import Tensor, TensorKind
from snd_analysis.symbolic.integers import Integer, Truth, constant


class InTract(Enum):
    """Representation in tract of a tensor whose items snd knows."""

    NUMBERS = auto()
    """Known items, as integers or logicals of some bits."""
    EXTENTS = auto()
    """Known items, of the type of tract for extents, which few operations accept."""
    COMPUTED = auto()
    """Items that tract computes when the graph runs, so that they are no extents."""


class Known(Struct, frozen=True):
    """The items of a small tensor of integers, logicals or reals, in row-major order."""

    shape: tuple[int, ...]
    items: tuple[Value, ...]
    in_tract: InTract = InTract.NUMBERS


class NarrowInteger(Struct, frozen=True):
    """A type of integers of 8 or 16 bits, as tract has them."""

    bits: int
    is_signed: bool


class TensorName(Struct, frozen=True, eq=False):
    """A tensor of the graph. ``tensor`` is None where nothing is known of it, which is reported.

    One whose items are known has no name as long as no operation of the graph makes it.
    """

    name: str
    tensor: Tensor | None
    known: Known | None = None
    narrow: NarrowInteger | None = None
    """The type of the items in tract's dialect, if it is one of few bits."""


class Items(Struct, frozen=True):
    """An array or, with ``is_tuple``, a tuple of values."""

    values: tuple[Value, ...]
    is_tuple: bool = False


class Unknown(Struct, frozen=True):
    """An unknown value whose cause is reported: values that depend on it get no message."""


UNKNOWN = Unknown()
Value: TypeAlias = "Integer | float | Truth | str | TensorName | Items | Unknown"


def is_tensor(value: Value) -> bool:
    """Return whether a value can only be a tensor."""
    return isinstance(value, TensorName)


def has_unknown(value: Value) -> bool:
    """Return whether nothing is known of a value, or of a part of it."""
    if isinstance(value, Items):
        return any(map(has_unknown, value.values))
    return value is UNKNOWN or (isinstance(value, TensorName) and value.tensor is None)


def type_name(value: Value) -> str:
    """Return the type of a value in the notation of NNEF 1.0."""
    match value:
        case Integer():
            return "integer"
        case Truth():
            return "logical"
        case float():
            return "scalar"
        case str():
            return "string"
        case TensorName(tensor=Tensor(dtype=dtype)):
            return f"tensor<{_ITEM_TYPES.get(dtype or '', '')}>"
        case TensorName():
            return "tensor<>"
        case Items(values=values, is_tuple=True):
            return f"({', '.join(map(type_name, values))})"
        case Items(values=values):
            return f"{type_name(values[0])}[]" if values else "[]"
        case _:
            return "unknown"


def made_of(known: Known) -> TensorName:
    """Return a tensor whose items are known."""
    match known.items[0] if known.items else None:
        case Truth():
            dtype = "bool"
        case float():
            dtype = "real"
        case _:
            dtype = "int"
    shape = tuple(map(constant, known.shape))
    return TensorName("", Tensor("", dtype, shape, TensorKind.CONSTANT), known)


_ITEM_TYPES = {"real": "scalar", "int": "integer", "bool": "logical", "str": "string"}


def tensors_in(value: Value) -> Iterator[TensorName]:
    """Yield a tensor, or the tensors in an array or tuple."""
    if isinstance(value, TensorName):
        yield value
    for each in value.values if isinstance(value, Items) else ():
        yield from tensors_in(each)


def is_computed(value: Value) -> bool:
    """Return whether tract computes a part of a value when the graph runs, so that it is no extent for tract."""
    return any(each.known is not None and each.known.in_tract is InTract.COMPUTED for each in tensors_in(value))


def flattened(values: Sequence[Value]) -> tuple[Value, ...]:
    """Return the items of an array, with nested arrays and tuples flattened."""
    found: list[Value] = []
    for value in values:
        found.extend(flattened(value.values) if isinstance(value, Items) else (value,))
    return tuple(found)
