"""Quantization as ONNX stores it: ints with a scale and a zero point for the tensor, each channel or each block."""

from __future__ import annotations

from typing import Any

import numpy as np

from snd_analysis.symbolic import integers
from snd_server.exchange.onnx_import.data import Data, require
from snd_server.exchange.onnx_import.node import OnnxNode, translation, unless
from snd_server.exchange.onnx_import.operations.elementwise import bits_of, operands
from snd_server.exchange.onnx_import.operations.layout import reshaped
from snd_server.exchange.onnx_import.operations.products import matrix_product
from snd_server.exchange.onnx_import.operations.windows import convolution
from snd_server.exchange.onnx_import.source import Array


@translation("DequantizeLinear")
def dequantize(node: OnnxNode) -> Data:
    x, scale, zero = node.input(0), node.input(1), node.maybe(2)
    require(x.is_int, "ints of 8 bits that are small reals")
    if not node.number("block_size", 0):
        return node.run(
            "onnx.dequantize_linear", x, *_scales(node, x, scale, zero), like=scale.dtype, **_along(node, x, scale)
        )
    spread = _blocks(node, x, scale)
    steps = (
        x
        if zero is None or _is_zero(zero)
        else node.run("math.sub", x, _blocks(node, x, zero), like=np.dtype(np.int64))
    )
    return node.run("math.mul", node.run("layout.cast", steps, dtypes=["real"], like=scale.dtype), spread)


@translation("QuantizeLinear")
def quantize(node: OnnxNode) -> Data:
    import onnx

    x, scale, zero = node.input(0), node.input(1), node.maybe(2)
    if zero is not None:
        stored = zero.dtype
    else:
        number = node.number("output_dtype", 0)
        stored = np.dtype(onnx.helper.tensor_dtype_to_np_dtype(number) if number else np.uint8)
    require(Data(stored, ()).is_int, "quantization to small reals")
    if node.number("block_size", 0):
        return _rounded(node, node.run("math.div", node.as_real(x), _blocks(node, x, scale)), zero, stored)
    kind = unless(bits_of(stored) == 8, bits=bits_of(stored)) | unless(not stored.name.startswith("u"), signed=False)
    values = node.as_real(x)
    return node.run(
        "onnx.quantize_linear", values, *_scales(node, x, scale, zero), like=stored, **kind, **_along(node, x, scale)
    )


def _scales(node: OnnxNode, x: Data, scale: Data, zero: Data | None) -> list[Data]:
    """Return the scale and the zero point, unless it is 0: one for all, or for each position along a dimension."""
    given = [scale] if zero is None or _is_zero(zero) else [scale, zero]
    require(all(each.rank <= 1 for each in given), "scales of several dimensions")
    return [node.run("layout.squeeze", each, axes=[0]) if each.extents == (1,) else each for each in given]


def _along(node: OnnxNode, x: Data, scale: Data) -> dict[str, Any]:
    """Return the dimension along which scales lie, if there are several."""
    is_one = not scale.rank or scale.extents == (1,)
    axis = 0 if is_one else node.axis(x.rank, 1)
    return unless(axis == 0, axis=axis)


def _rounded(node: OnnxNode, values: Data, zero: Data | None, stored: np.dtype[Any]) -> Data:
    """Return reals as ints of a type, with 0 at the zero point; values beyond the type become its limits."""
    whole = node.run("layout.cast", node.run("onnx.round", values), dtypes=["int"], like=np.dtype(np.int64))
    if zero is not None and not _is_zero(zero):
        offset = _blocks(node, values, zero) if node.number("block_size", 0) else _placed(node, values, zero, 1)
        whole = node.run("math.add", whole, offset)
    bits, signed = bits_of(stored), not stored.name.startswith("u")
    low, high = (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1) if signed else (0, 2**bits - 1)
    return node.run("math.clamp", whole, low, high, like=stored)


def _is_zero(zero: Data) -> bool:
    return zero.array is not None and not zero.array.any()


# ---- products of ints ------------------------------------------------------------------------------------------------
@translation("MatMulInteger")
def matmul_integer(node: OnnxNode) -> Data:
    first = _steps(node, node.input(0), node.maybe(2), -2)
    second = _steps(node, node.input(1), node.maybe(3), -1)
    return node.run("layout.cast", matrix_product(node, first, second), dtypes=["int"], like=np.dtype(np.int32))


@translation("QLinearMatMul")
def qlinear_matmul(node: OnnxNode) -> Data:
    a, a_scale, a_zero, b, b_scale, b_zero, y_scale, y_zero = (node.input(at) for at in range(8))
    product = matrix_product(node, _steps(node, a, a_zero, -2), _steps(node, b, b_zero, -1))
    product = _times(node, _times(node, product, a_scale, -2), b_scale, -1)
    return _rounded(node, _divided(node, product, y_scale), y_zero, y_zero.dtype)


@translation("QGemm", domain="com.microsoft")
def qgemm(node: OnnxNode) -> Data:
    """Translate a fully connected layer in the form of onnxruntime's quantization."""
    a, a_scale, a_zero, b, b_scale, b_zero = (node.input(at) for at in range(6))
    bias, y_scale, y_zero = (node.maybe(at) for at in range(6, 9))
    require(node.real("alpha", 1.0) == 1 and b.rank == 2, "a product with a factor")
    transposed: dict[str, Any] = {f"trans{each}": True for each in "AB" if node.number(f"trans{each}", 0)}
    second = _steps(node, b, b_zero, 0 if "transB" in transposed else 1)
    product = node.run("linalg.matmul", _steps(node, a, a_zero, -2), second, **transposed)
    product = product if bias is None else node.run("math.add", product, node.as_real(bias))
    product = _times(node, _times(node, product, a_scale, -2), b_scale, -1)
    if y_scale is None or y_zero is None:
        return product
    return _rounded(node, _divided(node, product, y_scale), y_zero, y_zero.dtype)


@translation("ConvInteger")
def conv_integer(node: OnnxNode) -> Data:
    x, w = node.input(0), node.input(1)
    result = convolution(node, _steps(node, x, node.maybe(2), 1), _steps(node, w, node.maybe(3), 0), None)
    return node.run("layout.cast", result, dtypes=["int"], like=np.dtype(np.int32))


@translation("QLinearConv")
def qlinear_conv(node: OnnxNode) -> Data:
    x, x_scale, x_zero, w, w_scale, w_zero, y_scale, y_zero = (node.input(at) for at in range(8))
    bias = node.maybe(8)
    weights = _steps(node, w, w_zero, 0)
    result = convolution(node, _steps(node, x, x_zero, 1), weights, None if bias is None else node.as_real(bias))
    result = _times(node, _times(node, result, x_scale, 1), w_scale, 1)
    return _rounded(node, _divided(node, result, y_scale), y_zero, y_zero.dtype)


def _steps(node: OnnxNode, x: Data, zero: Data | None, axis: int) -> Data:
    """Return ints less their zero point as reals: sums of products are exact up to 2 ** 24."""
    if zero is not None and not _is_zero(zero):
        if x.array is not None and zero.array is not None:
            return _constant_steps(node, x, zero.array, axis)
        x = node.run("math.sub", x, _placed(node, x, zero, axis), like=np.dtype(np.int64))
    return _constant_steps(node, x, np.zeros((), np.int64), axis) if x.array is not None else node.as_real(x)


def _constant_steps(node: OnnxNode, x: Data, zero: Array, axis: int) -> Data:
    assert x.array is not None
    offset = zero.reshape(()) if zero.size == 1 else zero.reshape(_row(zero.size, x.rank, axis))
    return node.constant(x.array.astype(np.int64) - offset.astype(np.int64), np.dtype(np.float32), x.name)


def _row(size: int, rank: int, axis: int) -> list[int]:
    return [size if at == axis % rank else 1 for at in range(rank)]


def _placed(node: OnnxNode, x: Data, values: Data, axis: int) -> Data:
    """Return a value for all, or a vector along an axis, such that it is broadcast to a tensor."""
    require(values.rank <= 1, "scales or zero points of several dimensions")
    if values.rank == 1 and values.extents == (1,):
        return reshaped(node, values, [])
    missing = x.rank - 1 - axis % x.rank
    if not values.rank or not missing:
        return values
    return reshaped(node, values, [*values.shape, *[integers.constant(1)] * missing])


def _times(node: OnnxNode, x: Data, scale: Data, axis: int) -> Data:
    return node.run("math.mul", x, *operands(x, _placed(node, x, scale, axis))[1:], like=scale.dtype)


def _divided(node: OnnxNode, x: Data, scale: Data) -> Data:
    return node.run("math.div", x, *operands(x, _placed(node, x, scale, 1))[1:], like=scale.dtype)


def _blocks(node: OnnxNode, x: Data, scale: Data) -> Data:
    """Return scales, or zero points, of blocks along a dimension, each as often as its block has elements."""
    block, axis = node.number("block_size", 0), node.axis(x.rank, 1)
    extent, count = x.extents[axis], scale.extents[axis]
    require(extent is not None and count is not None, "extents that are not known")
    assert extent is not None
    wide = node.run("layout.unsqueeze", scale, axes=[axis + 1])
    repeated = node.run("layout.tile", wide, axes=[axis + 1], repeats=[block])
    flat = node.run("layout.flatten", repeated, axis=axis, rank=2)
    if count is not None and count * block != extent:
        flat = node.run("layout.slice", flat, axes=[axis], begin=[0], end=[extent])
    return flat
