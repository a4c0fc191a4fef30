"""Values of NNEF 1.0 expressions during elaboration.

Integers are exact, and symbolic where they depend on the symbols of dynamic extents.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
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


class KnownItems(Struct, frozen=True):
    """The items of a small tensor of integers, logicals or reals, in row-major order."""

    shape: tuple[int, ...]
    items: tuple[ElaboratedValue, ...]
    in_tract: InTract = InTract.NUMBERS


class NarrowInteger(Struct, frozen=True):
    """A type of integers of 8 or 16 bits, as tract has them."""

    bits: int
    is_signed: bool


class QuantizedType(Struct, frozen=True):
    """A type of quantized items in tract: codes of some bits, each for the real ``(code - zero_point) * scale``."""

    scale: float
    zero_point: int
    bits: int
    is_signed: bool

    @property
    def least(self) -> int:
        """Return the least code."""
        return -(1 << (self.bits - 1)) if self.is_signed else 0

    @property
    def greatest(self) -> int:
        """Return the greatest code."""
        return self.least + (1 << self.bits) - 1


class Stream(Struct, frozen=True):
    """Properties of a tensor that a graph sees pulse by pulse: the graph has one pulse of it."""

    axis: int
    delay: int
    """Number of items that come before the first item of the stream."""
    length: Integer
    """Number of items of the whole stream, in terms of the symbol."""


class PulseOf(Struct, frozen=True):
    """A symbol whose items a graph sees pulse by pulse, and the number of items of a pulse."""

    symbol: str
    length: int


class GraphTensor(Struct, frozen=True, eq=False):
    """A tensor of the graph. ``tensor`` is None where nothing is known of it, which is reported.

    One whose items are known has no name as long as no operation of the graph makes it.
    """

    name: str
    tensor: Tensor | None
    known: KnownItems | None = None
    narrow: NarrowInteger | None = None
    """The type of the items in tract's dialect, if it is one of few bits."""
    quantized: QuantizedType | None = None
    """The type of the items in tract's dialect, if they are quantized: the graph then has their codes."""
    stream: Stream | None = None
    """Properties of the stream that the tensor has a pulse of, where the graph sees a symbol pulse by pulse."""


class ItemList(Struct, frozen=True):
    """An array or, with ``is_tuple``, a tuple of values."""

    values: tuple[ElaboratedValue, ...]
    is_tuple: bool = False


class ReportedUnknown(Struct, frozen=True):
    """An unknown value whose cause is reported: values that depend on it get no message."""


UNKNOWN = ReportedUnknown()
ElaboratedValue: TypeAlias = "Integer | float | Truth | str | GraphTensor | ItemList | ReportedUnknown"


def is_tensor(value: ElaboratedValue) -> bool:
    """Return whether a value can only be a tensor."""
    return isinstance(value, GraphTensor)


def has_unknown(value: ElaboratedValue) -> bool:
    """Return whether nothing is known of a value, or of a part of it."""
    if isinstance(value, ItemList):
        return any(map(has_unknown, value.values))
    return value is UNKNOWN or (isinstance(value, GraphTensor) and value.tensor is None)


def type_name(value: ElaboratedValue) -> str:
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
        case GraphTensor(tensor=Tensor(dtype=dtype)):
            return f"tensor<{_ITEM_TYPES.get(dtype or '', '')}>"
        case GraphTensor():
            return "tensor<>"
        case ItemList(values=values, is_tuple=True):
            return f"({', '.join(map(type_name, values))})"
        case ItemList(values=values):
            return f"{type_name(values[0])}[]" if values else "[]"
        case _:
            return "unknown"


def made_of(known: KnownItems) -> GraphTensor:
    """Return a tensor whose items are known."""
    match known.items[0] if known.items else None:
        case Truth():
            dtype = "bool"
        case float():
            dtype = "real"
        case _:
            dtype = "int"
    shape = tuple(map(constant, known.shape))
    return GraphTensor("", Tensor("", dtype, shape, TensorKind.CONSTANT), known)


_ITEM_TYPES = {"real": "scalar", "int": "integer", "bool": "logical", "str": "string"}


def tensors_in(value: ElaboratedValue) -> Iterator[GraphTensor]:
    """Yield a tensor, or the tensors in an array or tuple."""
    if isinstance(value, GraphTensor):
        yield value
    for each in value.values if isinstance(value, ItemList) else ():
        yield from tensors_in(each)


def has_streams(values: Iterable[ElaboratedValue]) -> bool:
    """Return whether a tensor among values is a pulse of a stream."""
    return any(each.stream is not None for value in values for each in tensors_in(value))


def mentions(value: ElaboratedValue, symbol: str) -> bool:
    """Return whether a known integer depends on a symbol."""
    match value:
        case Integer():
            return any(leaf.name == symbol for leaf in value.leaves)
        case ItemList(values=values) | GraphTensor(known=KnownItems(items=values)):
            return any(mentions(each, symbol) for each in values)
    return False


def is_computed(value: ElaboratedValue) -> bool:
    """Return whether tract computes a part of a value when the graph runs, so that it is no extent for tract."""
    return any(each.known is not None and each.known.in_tract is InTract.COMPUTED for each in tensors_in(value))


def flattened(values: Sequence[ElaboratedValue]) -> tuple[ElaboratedValue, ...]:
    """Return the items of an array, with nested arrays and tuples flattened."""
    found: list[ElaboratedValue] = []
    for value in values:
        found.extend(flattened(value.values) if isinstance(value, ItemList) else (value,))
    return tuple(found)
