"""What operations demand of their arguments that their operators do not: of known values, or in one dialect."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from msgspec import Struct

from snd_analysis.base import Span
from snd_analysis.nnef1.elaborate.item_types import Given
from snd_analysis.nnef1.elaborate.values import TensorName, Value
from snd_analysis.nnef1.syntax import Dialect

_WITH_BIAS = frozenset(["conv", "deconv", "separable_conv", "separable_deconv"])
_WITH_RANGE = frozenset(["linear_quantize", "min_max_linear_quantize"])


class Demand(Struct, frozen=True):
    """Something that an argument does not meet."""

    span: Span
    message: str


def demands(operation: str, given: Mapping[str, Given], dialect: Dialect) -> Iterator[Demand]:
    """Yield what arguments of an operation do not meet."""
    if operation in _WITH_BIAS and dialect is Dialect.KHRONOS:
        yield from _rank_of_bias(given)
    if operation in _WITH_RANGE:
        yield from _range(given)


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
