"""Quantization as ONNX stores it: ints with a scale and a zero point for the tensor, each channel or each block."""

from __future__ import annotations

from typing import Any

import numpy as np

from snd_server.onnx_import.data import Data, require
from snd_server.onnx_import.node import Node, translation, unless
from snd_server.onnx_import.operations.elementwise import bits_of


@translation("DequantizeLinear")
def dequantize(node: Node) -> Data:
    x, scale, zero = node.input(0), node.input(1), node.maybe(2)
    require(x.is_int, "ints of 8 bits that are small reals")
    spread, align = _spread(node, x, scale)
    steps = x
    if zero is not None and not (zero.array is not None and not zero.array.any()):
        offset, _ = _spread(node, x, zero)
        steps = node.run("math.sub", x, offset, like=np.dtype(np.int64), **align)
    values = node.run("layout.cast", steps, dtypes=["real"], like=scale.dtype)
    return node.run("math.mul", values, spread, **align)


@translation("QuantizeLinear")
def quantize(node: Node) -> Data:
    import onnx

    x, scale, zero = node.input(0), node.input(1), node.maybe(2)
    if zero is not None:
        stored = zero.dtype
    else:
        number = node.number("output_dtype", 0)
        stored = np.dtype(onnx.helper.tensor_dtype_to_np_dtype(number) if number else np.uint8)
    require(Data(stored, ()).is_int, "quantization to small reals")
    spread, align = _spread(node, x, scale)
    steps = node.run("onnx.round", node.run("math.div", node.as_real(x), spread, **align))
    whole = node.run("layout.cast", steps, dtypes=["int"], like=np.dtype(np.int64))
    if zero is not None and not (zero.array is not None and not zero.array.any()):
        offset, _ = _spread(node, x, zero)
        whole = node.run("math.add", whole, offset, **align)
    bits, signed = bits_of(stored), not stored.name.startswith("u")
    low, high = (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1) if signed else (0, 2**bits - 1)
    return node.run("math.clamp", whole, low, high, like=stored)


def _spread(node: Node, x: Data, scale: Data) -> tuple[Data, dict[str, Any]]:
    """Return scales that are broadcast to a tensor, and how: one for all, for each channel, or for each block."""
    block = node.number("block_size", 0)
    if not scale.rank or scale.extents == (1,):
        return (scale if not scale.rank else node.run("layout.squeeze", scale, axes=[0])), {}
    axis = node.axis(x.rank, 1)
    if not block:
        require(scale.rank == 1, "scales of several dimensions")
        return scale, unless(axis == x.rank - 1, rhs_align=axis)
    extent, count = x.extents[axis], scale.extents[axis]
    require(extent is not None and count is not None, "extents that are not known")
    assert extent is not None
    wide = node.run("layout.unsqueeze", scale, axes=[axis + 1])
    repeated = node.run("layout.tile", wide, axes=[axis + 1], repeats=[block])
    flat = node.run("layout.flatten", repeated, axis=axis, rank=2)
    if count is not None and count * block != extent:
        flat = node.run("layout.slice", flat, axes=[axis], begin=[0], end=[extent])
    return flat, {}
