"""Element by element: the modules ``math`` and ``nn`` in place of nodes of ONNX."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from snd_analysis.skriptnd.names import counterparts_of_nodes
from snd_analysis.symbolic.integers import Integer
from snd_server.exchange.onnx_import.data import Data, OnnxArgument, real_type, require, type_name
from snd_server.exchange.onnx_import.node import OnnxNode, translation, unless

_BITS = re.compile(r"\d+")
UNARY = counterparts_of_nodes(
    "Abs", "Acos", "Acosh", "Asin", "Asinh", "Atan", "Atanh", "Ceil", "Cos", "Cosh", "Erf", "Exp", "Floor", "Log",
    "Neg", "Not", "Reciprocal", "Relu", "Sigmoid", "Sign", "Sin", "Sinh", "Softplus", "Sqrt", "Tan", "Tanh",
)  # fmt: skip
BINARY = counterparts_of_nodes(
    "Add", "And", "Equal", "Greater", "GreaterOrEqual", "Less", "LessOrEqual", "Mul", "Or", "Sub", "Xor"
)


_SUMS = frozenset(
    {
        "Abs", "Add", "ConvInteger", "CumSum", "Div", "Einsum", "Gemm", "MatMul", "MatMulInteger", "Mul", "Neg", "Pow",
        "ReduceL1", "ReduceProd", "ReduceSum", "ReduceSumSquare", "Sub", "Sum",
    }
)  # fmt: skip
"""Kinds of nodes whose results may exceed the type of ints."""
_SCATTERED = ("ScatterElements", "ScatterND")
_WRAPPED_BITS = 32
_WRAPPED_BITS_OF_REALS = 16
"""Greatest number of bits of ints to which engines cast reals by way of wider ints, so that the result wraps."""


@translation(*UNARY)
def unary(node: OnnxNode) -> Data:
    x = node.input(0)
    if node.kind in ("Ceil", "Floor", "Relu") and x.is_int:
        return node.run("math.max", x, 0) if node.kind == "Relu" else x
    return node.run(UNARY[node.kind], x)


@translation("Identity")
def identity(node: OnnxNode) -> Data:
    return node.input(0)


@translation("Dropout")
def dropout(node: OnnxNode) -> list[Data | None]:
    """Return the input: nothing is dropped when a model is used."""
    training = node.known_scalar(2) if node.opset >= 12 else not node.number("is_test", 1) and node.opset < 7
    ratio = node.known_scalar(1) if node.opset >= 12 else node.real("ratio", 0.5)
    require(not training or ratio == 0, "dropout in training")
    x = node.input(0)
    mask = node.run("layout.uniform", True, shape=list(x.shape)) if node.wants(1) and node.opset >= 10 else None
    return [x, mask]


def operands(*inputs: Data, beside: Sequence[Data] = ()) -> list[OnnxArgument]:
    """Return tensors that are broadcast together; tensors of one known element become numbers if that is equivalent.

    ``beside`` are others that they are broadcast with.
    """
    every = [*inputs, *beside]
    rank = max(each.rank for each in every)
    is_same = any(each.rank == rank and _number(each) is None for each in every)
    numbers = [_number(each) if is_same else None for each in inputs]
    return [data if number is None else number for data, number in zip(inputs, numbers, strict=True)]


def _number(data: Data) -> float | int | bool | Integer | None:
    """Return the element of a tensor that has only one, if the text can say it."""
    if data.contents is not None and data.contents.size == 1:
        item: Integer = data.contents.reshape(-1)[0]
        return item
    known = data.scalar
    return known if known == known else None  # NaN can't be written


def broadcast(node: OnnxNode, operator: str, x: Data, y: Data, like: np.dtype[np.generic] | None = None) -> Data:
    """Return the result of a binary operator."""
    first, second = operands(x, y)
    return node.run(operator, first, second, like=like or x.dtype)


@translation(*BINARY)
def binary(node: OnnxNode) -> Data:
    x, y = node.input(0), node.input(1)
    operator = BINARY[node.kind]
    if node.opset < 7 and node.number("broadcast", 0) and x.rank > y.rank > 0:
        axis = node.number("axis", x.rank - y.rank)
        return node.run(operator, x, y, **unless(axis == x.rank - y.rank, rhs_align=axis))
    if x.is_bool and node.kind == "Equal":
        return node.run("math.not", broadcast(node, "math.xor", x, y))
    return broadcast(node, operator, x, y)


@translation("Div")
def divided(node: OnnxNode) -> Data:
    x, y = node.input(0), node.input(1)
    # ONNX rounds quotients of ints towards zero, the language down.
    return broadcast(node, "onnx.div" if x.is_int and x.dtype.kind != "u" else "math.div", x, y)


@translation("Mod")
def modulo(node: OnnxNode) -> Data:
    x, y = node.input(0), node.input(1)
    return broadcast(node, "onnx.fmod" if node.number("fmod", 0) else "math.mod", x, y)


@translation("Round")
def rounded(node: OnnxNode) -> Data:
    return node.run("onnx.round", node.input(0))


@translation("Pow")
def power(node: OnnxNode) -> Data:
    x, y = node.input(0), node.input(1)
    if x.is_real and y.scalar == 2:
        return node.run("math.sqr", x)
    if x.is_real and y.scalar == 0.5:
        return node.run("math.sqrt", x)
    if x.is_real == y.is_real:
        return broadcast(node, "math.pow", x, y)
    exponent: OnnxArgument = y if y.scalar is None else float(y.scalar)
    first: OnnxArgument = node.as_real(x)
    result = node.run(
        "math.pow", first, node.as_real(y) if isinstance(exponent, Data) else exponent, like=np.dtype(np.float32)
    )
    return node.back(result, x)


@translation("Where")
def selected(node: OnnxNode) -> Data:
    condition, x, y = node.tensors
    first, second = operands(x, y, beside=[condition]) if x.rank and y.rank else (x, y)
    return node.run("math.select", condition, first, second, like=x.dtype)


@translation("Clip")
def clamped(node: OnnxNode) -> Data:
    x = node.input(0)
    low: OnnxArgument = node.attribute("min") if node.opset < 11 else _bound(node.maybe(1))
    high: OnnxArgument = node.attribute("max") if node.opset < 11 else _bound(node.maybe(2))
    if low is None and high is None:
        return x
    if low == 0 and x.is_real and not isinstance(low, Data) and (high is None or isinstance(high, float)):
        return node.run("nn.relu", x, max=high)
    if low is None or high is None:
        return node.run("math.min" if low is None else "math.max", x, high if low is None else low)
    if not isinstance(low, int | float) or not isinstance(high, int | float) or low > high:
        # ONNX prefers the upper bound if it is less than the lower one.
        return node.run("math.min", node.run("math.max", x, low), high)
    return node.run("math.clamp", x, low, high)


def _bound(data: Data | None) -> OnnxArgument:
    return data if data is None or data.scalar is None else data.scalar


@translation("Max", "Min", "Sum", "Mean")
def n_ary(node: OnnxNode) -> Data:
    name = {"Max": "max", "Min": "min"}.get(node.kind, "sum")
    tensors = node.tensors
    if len(tensors) == 1:
        result = tensors[0]
    elif len(tensors) > 2 and len({each.shape for each in tensors}) == 1 and all(each.rank for each in tensors):
        result = node.run(f"math.{name}_n", tensors, like=tensors[0].dtype)
    else:
        result = tensors[0]
        for other in tensors[1:]:
            result = broadcast(node, f"math.{'add' if name == 'sum' else name}", result, other)
    return node.run("math.div", result, float(len(tensors))) if node.kind == "Mean" else result


# ---- types -----------------------------------------------------------------------------------------------------------
@translation("Cast", "CastLike")
def cast(node: OnnxNode) -> Data:
    import onnx

    x = node.input(0)
    if node.kind == "CastLike":
        wanted = node.input(1).dtype
    else:
        try:
            wanted = np.dtype(onnx.helper.tensor_dtype_to_np_dtype(node.number("to")))
        except (KeyError, TypeError):
            require(False, "casts to an unknown type")
    return cast_to(node, x, wanted)


def cast_to(node: OnnxNode, x: Data, wanted: np.dtype[np.generic]) -> Data:
    """Return a tensor with elements of another type of ONNX."""
    small = real_type(wanted) and bits_of(wanted) < 16
    require(not small, "casts to reals of 8 bits or fewer, which round by rules of their own")
    from_type, to_type = type_name(x.dtype), type_name(wanted)
    require("str" not in (from_type, to_type) or from_type == to_type, "casts from and to strings")
    narrow: dict[str, Any] = {"bits": bits_of(wanted), **unless(_is_signed(wanted), signed=False)}
    is_known = x.contents is not None or x.is_natural
    if from_type == to_type == "int" and bits_of(wanted) < bits_of(x.dtype) and not is_known:
        return node.run("onnx.wrap", x, **narrow, like=wanted)
    if from_type == to_type:
        return Data(wanted, x.shape, x.tensor, None if x.array is None else x.array.astype(wanted), x.contents, x.name)
    if to_type == "int" and x.may_be_infinite:  # the value is deselected later, but must be an int
        x = node.run("math.max", x, -(2.0 ** (bits_of(wanted) - 1)) if _is_signed(wanted) else 0.0)
    result = node.run("layout.cast", x, dtypes=[to_type], like=wanted)
    if from_type == "real" and to_type == "int" and bits_of(wanted) <= _WRAPPED_BITS_OF_REALS:
        return node.run("onnx.wrap", result, **narrow, like=wanted)
    return result


def within_type(node: OnnxNode, result: Data) -> Data:
    """Return the result of a node as its type stores it: sums and products of ints of up to 32 bits may exceed it.

    Known elements and extents are left as they are.
    """
    is_sum = node.kind in _SUMS or (node.kind in _SCATTERED and node.text("reduction", "none") in ("add", "mul"))
    is_known = result.array is not None or result.contents is not None
    if not is_sum or is_known or result.dtype.kind not in "iu" or bits_of(result.dtype) > _WRAPPED_BITS:
        return result
    return wrapped(node, result)


def wrapped(node: OnnxNode, result: Data) -> Data:
    """Return ints wrapped to the bits of their type."""
    signed = unless(_is_signed(result.dtype), signed=False)
    return node.run("onnx.wrap", result, bits=bits_of(result.dtype), **signed, like=result.dtype)


def bits_of(dtype: np.dtype[Any]) -> int:
    """Return in how many bits an element is stored."""
    found = _BITS.search(dtype.name)
    return int(found[0]) if found is not None else 8


def _is_signed(dtype: np.dtype[Any]) -> bool:
    return not dtype.name.startswith("u")


@translation("IsNaN")
def is_nan(node: OnnxNode) -> Data:
    return node.run("math.ne", node.input(0), node.input(0))


@translation("IsInf")
def is_infinite(node: OnnxNode) -> Data:
    x = node.input(0)
    positive, negative = (node.number(f"detect_{each}", 1) for each in ("positive", "negative"))
    if positive and negative:
        return node.run("math.eq", node.run("math.abs", x), float("inf"))
    if not positive and not negative:
        return node.run("math.lt", x, float("-inf"))
    return node.run("math.eq", x, float("inf" if positive else "-inf"))


# ---- activations -----------------------------------------------------------------------------------------------------
@translation("Elu")
def elu(node: OnnxNode) -> Data:
    return node.run("nn.elu", node.input(0), alpha=node.real("alpha", 1.0))


@translation("Selu")
def selu(node: OnnxNode) -> Data:
    given = {"alpha": "alpha", "gamma": "lambda"}
    attributes: dict[str, Any] = {
        ours: node.real(theirs, 0.0) for theirs, ours in given.items() if node.attribute(theirs) is not None
    }
    return node.run("nn.selu", node.input(0), **attributes)


@translation("LeakyRelu")
def leaky_relu(node: OnnxNode) -> Data:
    x, alpha = node.input(0), node.real("alpha", 0.01)
    if 0 <= alpha <= 1:
        return node.run("nn.relu", x, alpha=alpha)
    return node.run("math.select", node.run("math.lt", x, 0.0), node.run("math.mul", x, alpha), x)


@translation("PRelu")
def prelu(node: OnnxNode) -> Data:
    x, slope = node.input(0), node.input(1)
    wide = [axis for axis, extent in enumerate(slope.extents) if extent != 1]
    if x.is_real and len(wide) == 1:
        axis = x.rank - slope.rank + wide[0]
        if slope.shape[wide[0]] == x.shape[axis]:
            vector = slope if slope.rank == 1 else reshaped(node, slope, [slope.shape[wide[0]]])
            return node.run("nn.prelu", x, vector, **unless(axis == 1, axis=axis))
    below = broadcast(node, "math.mul", x, slope)
    return node.run("math.select", node.run("math.lt", x, 0.0 if x.is_real else 0), below, x)


def reshaped(node: OnnxNode, data: Data, shape: list[object]) -> Data:
    """Return a tensor with another shape; a constant stays one."""
    if data.array is not None:
        extents = [int(str(each)) for each in shape]
        array = data.array.reshape(extents)
        return node.constant(array, array.dtype, data.name)
    return node.run("layout.reshape", data, shape=shape)


@translation("ThresholdedRelu")
def thresholded_relu(node: OnnxNode) -> Data:
    return node.run("nn.thresholded_relu", node.input(0), theta=node.real("alpha", 1.0))


@translation("Gelu")
def gelu(node: OnnxNode) -> Data:
    approximate = node.text("approximate", "none")
    return node.run("nn.gelu", node.input(0), approximate=None if approximate == "none" else approximate.upper())


@translation("Swish")
def swish(node: OnnxNode) -> Data:
    x, alpha = node.input(0), node.real("alpha", 1.0)
    if alpha == 1:
        return node.run("nn.silu", x)
    return node.run("math.mul", x, node.run("nn.sigmoid", node.run("math.mul", x, alpha)))


@translation("HardSigmoid", "HardSwish")
def hard(node: OnnxNode) -> Data:
    x = node.input(0)
    alpha, beta = node.real("alpha", 0.2), node.real("beta", 0.5)
    if node.kind == "HardSwish":
        alpha, beta = 1 / 6, 0.5
    gate = node.run("math.clamp", node.run("math.axpb", alpha, x, beta), 0.0, 1.0)
    return gate if node.kind == "HardSigmoid" else node.run("math.mul", x, gate)


@translation("Mish")
def mish(node: OnnxNode) -> Data:
    x = node.input(0)
    return node.run("math.mul", x, node.run("math.tanh", node.run("nn.softplus", x)))


@translation("Softsign")
def softsign(node: OnnxNode) -> Data:
    x = node.input(0)
    return node.run("math.div", x, node.run("math.add", node.run("math.abs", x), 1.0))


@translation("Celu")
def celu(node: OnnxNode) -> Data:
    x, alpha = node.input(0), node.real("alpha", 1.0)
    if alpha == 1:
        return node.run("nn.elu", x)
    return node.run("math.mul", node.run("nn.elu", node.run("math.div", x, alpha)), alpha)
