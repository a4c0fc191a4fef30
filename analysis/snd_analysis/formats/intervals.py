"""Intervals of ints, and the result of an operation on them."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from typing import TypeAlias

from msgspec import Struct

from snd_analysis.base import Rule
from snd_analysis.model import Operation, Tensor, TensorValue, tensors_of
from snd_analysis.symbolic.integers import Integer
from snd_analysis.symbolic.values import Pack, Value


class Range(Struct, frozen=True):
    """The ints from `least` to `most`."""

    least: int
    most: int

    def __add__(self, other: Range) -> Range:
        return Range(self.least + other.least, self.most + other.most)

    def __neg__(self) -> Range:
        return Range(-self.most, -self.least)

    def __sub__(self, other: Range) -> Range:
        return self + -other

    def __mul__(self, other: Range) -> Range:
        corners = [a * b for a in (self.least, self.most) for b in (other.least, other.most)]
        return Range(min(corners), max(corners))

    def __or__(self, other: Range) -> Range:
        return Range(min(self.least, other.least), max(self.most, other.most))

    def clipped(self, least: int, most: int) -> Range:
        """Return the range of the elements after each is limited."""
        return Range(min(max(self.least, least), most), max(min(self.most, most), least))

    def within(self, other: Range) -> bool:
        """Return whether every element is in the other range."""
        return other.least <= self.least and self.most <= other.most

    def summed(self, count: int) -> Range:
        """Return the range of every partial sum of up to `count` elements."""
        return Range(min(0, count * self.least), max(0, count * self.most))

    @property
    def magnitude(self) -> int:
        """The greatest absolute value."""
        return max(abs(self.least), abs(self.most))


def signed(bits: int) -> Range:
    """Return the range of a two's complement integer with that number of bits."""
    return Range(-(1 << (bits - 1)), (1 << (bits - 1)) - 1)


def bits_of(range: Range) -> int:
    """Return the precision that CVM gives to elements of a range: the least p with |x| <= 2^(p-1) - 1, from 1."""
    return max(1, range.magnitude.bit_length() + 1)


class Finding(Struct, frozen=True):
    """A violation by the range of an operation."""

    rule: Rule
    message: str


class ResultRanges(Struct, frozen=True):
    """The ranges of the results of an operation, in their order, and its findings; None for no int, or unknown."""

    results: tuple[Range | None, ...]
    findings: tuple[Finding, ...] = ()


ReadRange: TypeAlias = "Callable[[TensorValue], Range | None]"
Transfer: TypeAlias = "Callable[[Operands], Range | ResultRanges | None]"


class Operands(Struct, frozen=True):
    """An operation with the ranges of its operands."""

    operation: Operation
    read: ReadRange

    @property
    def attributes(self) -> Mapping[str, Value]:
        """The attributes by name."""
        return self.operation.attributes

    def range(self, at: int = 0) -> Range | None:
        """Return the range of an input; for a pack, the range of all its tensors."""
        return self.read(self.operation.inputs[at]) if at < len(self.operation.inputs) else None

    def shape(self, at: int = 0) -> tuple[int, ...] | None:
        """Return the extents of an input if all are numbers."""
        return extents(self.operation.inputs[at])

    def result_shape(self) -> tuple[int, ...] | None:
        """Return the extents of the first result if all are numbers."""
        return extents(self.operation.outputs[0])

    def text(self, name: str) -> str:
        """Return an attribute that is a string."""
        found = self.attributes.get(name)
        return found if isinstance(found, str) else ""

    def number(self, name: str) -> int | None:
        """Return an attribute that is an int, if it is known."""
        return number(self.attributes.get(name))

    def numbers(self, name: str) -> list[int] | None:
        """Return an attribute that is a pack of ints, if they are known."""
        found = self.attributes.get(name)
        items = found.items if isinstance(found, Pack) else None
        known = [number(item) for item in items or ()]
        return [each for each in known if each is not None] if items is not None and None not in known else None


def number(value: object) -> int | None:
    """Return a compile-time int, if it is known."""
    return value.value if isinstance(value, Integer) else None


def extents(value: TensorValue) -> tuple[int, ...] | None:
    """Return the extents of a tensor if all are numbers."""
    if not isinstance(value, Tensor) or value.shape is None:
        return None
    known = [number(extent) for extent in value.shape]
    return tuple(each for each in known if each is not None) if None not in known else None


def constant_range(tensor: Tensor) -> Range | None:
    """Return the range of the elements of a constant of ints."""
    found = constant_items(tensor)
    return Range(min(found), max(found)) if found else None


def constant_items(value: TensorValue) -> Sequence[int] | None:
    """Return the elements of a constant of ints, one if all are equal; None if they are not known."""
    if not isinstance(value, Tensor) or value.dtype != "int" or value.value is None:
        return None
    if not isinstance(value.value, Pack):
        found = number(value.value)
        return None if found is None else [found]
    known = [number(item) for item in value.value.items or ()]
    return [each for each in known if each is not None] if known and None not in known else None


def union(ranges: Iterable[Range | None]) -> Range | None:
    """Return the range of all elements; None if one is not known."""
    found: Range | None = None
    for each in ranges:
        if each is None:
            return None
        found = each if found is None else found | each
    return found


def union_of(value: TensorValue, read: Callable[[Tensor], Range | None]) -> Range | None:
    """Return the range of all tensors of a value."""
    return union(map(read, tensors_of(value)))


# ---- the types in which TOSA stores ints, and which attribute says the type of an input ------------------------------
STORED = {
    "int4_t": Range(-7, 7), "int8_t": signed(8), "int16_t": signed(16), "int32_t": signed(32), "int48_t": signed(48),
    "uint8_t": Range(0, 255), "uint16_t": Range(0, 65535),
}  # fmt: skip
"""Ranges of the types of storage. The weights of 4 bits leave out -8."""
WIDEST = "int32_t"
"""The widest type of operators without an attribute for it, such as CONCAT and IDENTITY."""
_APART: dict[str, tuple[str, ...]] = {
    "weight": ("weight_t",), "bias": ("out_t",), "multiplier": (), "shift": (), "indices": (),
}  # fmt: skip


def storage_attribute(tensor: str, attributes: Container[str]) -> str | None:
    """Return the attribute that says how an operator stores an input; None if the operator takes every type of it."""
    return next((each for each in _APART.get(tensor, ("in_out_t", "in_t")) if each in attributes), None)


def storage_of(tensor: str, attributes: Mapping[str, object]) -> str | None:
    """Return the type in which an operator stores an int input; None for multipliers, shifts and indices.

    An operator that takes every type takes none wider than 32 bits.
    """
    attribute = storage_attribute(tensor, attributes)
    if attribute is not None:
        return str(attributes[attribute])
    return None if tensor in _APART else WIDEST


# ---- the families of paddings of TenniS, and the sizes that each would give to a result (appendix 2 of its text) -----
_SIZES: dict[str, Callable[[int, int, int], int]] = {
    "tf_valid": lambda padded, kernel, stride: -((kernel - 1 - padded) // stride),
    "tf_same": lambda padded, kernel, stride: -(-padded // stride),
    "caffe": lambda padded, kernel, stride: -((kernel - padded) // stride) + 1,
    "mx_valid": lambda padded, kernel, stride: (padded - kernel) // stride + 1,
}
"""The size of a result along a dimension, by the size of the input with its padding."""
_FAMILIES = {"pool": "caffe", "conv": "mx_valid"}
"""Pooling rounds sizes up, convolutions round them down."""


class PaddingSizes(Struct, frozen=True):
    """The family by which an operator computes the size of its result, and the rows and columns that each gives."""

    family: str
    sizes: dict[str, tuple[int, int]]


def padding_sizes(operation: Operation) -> PaddingSizes | None:
    """Return the sizes by the families for an invocation of TenniS.

    None for one without windows, or of unknown size.
    """
    operator = operation.operator
    if operator is None or operator.path != "snd:tennis":
        return None
    family = next((family for part, family in _FAMILIES.items() if part in operator.name), None)
    found = Operands(operation, lambda _: None)
    shape = extents(operation.inputs[0]) if operation.inputs else None
    padding, stride = found.numbers("padding"), found.numbers("stride")
    if family is None or shape is None or len(shape) != 4 or not padding or not stride or len(padding) != 8:
        return None
    at = (1, 2) if found.text("format") == "NHWC" else (2, 3)
    kernel = found.numbers("ksize")
    if kernel is None:
        weights, spread = found.shape(1), found.numbers("dialations")
        if weights is None or not spread:
            return None
        kernel = [1] * 4
        for place, extent in zip(at, weights[2:], strict=True):
            kernel[place] = (extent - 1) * spread[place] + 1
    sizes = {}
    for name, size in _SIZES.items():
        rows, columns = (
            max(1, size(shape[place] + padding[2 * place] + padding[2 * place + 1], kernel[place], stride[place]))
            for place in at
        )
        sizes[name] = rows, columns
    return PaddingSizes(family, sizes)
