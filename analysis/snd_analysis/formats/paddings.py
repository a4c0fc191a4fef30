"""The families of paddings of TenniS, and the sizes that each would give to a result (appendix 2 of its text)."""

from __future__ import annotations

from collections.abc import Callable

from msgspec import Struct

from snd_analysis.formats.intervals import Operands, extents
from snd_analysis.model import Operation

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
