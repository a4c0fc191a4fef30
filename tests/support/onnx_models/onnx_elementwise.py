"""Element by element: the modules ``math`` and ``nn`` in place of nodes of ONNX."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx

from support.onnx_models.onnx_nodes import Node, require, translation

UNARY = {
    "Abs": "math.abs",
    "Acos": "math.acos",
    "Acosh": "math.acosh",
    "Asin": "math.asin",
    "Asinh": "math.asinh",
    "Atan": "math.atan",
    "Atanh": "math.atanh",
    "Ceil": "math.ceil",
    "Cos": "math.cos",
    "Cosh": "math.cosh",
    "Erf": "nn.erf",
    "Exp": "math.exp",
    "Floor": "math.floor",
    "Identity": "math.iden",
    "Log": "math.log",
    "Neg": "math.neg",
    "Not": "math.not",
    "Reciprocal": "math.rcp",
    "Relu": "nn.relu",
    "Sigmoid": "nn.sigmoid",
    "Sign": "math.sign",
    "Sin": "math.sin",
    "Sinh": "math.sinh",
    "Softplus": "nn.softplus",
    "Sqrt": "math.sqrt",
    "Tan": "math.tan",
    "Tanh": "math.tanh",
}
BINARY = {
    "Add": "math.add",
    "And": "math.and",
    "Equal": "math.eq",
    "Greater": "math.gt",
    "GreaterOrEqual": "math.ge",
    "Less": "math.lt",
    "LessOrEqual": "math.le",
    "Mul": "math.mul",
    "Or": "math.or",
    "Sub": "math.sub",
    "Xor": "math.xor",
}


@translation(*UNARY)
def unary(node: Node) -> Any:
    return node.run(UNARY[node.kind], node.input(0))


@translation("Round")
def rounded(node: Node) -> Any:
    halves = np.abs(node.input(0) % 1) == 0.5
    require(not halves.any(), "ONNX rounds halves to even numbers, the language away from zero")
    return node.run("math.round", node.input(0))


@translation(*BINARY)
def binary(node: Node) -> Any:
    x, y = node.inputs
    require(x.dtype != object, "strings: the library compares numbers only")
    if node.opset < 7 and x.ndim > y.ndim > 0:
        return node.run(BINARY[node.kind], x, y, rhs_align=node.attributes.get("axis", x.ndim - y.ndim))
    return node.run(BINARY[node.kind], x, y)


@translation("Div")
def divided(node: Node) -> Any:
    x, y = node.inputs
    if x.dtype.kind == "i":
        inexact = (np.sign(x) * np.sign(y) < 0) & (x % y != 0)
        require(not inexact.any(), "ONNX rounds quotients of ints towards zero, the language down")
    return node.run("math.div", x, y)


@translation("Mod")
def modulo(node: Node) -> Any:
    x, y = node.inputs
    require(not node.attributes.get("fmod", 0), "ONNX can give remainders the sign of the dividend")
    require(
        x.dtype.kind == "i" or np.isfinite(y).all(), "remainders of infinite divisors, which are NaN by the formula"
    )
    return node.run("math.mod", x, y)


@translation("Pow")
def power(node: Node) -> Any:
    x, y = node.inputs
    if x.dtype == y.dtype:
        return node.run("math.pow", x, y)
    result = node.run("math.pow", node.as_real(x), node.as_real(y))
    return result if x.dtype.kind == "f" else node.run("layout.cast", result, dtypes=["int"])


@translation("Where")
def selected(node: Node) -> Any:
    return node.run("math.select", *node.inputs)


@translation("Clip")
def clamped(node: Node) -> Any:
    x, low, high = (node.input(number) for number in range(3))
    low, high = node.attributes.get("min", low), node.attributes.get("max", high)
    if low is None and high is None:
        return node.run("math.iden", x)
    if low is None or high is None:
        return node.run("math.min" if low is None else "math.max", x, high if low is None else low)
    require(low <= high, "ONNX prefers the upper bound if it is less than the lower one, the draft the lower one")
    return node.run("math.clamp", x, low, high)


@translation("Max", "Min", "Sum", "Mean")
def n_ary(node: Node) -> Any:
    name = {"Max": "max", "Min": "min"}.get(node.kind, "sum")
    if len({each.shape for each in node.inputs}) == 1:
        result = node.run(f"math.{name}_n", node.inputs)
    else:
        result = node.inputs[0]
        for other in node.inputs[1:]:
            result = node.run(f"math.{'add' if name == 'sum' else name}", result, other)
    return node.run("math.div", result, float(len(node.inputs))) if node.kind == "Mean" else result


@translation("Cast", "CastLike")
def cast(node: Node) -> Any:
    number = node.attributes.get("to")
    wanted = node.types[1] if number is None else onnx.helper.tensor_dtype_to_np_dtype(number)
    assert wanted is not None
    given = node.input(0)
    require(given.dtype != object and wanted.kind not in "OU", "casts from and to strings")
    kinds = {np.dtype(np.float32): "real", np.dtype(np.float64): "real", np.dtype(np.bool_): "bool"}
    if wanted.kind in "iu":
        limits = np.iinfo(wanted)
        inside = given.dtype == bool or (np.isfinite(given).all() and (given > limits.min).all())
        require(inside and (given < limits.max).all(), "casts to ints of a few bits that cut something off")
        return node.run("layout.cast", given, dtypes=["int"])
    require(wanted in kinds, "small reals, and ints of a few bits")
    require(not (wanted == np.float32 and node.real == np.float64), "two types of reals in one model")
    return node.run("layout.cast", given, dtypes=[kinds[wanted]])


@translation("IsNaN")
def is_nan(node: Node) -> Any:
    return node.run("math.ne", node.input(0), node.input(0))


@translation("IsInf")
def is_infinite(node: Node) -> Any:
    x = node.input(0)
    positive, negative = (node.attributes.get(f"detect_{each}", 1) for each in ("positive", "negative"))
    if positive and negative:
        return node.run("math.eq", node.run("math.abs", x), np.inf)
    return node.run("math.eq", x, np.inf if positive else -np.inf)


# ---- activations -----------------------------------------------------------------------------------------------------
@translation("Elu")
def elu(node: Node) -> Any:
    return node.run("nn.elu", node.input(0), alpha=node.attributes.get("alpha", 1.0))


@translation("Selu")
def selu(node: Node) -> Any:
    given = {"alpha": "alpha", "gamma": "lambda"}
    attributes = {ours: node.attributes[theirs] for theirs, ours in given.items() if theirs in node.attributes}
    return node.run("nn.selu", node.input(0), **attributes)


@translation("LeakyRelu")
def leaky_relu(node: Node) -> Any:
    return node.run("nn.relu", node.input(0), alpha=node.attributes.get("alpha", 0.01))


@translation("PRelu")
def prelu(node: Node) -> Any:
    x, slope = node.inputs
    wide = [axis for axis, extent in enumerate(slope.shape) if extent > 1]
    require(len(wide) == 1, "PRelu: a slope for each element")
    return node.run("nn.prelu", x, slope.reshape(-1), axis=x.ndim - slope.ndim + wide[0])


@translation("ThresholdedRelu")
def thresholded_relu(node: Node) -> Any:
    return node.run("nn.thresholded_relu", node.input(0), theta=node.attributes.get("alpha", 1.0))


@translation("Gelu")
def gelu(node: Node) -> Any:
    approximate = node.attributes.get("approximate", "none")
    return node.run("nn.gelu", node.input(0), approximate=None if approximate == "none" else approximate.upper())


@translation("Swish")
def swish(node: Node) -> Any:
    alpha = node.attributes.get("alpha", 1.0)
    if alpha == 1:
        return node.run("nn.silu", node.input(0))
    return node.run("math.mul", node.input(0), node.run("nn.sigmoid", node.run("math.mul", node.input(0), alpha)))


@translation("HardSigmoid", "HardSwish")
def hard(node: Node) -> Any:
    x = node.input(0)
    alpha, beta = node.attributes.get("alpha", 0.2), node.attributes.get("beta", 0.5)
    if node.kind == "HardSwish":
        alpha = 1 / 6
    gate = node.run("math.clamp", node.run("math.axpb", alpha, x, beta), 0.0, 1.0)
    return gate if node.kind == "HardSigmoid" else node.run("math.mul", x, gate)


@translation("Mish")
def mish(node: Node) -> Any:
    return node.run("math.mul", node.input(0), node.run("math.tanh", node.run("nn.softplus", node.input(0))))


@translation("Softsign")
def softsign(node: Node) -> Any:
    return node.run("math.div", node.input(0), node.run("math.add", node.run("math.abs", node.input(0)), 1.0))


@translation("Celu")
def celu(node: Node) -> Any:
    alpha = node.attributes.get("alpha", 1.0)
    return node.run("math.mul", node.run("nn.elu", node.run("math.div", node.input(0), alpha)), alpha)


# ---- quantization ----------------------------------------------------------------------------------------------------
@translation("QuantizeLinear")
def quantized(node: Node) -> Any:
    """The library gives what the quantized values stand for: the step back is made here."""
    x, scale, zero = (node.input(number) for number in range(3))
    require(not node.attributes.get("block_size"), "quantization by blocks")
    require(zero is not None and zero.dtype.kind == "i", "quantization to small reals")
    axis = node.attributes.get("axis", 1)
    stored = node.types[2]
    assert stored is not None
    limits = np.iinfo(stored)
    count = x.shape[axis] if scale.ndim else 1
    known = node.run(
        "quant.zero_point_linear_quantize",
        x if x.ndim > axis else x[None],
        zero_point=[int(each) for each in np.broadcast_to(zero, count)] if count > 1 else int(zero.reshape(())),
        scale=[float(each) for each in np.broadcast_to(scale, count)] if count > 1 else float(scale.reshape(())),
        bits=limits.bits,
        signed=limits.min < 0,
        channel_axis=axis,
    )
    known = known.reshape(x.shape)
    align = {"rhs_align": axis} if scale.ndim and count > 1 else {}
    steps = node.run("math.round", node.run("math.div", known, scale.reshape(-1) if align else scale, **align))
    return node.run("math.add", node.run("layout.cast", steps, dtypes=["int"]), zero, **align)
