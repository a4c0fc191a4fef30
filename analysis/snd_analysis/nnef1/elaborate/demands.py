"""What operations demand of their arguments that their operators do not: of known values, or in one dialect."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from msgspec import Struct

from snd_analysis.base import Edit, Repair, Span
from snd_analysis.nnef1.elaborate.items.item_types import Given
from snd_analysis.nnef1.elaborate.values import TensorName, Value
from snd_analysis.nnef1.syntax import Dialect
from snd_analysis.symbolic.integers import Integer, constant

_WITH_BIAS = frozenset(["conv", "deconv", "separable_conv", "separable_deconv"])
_WITH_RANGE = frozenset(["linear_quantize", "min_max_linear_quantize"])


class Demand(Struct, frozen=True):
    """Something that an argument does not meet."""

    span: Span
    message: str
    repair: Repair | None = None


def demands(operation: str, given: Mapping[str, Given], dialect: Dialect) -> Iterator[Demand]:
    """Yield what arguments of an operation do not meet."""
    if operation in _WITH_BIAS and dialect is Dialect.KHRONOS:
        yield from _rank_of_bias(given)
    if operation in _WITH_RANGE:
        yield from _range(given)
    if operation == "pad":
        yield from _other_border(given, dialect)
    if operation == "conv" and dialect is Dialect.TRACT:
        yield from _border_of_tract(given)
    if operation == "deconv":
        yield from _layout(given, dialect)


def _rank_of_bias(given: Mapping[str, Given]) -> Iterator[Demand]:
    bias = given.get("bias")
    shape = None if bias is None else _shape(bias.value)
    if bias is not None and shape is not None and shape and (len(shape) != 2 or shape[0] != "1"):
        yield Demand(bias.span, f"the bias must have the extents [1, channels], but has [{', '.join(shape)}]")


def _range(given: Mapping[str, Given]) -> Iterator[Demand]:
    least, greatest = given["min"], given["max"]
    if isinstance(least.value, float) and isinstance(greatest.value, float) and not least.value < greatest.value:
        message = f"'min' must be less than 'max', but they are {least.value} and {greatest.value}"
        yield Demand(greatest.span, message)


def _shape(value: Value) -> tuple[str, ...] | None:
    tensor = value.tensor if isinstance(value, TensorName) else None
    return None if tensor is None or tensor.shape is None else tuple(map(str, tensor.shape))


_BORDERS = {Dialect.TRACT: ("replicate", "replicated"), Dialect.KHRONOS: ("replicated", "replicate")}
"""What the other dialect calls the border that repeats the outermost items, and what this one does."""


def _other_border(given: Mapping[str, Given], dialect: Dialect) -> Iterator[Demand]:
    border = given.get("border")
    other, own = _BORDERS[dialect]
    if border is not None and border.value == other:
        who = "tract calls" if dialect is Dialect.TRACT else "NNEF 1.0 calls"
        repair = Repair(f"Write '{own}'", (Edit(border.span, f"'{own}'"),))
        yield Demand(border.span, f"{who} the border '{other}' '{own}'", repair)


def _border_of_tract(given: Mapping[str, Given]) -> Iterator[Demand]:
    border = given.get("border")
    if border is not None and isinstance(border.value, str) and border.value != "constant":
        message = f"tract convolves with the border 'constant' only: with '{border.value}' its process ends"
        yield Demand(border.span, message)


def _layout(given: Mapping[str, Given], dialect: Dialect) -> Iterator[Demand]:
    """A filter that fits in the layout of the other dialect only."""
    shape, filter_ = _extents(given["input"].value), _extents(given["filter"].value)
    groups = given["groups"].value if "groups" in given else constant(1)
    count = groups.value if isinstance(groups, Integer) else None
    if shape is None or filter_ is None or not count or len(shape) < 2 or len(shape) != len(filter_):
        return
    channels, (first, second) = shape[1], filter_[:2]
    of_text = channels == first
    of_tract = second is not None and channels == second * count
    if of_tract and not of_text and dialect is Dialect.KHRONOS:
        message = "the filter has tract's layout [output channels, input channels / groups, …]"
        yield Demand(given["filter"].span, f"{message}; NNEF 1.0 has [input channels, output channels / groups, …]")
    if of_text and not of_tract and dialect is Dialect.TRACT:
        message = "the filter has the layout of NNEF 1.0 [input channels, output channels / groups, …]"
        yield Demand(given["filter"].span, f"{message}; tract has [output channels, input channels / groups, …]")


def _extents(value: Value) -> tuple[int | None, ...] | None:
    tensor = value.tensor if isinstance(value, TensorName) else None
    shape = None if tensor is None else tensor.shape
    return None if shape is None else tuple(getattr(each, "value", None) for each in shape)
