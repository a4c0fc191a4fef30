"""Tensors, packs of them, and their shapes (2.5, 2.6)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import StrEnum
from typing import Protocol, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from snd_analysis.base import OperatorName, Span
from snd_analysis.symbolic import integers as shapes
from snd_analysis.symbolic.integers import Integer, Truth
from snd_analysis.symbolic.values import (
    UNDEFINED,
    ItemRun,
    Maybe,
    Null,
    Pack,
    Positioned,
    Undefined,
    Value,
    choose,
    dtype_of,
    positional,
)


# ---- places of the parts of a model in the text ----------------------------------------------------------------------
class Spanned(Protocol):
    """A part of a text, known by identity."""

    @property
    def span(self) -> Span:
        """Span of the place."""


class Place(Struct, frozen=True):
    """A place in a definition: ``span`` counts from the start of the definition's chunk.

    A place in a ``statement``, which stood at ``start`` then, can be found again in a later version of the definition.
    """

    path: str
    definition: str
    span: Span
    statement: Spanned | None = None
    start: int = 0

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Place) and self._identity == other._identity

    def __hash__(self) -> int:
        return hash(self._identity)

    @property
    def _identity(self) -> tuple[str, str, Span]:
        return self.path, self.definition, self.span

    def lasts_as(self, other: Place | None) -> bool:
        """Return whether another place is the same part of the same statement, wherever that stands now."""
        return (
            other is not None
            and self.statement is not None
            and self.statement is other.statement
            and self.span.shifted(other.start - self.start) == other.span
        )


# ---- tensors, packs of them, and their shapes (2.5, 2.6) -------------------------------------------------------------
Shape: TypeAlias = "tuple[Integer | ItemRun, ...]"
"""The extents of a tensor; a ``ItemRun`` is a symbolic number of extents."""


class TensorKind(StrEnum):
    """Role of a tensor in its graph."""

    INPUT = "input"
    RESULT = "result"
    """A tensor computed by an operation."""
    VARIABLE = "variable"
    CONSTANT = "constant"
    LOCAL = "local"
    """A carried variable, the item of a scanned pack or the iteration index of a loop, or a captured tensor."""


class Quantization(Struct, frozen=True, eq=False):
    """The quantization of a tensor (2.14): an operator with attributes, not an operation of the graph."""

    operator: OperatorName
    attributes: Mapping[str, Value]
    dtypes: tuple[str, ...]
    """The generic types that are written, in order."""
    place: Place


class Tensor(Struct, Positioned, frozen=True, eq=False):
    """A tensor, known by identity. ``shape`` is None if it could not be composed, ``dtype`` then may be too."""

    name: str
    """The name in the graph. Below labels, names are joined by dots: ``block.conv1.filter``."""
    dtype: str | None
    shape: Shape | None
    kind: TensorKind
    place: Place | None = None
    value: Value | None = None
    """Value of a constant: a scalar for all elements, or a pack of them in row-major order."""
    quantization: Quantization | None = None
    alternatives: tuple[Tensor, ...] = ()
    """Alternatives of the tensor; an undecided compile-time condition selects one of them."""

    def at_position(self, shift: Callable[[Integer], Value]) -> Tensor:
        """Return the tensor of one place in a pack whose tensors differ in extents."""
        if self.shape is None or not any(map(positional, self.shape)):
            return self
        shape = [part if isinstance(part, ItemRun) else shift(part) for part in self.shape]
        return replace(
            self, shape=tuple(part if isinstance(part, Integer | ItemRun) else shapes.opaque("…") for part in shape)
        )

    def or_else(self, condition: Truth, other: Value) -> Value:
        """Return the tensor that is this one if a condition holds, and otherwise another one, or a scalar.

        Its extents depend on the condition, and so does its rank where the ranks differ.
        """
        if not isinstance(other, Tensor):
            other = Tensor(str(other), dtype_of(other), (), TensorKind.CONSTANT)
        if self.shape is None or other.shape is None or self.dtype != other.dtype:
            return UNDEFINED
        shape = choose(condition, Pack(self.shape, dtype="int"), Pack(other.shape, dtype="int"))
        if not isinstance(shape, Pack):
            return UNDEFINED
        extents = tuple(part for part in shape.segments if isinstance(part, Integer | ItemRun))
        name, alternatives = f"{self.name} or {other.name}", (*self.origins, *other.origins)
        return Tensor(name, self.dtype, extents, TensorKind.RESULT, self.place, alternatives=alternatives)

    @property
    def origins(self) -> tuple[Tensor, ...]:
        """Alternatives of the tensor; only the tensor itself if nothing is undecided."""
        return self.alternatives or (self,)

    @property
    def known(self) -> bool:
        """Return whether the tensor could be composed."""
        return self.shape is not None

    @property
    def bound(self) -> tuple[int | None, ...] | None:
        """The greatest extent in every dimension; None for one without a bound, or without a number of dimensions."""
        if self.shape is None or any(isinstance(extent, ItemRun) for extent in self.shape):
            return None
        return tuple(shapes.bounds(extent)[1] for extent in self.shape if isinstance(extent, Integer))

    @property
    def elements(self) -> Integer | None:
        """The number of elements; None if the rank is not a number."""
        if self.shape is None or any(isinstance(extent, ItemRun) for extent in self.shape):
            return None
        volume = shapes.constant(1)
        for extent in self.shape:
            assert isinstance(extent, Integer)
            volume = volume * extent
        return volume


def item_of_empty(pack: Pack) -> Tensor | Undefined:
    """Return a tensor with the element type and shape of an empty pack; UNDEFINED if these are unknown."""
    return pack.repeats if not pack.segments and isinstance(pack.repeats, Tensor) else UNDEFINED


def empty_pack(item: Value, dtype: str | None = None) -> Pack:
    """Return a pack without tensors, which would be like ``item`` if there were any."""
    return Pack((), dtype=item.dtype or dtype, repeats=item) if isinstance(item, Tensor) else Pack((), dtype=dtype)


TensorValue: TypeAlias = "Tensor | Pack | Maybe | Null | Undefined"
"""The value of an argument or result: a tensor, a pack of such values, one that may be null, null, or undefined."""


def tensor_value(value: Value) -> TensorValue:
    """Return a value that consists of tensors; UNDEFINED for any other, such as an int."""
    return value if isinstance(value, Tensor | Pack | Maybe | Null | Undefined) else UNDEFINED


def as_tensor(value: Value, name: str, dtype: str | None = None) -> TensorValue:
    """Return a compile-time value as a constant tensor of rank 0; tensors, null and undefined are themselves (2.10)."""
    match value:
        case Tensor() | Null() | Undefined():
            return value
        case Maybe():
            inner = as_tensor(value.value, name, dtype)
            return inner if inner is UNDEFINED else Maybe(value.present, inner)
        case Pack(segments=()):
            return empty_pack(item_of_empty(value), dtype or value.dtype)
        case Pack():
            segments = [
                ItemRun(segment.length, as_tensor(segment.element, f"{name}[{at}]", dtype))
                if isinstance(segment, ItemRun)
                else as_tensor(segment, f"{name}[{at}]", dtype)
                for at, segment in enumerate(value.segments)
            ]
            return UNDEFINED if UNDEFINED in segments else Pack(segments, dtype=dtype or value.dtype)
    return Tensor(name, dtype_of(value) or dtype, (), TensorKind.CONSTANT, None, value)


def tensors_of(value: Value) -> list[Tensor]:
    """Return the tensors of a value: one, all of a pack, or none."""
    match value:
        case Tensor():
            return [value]
        case Maybe():
            return tensors_of(value.value)
        case Pack():
            return [tensor for each in value.elements for tensor in tensors_of(each)]
    return []


def representative(value: Value) -> Tensor | None:
    """Return a tensor, or the first of a pack; None for a value without tensors, or a pack that begins with null."""
    match value:
        case Tensor():
            return value
        case Maybe():
            return representative(value.value)
        case Pack() if value.segments:
            return representative(value.elements[0])
    return None
