"""Element by element: ``math``, ``nn`` and ``onnx`` in place of ATen calls."""

from __future__ import annotations

from math import pi, sqrt
from typing import Any, TypeAlias

import numpy as np

from snd_analysis.symbolic.integers import Integer
from snd_server.exchange.onnx_import.data import Data, require
from snd_server.exchange.onnx_import.node import BOOL, REAL
from snd_server.exchange.torch_import.call import Call, as_type, aten, promoted, tensor

Operand: TypeAlias = "Data | float | int | bool | Integer"
_UNARY = {
    "abs": "Abs", "acos": "Acos", "acosh": "Acosh", "asin": "Asin", "asinh": "Asinh", "atan": "Atan", "ceil": "Ceil",
    "cos": "Cos", "cosh": "Cosh", "erf": "Erf", "exp": "Exp", "floor": "Floor", "log": "Log", "neg": "Neg",
    "reciprocal": "Reciprocal", "sign": "Sign", "sigmoid": "Sigmoid", "sin": "Sin", "sinh": "Sinh", "sqrt": "Sqrt",
    "tan": "Tan", "tanh": "Tanh",
}  # fmt: skip
_OF_INTS = frozenset(["abs", "neg", "sign", "floor", "ceil"])
_PLAIN = {"rsqrt": "math.rsqrt", "square": "math.sqr", "log2": "math.log2", "atanh": "math.atanh", "silu": "nn.silu"}


@aten(*_UNARY)
def unary(call: Call, x: Data) -> Data:
    if call.name in _OF_INTS:
        return call.stored(call.one(_UNARY[call.name], x))
    return call.one(_UNARY[call.name], call.as_real(x))


@aten(*_PLAIN)
def plain(call: Call, x: Data) -> Data:
    if call.name == "square" and x.is_int:
        return call.stored(call.run("math.mul", x, x))
    return call.run(_PLAIN[call.name], call.as_real(x))


@aten("relu")
def relu(call: Call, x: Data) -> Data:
    return call.one("Relu", x)


@aten("logical_not", "bitwise_not")
def inverted(call: Call, x: Data) -> Data:
    require(x.is_bool or call.name == "logical_not", "the bits of ints")
    return call.run("math.not", x) if x.is_bool else call.run("math.eq", x, 0)


@aten("logical_and", "logical_or", "logical_xor", "bitwise_and", "bitwise_or", "bitwise_xor", "__and__", "__or__")
def logical(call: Call, x: Data, other: Data | bool) -> Data:
    operator = f"math.{call.name.strip('_').rpartition('_')[2]}"
    second = tensor(call, other, x)
    require(x.is_bool and second.is_bool, "logical operations on numbers")
    return _broadcast(call, operator, x, second)


def _together(call: Call, operator: str, x: Operand, other: Operand) -> Data:
    """Return the result of a binary operator in the type that ATen computes it in."""
    first, second = promoted(call, x, other)
    return _broadcast(call, operator, first, second)


def _broadcast(call: Call, operator: str, x: Data, y: Data, like: np.dtype[Any] | None = None) -> Data:
    from snd_server.exchange.onnx_import.operations.elementwise import broadcast

    return broadcast(call, operator, x, y, like)


@aten("add.Tensor", "add.Scalar", "sub.Tensor", "sub.Scalar", "rsub.Tensor", "rsub.Scalar")
def sums(call: Call, x: Data, other: Operand, alpha: float = 1) -> Data:
    if call.name == "rsub":  # the other minus a multiple of x
        first, second = promoted(call, x if alpha == 1 else _scaled(call, x, alpha), other)
        return call.stored(_broadcast(call, "math.sub", second, first))
    scaled: Operand = other
    if isinstance(other, Data) and alpha != 1:
        scaled = _scaled(call, other, alpha)
    elif alpha != 1:
        require(isinstance(other, int | float), "a multiple of an extent")
        scaled = other * alpha  # type: ignore[operator]
    first, second = promoted(call, x, scaled)
    if first.is_bool:
        require(call.name == "add", "differences of bools")
        return _broadcast(call, "math.or", first, second)
    return call.stored(_broadcast(call, "math.add" if call.name == "add" else "math.sub", first, second))


def _scaled(call: Call, x: Data, factor: float) -> Data:
    first, second = promoted(call, x, factor)
    return call.stored(_broadcast(call, "math.mul", first, second))


@aten("mul.Tensor", "mul.Scalar")
def product(call: Call, x: Data, other: Operand) -> Data:
    first, second = promoted(call, x, other)
    if first.is_bool:
        return _broadcast(call, "math.and", first, second)
    return call.stored(_broadcast(call, "math.mul", first, second))


@aten("div", "divide", "true_divide", "floor_divide")
def quotient(call: Call, x: Data, other: Operand, rounding_mode: str | None = None) -> Data:
    first, second = promoted(call, x, other)
    mode = "floor" if call.name == "floor_divide" else rounding_mode
    if mode is None:
        return _broadcast(call, "math.div", _as_real(call, first), _as_real(call, second))
    if first.is_int:
        return call.stored(_broadcast(call, "math.div" if mode == "floor" else "onnx.div", first, second))
    require(mode == "floor", "quotients of reals that are cut off")
    return call.run("math.floor", _broadcast(call, "math.div", first, second))


def _as_real(call: Call, data: Data) -> Data:
    return data if data.is_real else as_type(call, data, REAL)


@aten("remainder.Tensor", "remainder.Scalar")
def remainder(call: Call, x: Data, other: Operand) -> Data:
    return _together(call, "math.mod", x, other)


@aten("fmod")
def truncated_remainder(call: Call, x: Data, other: Operand) -> Data:
    return _together(call, "onnx.fmod", x, other)


@aten("pow.Tensor_Scalar", "pow.Tensor_Tensor", "pow.Scalar")
def power(call: Call, x: Operand | None = None, exponent: Operand = 2, base: Operand | None = None) -> Data:
    if isinstance(x, Data) and isinstance(exponent, int | float) and exponent == 1:
        return x
    if isinstance(x, Data) and x.is_int and isinstance(exponent, int) and exponent == 2:
        return call.stored(call.run("math.mul", x, x))
    first, second = promoted(call, x if x is not None else base or 0, exponent)
    return call.stored(call.one("Pow", first, second))


@aten("minimum", "maximum", "min.other", "max.other", "fmin", "fmax")
def extreme(call: Call, x: Data, other: Data) -> Data:
    return _together(call, f"math.{call.name.removeprefix('f')[:3]}", x, other)


@aten("eq.Tensor", "eq.Scalar", "ne.Tensor", "ne.Scalar", "lt.Tensor", "lt.Scalar", "le.Tensor", "le.Scalar",
      "gt.Tensor", "gt.Scalar", "ge.Tensor", "ge.Scalar")  # fmt: skip
def comparison(call: Call, x: Data, other: Operand) -> Data:
    first, second = promoted(call, x, other)
    if first.is_bool and call.name in ("eq", "ne"):
        different = _broadcast(call, "math.xor", first, second)
        return different if call.name == "ne" else call.run("math.not", different)
    if first.is_bool:
        first, second = (call.cast(each, "int") for each in (first, second))
    return _broadcast(call, f"math.{call.name}", first, second, BOOL)


@aten("where.self", "where.ScalarOther", "where.ScalarSelf", "where.Scalar")
def selected(call: Call, condition: Data, x: Operand, other: Operand) -> Data:
    return call.one("Where", condition, *promoted(call, x, other))


@aten("masked_fill")
def masked_fill(call: Call, x: Data, mask: Data, value: Operand) -> Data:
    return call.one("Where", mask, as_type(call, tensor(call, value, x), x.dtype), x)


@aten("clamp", "clip", "clamp_min", "clamp_max", "hardtanh", "relu6")
def clamped(call: Call, x: Data, low: Operand | None = None, high: Operand | None = None, **named: Any) -> Data:
    defaults = {"hardtanh": (-1.0, 1.0), "relu6": (0.0, 6.0)}.get(call.name, (None, None))
    low = named.get("min_val", defaults[0]) if low is None else low
    high = named.get("max_val", defaults[1]) if high is None else high
    bounds = [None if each is None else tensor(call, each, x) for each in (low, high)]
    return call.one("Clip", x, *(None if each is None else as_type(call, each, x.dtype) for each in bounds))


@aten("round.default")
def rounded(call: Call, x: Data) -> Data:
    return x if x.is_int else call.run("onnx.round", x)


@aten("trunc", "fix")
def truncated(call: Call, x: Data) -> Data:
    return call.run("math.mul", call.run("math.sign", x), call.run("math.floor", call.run("math.abs", x)))


@aten("log1p")
def log1p(call: Call, x: Data) -> Data:
    return call.one("Log", call.run("math.add", call.as_real(x), 1.0))


@aten("expm1")
def expm1(call: Call, x: Data) -> Data:
    return call.run("math.sub", call.run("math.exp", call.as_real(x)), 1.0)


@aten("log10")
def log10(call: Call, x: Data) -> Data:
    return call.run("math.div", call.one("Log", call.as_real(x)), float(np.log(10)))


@aten("isnan")
def is_nan(call: Call, x: Data) -> Data:
    return call.run("math.ne", x, x)


@aten("isinf")
def is_infinite(call: Call, x: Data) -> Data:
    return call.one("IsInf", x)


# ---- activations -----------------------------------------------------------------------------------------------------
@aten("gelu")
def gelu(call: Call, x: Data, approximate: str = "none") -> Data:
    if approximate == "none":
        return call.run("nn.gelu", x)
    cube = call.run("math.mul", call.run("math.mul", call.run("math.sqr", x), x), 0.044715)
    wave = call.run("math.tanh", call.run("math.mul", call.run("math.add", x, cube), sqrt(2 / pi)))
    return call.run("math.mul", call.run("math.mul", x, 0.5), call.run("math.add", wave, 1.0))


@aten("hardsigmoid")
def hard_sigmoid(call: Call, x: Data) -> Data:
    return call.run("math.div", call.run("nn.relu", call.run("math.add", x, 3.0), max=6.0), 6.0)


@aten("hardswish")
def hard_swish(call: Call, x: Data) -> Data:
    return call.run("math.mul", x, hard_sigmoid(call, x))


@aten("elu", "celu")
def elu(call: Call, x: Data, alpha: float = 1.0, scale: float = 1, input_scale: float = 1) -> Data:
    require(scale == input_scale == 1 and (call.name == "elu" or alpha == 1), "elu with other scales")
    return call.one("Elu", x, alpha=float(alpha))


@aten("selu")
def selu(call: Call, x: Data) -> Data:
    return call.run("nn.selu", x)


@aten("softplus")
def softplus(call: Call, x: Data, beta: float = 1, threshold: float = 20) -> Data:
    # Above the threshold, the difference from the identity is less than that of rounding.
    require(threshold >= 15, "softplus with a low threshold")
    if beta == 1:
        return call.run("nn.softplus", x)
    return call.run("math.div", call.run("nn.softplus", call.run("math.mul", x, float(beta))), float(beta))


@aten("mish")
def mish(call: Call, x: Data) -> Data:
    return call.run("math.mul", x, call.run("math.tanh", call.run("nn.softplus", x)))


@aten("logsigmoid", "log_sigmoid")
def log_sigmoid(call: Call, x: Data) -> Data:
    return call.run("math.neg", call.run("nn.softplus", call.run("math.neg", x)))


@aten("softsign")
def softsign(call: Call, x: Data) -> Data:
    return call.run("math.div", x, call.run("math.add", call.run("math.abs", x), 1.0))


@aten("tanhshrink")
def tanh_shrink(call: Call, x: Data) -> Data:
    return call.run("math.sub", x, call.run("math.tanh", x))


@aten("threshold")
def threshold(call: Call, x: Data, threshold: float, value: float) -> Data:
    return call.run("math.select", call.run("math.gt", x, float(threshold)), x, float(value))


@aten("leaky_relu")
def leaky_relu(call: Call, x: Data, negative_slope: float = 0.01) -> Data:
    return call.one("LeakyRelu", x, alpha=float(negative_slope))


@aten("prelu", "_prelu_kernel")
def prelu(call: Call, x: Data, weight: Data) -> Data:
    if weight.rank == 1 and x.rank > 2 and weight.extents != (1,):
        weight = call.one("Unsqueeze", weight, call.ints(range(1, x.rank - 1)))
    return call.one("PRelu", x, weight)


@aten("softmax.int", "_softmax", "log_softmax.int", "_log_softmax")
def softmax(call: Call, x: Data, dim: int, half_to_float: bool = False, dtype: Any = None) -> Data:
    kind = "LogSoftmax" if "log" in call.name else "Softmax"
    return call.one(kind, x if dtype is None else as_type(call, x, dtype), axis=dim)


@aten("softmin")
def softmin(call: Call, x: Data, dim: int) -> Data:
    return call.one("Softmax", call.run("math.neg", x), axis=dim)


@aten("glu")
def glu(call: Call, x: Data, dim: int = -1) -> Data:
    first, second = call.run_all("layout.split", x, axis=dim % x.rank, count=2)
    return call.run("math.mul", first, call.run("nn.sigmoid", second))


# ---- types -----------------------------------------------------------------------------------------------------------
@aten("to", "_to_copy", "type_as", "float", "long", "int", "bool", "half", "double")
def cast(call: Call, x: Data, dtype: Any = None, other: Data | None = None, **ignored: Any) -> Data:
    """Return a tensor in another type. Devices and layouts in memory mean nothing here."""
    dtype = other.dtype if other is not None else dtype
    named = {"float": np.float32, "long": np.int64, "int": np.int32, "bool": np.bool_, "double": np.float64}
    wanted = np.dtype(named[call.name]) if call.name in named and dtype is None else dtype
    return x if wanted is None else as_type(call, x, wanted)


@aten("contiguous", "clone", "detach", "alias", "lift_fresh_copy", "lift_fresh", "detach_copy", "identity",
      "positive", "view_of")  # fmt: skip
def same(call: Call, x: Data, **ignored: Any) -> Data:
    return x


@aten("dropout", "feature_dropout", "alpha_dropout", "native_dropout", "feature_alpha_dropout")
def dropout(call: Call, x: Data, p: float = 0.5, train: bool = False) -> Data:
    require(not train or p == 0, "dropout in training: call 'module.eval()' before the export")
    return x
