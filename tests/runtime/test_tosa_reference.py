"""Operators of TOSA against Arm's reference model, bit for bit, where 0.30 and 1.0 mean the same (docs/tosa.md)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

from oracles.tosa_reference import Case, Shape, Tensor, evaluate, programs
from snd_analysis.skriptnd.names import library_names
from support.runtime.invoking import invoker
from support.sampling import tries

pytestmark = pytest.mark.skipif(programs() is None, reason="tosa-tools is not installed, or not for this machine")

Array = np.ndarray[Any, Any]
TYPES = {"int8_t": "INT8", "int16_t": "INT16", "int32_t": "INT32", "int48_t": "INT48", "bool_t": "BOOL"}
BITS = {"int4_t": 4, "int8_t": 8, "int16_t": 16, "int32_t": 32, "int48_t": 48}
ACCUMULATED = {"int8_t": "int32_t", "int16_t": "int48_t"}


class Compared(NamedTuple):
    """An invocation of ours and the same case of the reference model."""

    name: str
    inputs: tuple[Any, ...]
    attributes: dict[str, Any]
    case: Case
    is_unsigned: bool = False


class Draw:
    """The random choices of a case."""

    def __init__(self, seed: int) -> None:
        self.random = np.random.default_rng(seed)

    def number(self, low: int, high: int) -> int:
        """From `low` to `high`, both included."""
        return int(self.random.integers(low, high + 1))

    def pick(self, items: Sequence[Any]) -> Any:
        return items[self.number(0, len(items) - 1)]

    def shape(self, rank: int | None = None, most: int = 5) -> tuple[int, ...]:
        return tuple(self.number(1, most) for _ in range(self.number(1, 4) if rank is None else rank))

    def ints(self, shape: Sequence[int], kind: str, bits: int | None = None) -> Array:
        """Elements of a type, its ends among them."""
        if kind == "bool_t":
            return self.random.integers(0, 2, tuple(shape)).astype(bool)
        half = 2 ** ((bits or BITS[kind]) - 1)
        found = self.random.integers(-half, half, tuple(shape))
        ends = self.random.integers(0, 12, tuple(shape))
        return np.where(ends == 0, -half, np.where(ends == 1, half - 1, found))

    def reals(self, shape: Sequence[int]) -> Array:
        """Numbers of all sizes, NaN and infinities among them."""
        found = self.random.standard_normal(tuple(shape)) * 2.0 ** self.random.integers(-20, 20, tuple(shape))
        special = self.random.integers(0, 60, tuple(shape))
        for at, value in enumerate((np.nan, np.inf, -np.inf, 0.0, -0.0)):
            found = np.where(special == at, value, found)
        return found.astype(np.float32)

    def pair(self, values: Callable[[Sequence[int]], Array]) -> tuple[Array, Array, tuple[int, ...]]:
        """Two tensors that can be broadcast together, and the shape of the result."""
        shape = self.shape()
        first, second = ([extent if self.number(0, 3) else 1 for extent in shape] for _ in range(2))
        return values(first), values(second), tuple(map(max, first, second))


def like(array: Array, kind: str) -> tuple[tuple[int, ...], str]:
    return array.shape, TYPES.get(kind, "FP32")


def one(value: int, kind: str) -> Tensor:
    return Tensor(np.array([value]), TYPES[kind])


# ---- elementwise -----------------------------------------------------------------------------------------------------
def binary(name: str, *kinds: str, result: str = "", typed: str = "in_out_t", values: Any = None, **attributes: Any):
    """An operator on two tensors of one type."""

    def make(draw: Draw) -> Compared:
        kind = draw.pick(kinds)
        is_real = kind == "fp32_t"
        x, y, shape = draw.pair(draw.reals if is_real else lambda extents: (values or draw.ints)(extents, kind))
        given = {key: draw.pick(value) for key, value in attributes.items()}
        dtype = "FP32" if is_real else TYPES[kind]
        nan = {"nan_mode": "PROPAGATE"} if name in ("maximum", "minimum") else {}
        case = Case(
            name.upper(), (Tensor(x, dtype), Tensor(y, dtype)), ((shape, result or dtype),), attributes={**given, **nan}
        )
        return Compared(name, (x, y), {**given, **({typed: kind} if typed else {})}, case)

    return make


def small(name: str):
    """Sums that stay in their type."""

    def make(draw: Draw) -> Compared:
        return binary(name, "int32_t", values=lambda extents, kind: draw.ints(extents, kind, 31))(draw)

    return make


def shifted(name: str, **attributes: Any):
    """Return a maker of shifts by up to as many bits as there are."""

    def make(draw: Draw) -> Compared:
        kind = draw.pick(["int8_t", "int16_t", "int32_t"])
        x, y, shape = draw.pair(lambda extents: draw.ints(extents, kind))
        y = np.abs(y) % BITS[kind]
        given = {key: draw.pick(value) for key, value in attributes.items()}
        operands = (Tensor(x, TYPES[kind]), Tensor(y, TYPES[kind]))
        case = Case(name.upper(), operands, ((shape, TYPES[kind]),), attributes=given)
        return Compared(name, (x, y), {**given, "in_out_t": kind}, case)

    return make


def intdiv(draw: Draw) -> Compared:
    x, y, shape = draw.pair(lambda extents: draw.ints(extents, "int32_t"))
    y = np.where(y == 0, 7, np.where(y == -1, 1, y))
    case = Case("INTDIV", (Tensor(x, "INT32"), Tensor(y, "INT32")), ((shape, "INT32"),), "IntDivAttribute")
    return Compared("intdiv", (x, y), {}, case)


def mul(draw: Draw) -> Compared:
    kind = draw.pick(["int8_t", "int16_t", "int32_t", "int32_t"])
    shift = draw.number(0, 62) if kind == "int32_t" else 0
    bits = min(BITS[kind], (31 + shift) // 2) if kind == "int32_t" else BITS[kind]
    x, y, shape = draw.pair(lambda extents: draw.ints(extents, kind, bits))
    operands = (Tensor(x, TYPES[kind]), Tensor(y, TYPES[kind]), one(shift, "int8_t"))
    return Compared("mul", (x, y), {"shift": shift, "in_t": kind}, Case("MUL", operands, ((shape, "INT32"),)))


def table(draw: Draw) -> Compared:
    kind = draw.pick(["int8_t", "int16_t"])
    x = draw.ints(draw.shape(), kind)
    size, half = (256, 1) if kind == "int8_t" else (513, 2)
    values = draw.ints((size,), kind) // half  # slopes of 16 bits
    result = "INT8" if kind == "int8_t" else "INT32"
    case = Case("TABLE", (Tensor(x, TYPES[kind]), Tensor(values, TYPES[kind])), ((x.shape, result),))
    return Compared("table", (x, values), {"in_t": kind}, case)


def unary(name: str, *kinds: str, typed: bool = True):
    def make(draw: Draw) -> Compared:
        kind = draw.pick(kinds)
        x = draw.reals(draw.shape()) if kind == "fp32_t" else draw.ints(draw.shape(), kind)
        if name == "abs" and kind == "int32_t":
            x = np.where(x == -(2**31), 0, x)
        dtype = TYPES.get(kind, "FP32")
        operands: tuple[Tensor, ...] = (Tensor(x, dtype),)
        given: dict[str, Any] = {"in_out_t": kind} if typed else {}
        if name == "negate":
            zeros = [draw.number(-128, 127) if kind == "int8_t" else 0 for _ in range(2)]
            points = [np.array([zero], np.float32 if kind == "fp32_t" else np.int64) for zero in zeros]
            operands += tuple(Tensor(point, dtype) for point in points)
            x = np.maximum(x, -(2**31) + 1) if kind == "int32_t" else x
            operands = (Tensor(x, dtype), *operands[1:])
            given |= {"input1_zp": points[0][0].item(), "output_zp": points[1][0].item()}
        return Compared(name, (x,), given, Case(name.upper(), operands, (like(x, kind),)))

    return make


def clamp(draw: Draw) -> Compared:
    kind = draw.pick(["int8_t", "int16_t", "fp32_t"])
    if kind == "fp32_t":
        x, ends = draw.reals(draw.shape()), np.sort(draw.random.standard_normal(2).astype(np.float32))
        data = [[*np.array(end, "<f4").tobytes()] for end in ends]
    else:
        x, ends = draw.ints(draw.shape(), kind), np.sort(draw.ints((2,), kind))
        data = [[*np.array(end, "<i8").tobytes()[: BITS[kind] // 8]] for end in ends]
    attributes = {"min_val": data[0], "max_val": data[1], "nan_mode": "PROPAGATE"}
    case = Case("CLAMP", (Tensor(x, TYPES.get(kind, "FP32")),), (like(x, kind),), attributes=attributes)
    low, high = (end.item() for end in ends)
    return Compared("clamp", (x,), {"min_val": low, "max_val": high, "in_out_t": kind}, case)


def select(draw: Draw) -> Compared:
    kind = draw.pick(["bool_t", "int8_t", "int16_t", "int32_t", "fp32_t"])
    x, y, shape = draw.pair(lambda extents: draw.reals(extents) if kind == "fp32_t" else draw.ints(extents, kind))
    condition = draw.ints([extent if draw.number(0, 1) else 1 for extent in shape], "bool_t")
    dtype = TYPES.get(kind, "FP32")
    operands = (Tensor(condition, "BOOL"), Tensor(x, dtype), Tensor(y, dtype))
    return Compared("select", (condition, x, y), {}, Case("SELECT", operands, ((shape, dtype),)))


def cast(draw: Draw) -> Compared:
    rows = [(i, o) for i in ("bool_t", "int8_t", "int16_t", "int32_t") for o in TYPES if o != i and o != "int48_t"]
    source, target = draw.pick(rows)
    x = draw.ints(draw.shape(), source)
    case = Case("CAST", (Tensor(x, TYPES[source]),), (like(x, target),))
    given = {"in_t": source, "out_t": target, "dtypes": ["bool" if target == "bool_t" else "int"]}
    return Compared("cast", (x,), given, case)


def rescale(draw: Draw) -> Compared:
    rows = {
        "int8_t": ["int8_t", "int16_t", "int32_t", "uint8_t"],
        "int16_t": ["int8_t", "int16_t", "int32_t", "uint8_t", "uint16_t"],
        "int32_t": ["int8_t", "int16_t", "int32_t"],
        "int48_t": ["int8_t", "int16_t", "int32_t"],
        "uint8_t": ["int8_t", "int16_t"],
        "uint16_t": ["int16_t"],
    }
    source = draw.pick([*rows])
    target = draw.pick(rows[source])
    width = BITS[source.removeprefix("u")]
    scale32 = source != "int48_t" and bool(draw.number(0, 1))
    double = scale32 and bool(draw.number(0, 1))
    per_channel = bool(draw.number(0, 1))
    shape = draw.shape(draw.number(1, 4))
    x = draw.ints(shape, source.removeprefix("u"))
    count = shape[-1] if per_channel else 1
    # Results have 32 bits: the product of a value and a multiplier loses at least that many bits more.
    least = min(max(2, width + 1 + (31 if scale32 else 15) - 31, width + 2), 62)
    multiplier = draw.random.integers(0, 2 ** (31 if scale32 else 15), count)
    shift = draw.random.integers(least, 63, count)
    choices = {"int8_t": range(-128, 128), "uint8_t": range(256), "uint16_t": [0, 32768]}
    points = [draw.pick(choices.get(kind, [0])) for kind in (source, target)]
    unsigned = [kind.startswith("u") for kind in (source, target)]
    mine = np.where(x < 0, x + 2**width, x) if unsigned[0] else x
    stored = [TYPES[kind.removeprefix("u")] for kind in (source, target)]
    operands = (
        Tensor(x, stored[0]), Tensor(multiplier, "INT32" if scale32 else "INT16"), Tensor(shift, "INT8"),
        Tensor(np.array([points[0]]), stored[0]), Tensor(np.array([points[1]]), stored[1]),
    )  # fmt: skip
    flags = {"scale32": scale32, "per_channel": per_channel}
    case = Case(
        "RESCALE", operands, ((x.shape, stored[1]),),
        attributes=flags | {
            "rounding_mode": "DOUBLE_ROUND" if double else "SINGLE_ROUND",
            "input_unsigned": unsigned[0], "output_unsigned": unsigned[1],
        },
    )  # fmt: skip
    attributes = flags | {
        "double_round": double, "input_zp": points[0], "output_zp": points[1], "in_t": source, "out_t": target,
    }  # fmt: skip
    return Compared("rescale", (mine, multiplier, shift), attributes, case, unsigned[1])


# ---- reductions and layout -------------------------------------------------------------------------------------------
def reduced(name: str, *kinds: str):
    def make(draw: Draw) -> Compared:
        kind = draw.pick(kinds)
        x = draw.reals(draw.shape()) if kind == "fp32_t" else draw.ints(draw.shape(), kind)
        if name == "reduce_sum":
            x = x // 8
        axis = draw.number(0, x.ndim - 1)
        shape = tuple(1 if at == axis else extent for at, extent in enumerate(x.shape))
        dtype = TYPES.get(kind, "FP32")
        result = (shape, dtype)
        attributes: dict[str, Any] = {"axis": axis}
        given: dict[str, Any] = {} if kind == "bool_t" else {"in_out_t": kind}
        kind_of = ""
        if name in ("argmax", "reduce_max", "reduce_min"):
            attributes["nan_mode"] = "PROPAGATE"
        if name == "argmax":
            result = (tuple(extent for at, extent in enumerate(x.shape) if at != axis), "INT32")
            given, kind_of = {"in_t": kind}, "ArgMaxAttribute"
        case = Case(name.upper(), (Tensor(x, dtype),), (result,), kind_of, attributes)
        return Compared(name, (x,), {"axis": axis, **given}, case)

    return make


def laid_out(name: str):
    def make(draw: Draw) -> Compared:
        kind = draw.pick(["bool_t", "int8_t", "int16_t", "int32_t"])
        x = draw.ints(draw.shape(), kind)
        operands: tuple[Any, ...] = (Tensor(x, TYPES[kind]),)
        attributes: dict[str, Any] = {}
        given: dict[str, Any] = {}
        axis, shape = draw.number(0, x.ndim - 1), x.shape
        inputs: tuple[Any, ...] = (x,)
        if name == "concat":
            others = [draw.ints((*shape[:axis], draw.number(1, 4), *shape[axis + 1 :]), kind) for _ in range(2)]
            operands += tuple(Tensor(other, TYPES[kind]) for other in others)
            shape = (*shape[:axis], sum(each.shape[axis] for each in (x, *others)), *shape[axis + 1 :])
            attributes = given = {"axis": axis}
            inputs = ((x, *others),)
        elif name == "pad":
            pads = [draw.number(0, 2) for _ in range(2 * x.ndim)]
            value = draw.ints((1,), kind)
            operands += (Shape(tuple(pads)), Tensor(value, TYPES[kind]))
            shape = tuple(extent + sum(pads[2 * at : 2 * at + 2]) for at, extent in enumerate(shape))
            given = {"padding": pads, "pad_const": value[0].item()}
        elif name == "reshape":
            shape = draw.pick([(x.size,), (1, x.size), shape[::-1], (*shape, 1)])
            operands += (Shape(shape),)
            given = {"new_shape": [*shape]}
        elif name == "reverse":
            attributes = given = {"axis": axis}
        elif name == "slice":
            start = [draw.number(0, extent - 1) for extent in shape]
            shape = tuple(draw.number(1, extent - first) for first, extent in zip(start, shape, strict=True))
            operands += (Shape(tuple(start)), Shape(shape))
            given = {"start": start, "size": [*shape]}
        elif name == "tile":
            times = [draw.number(1, 3) for _ in shape]
            operands += (Shape(tuple(times)),)
            shape = tuple(a * b for a, b in zip(shape, times, strict=True))
            given = {"multiples": times}
        elif name == "transpose":
            perms = [int(each) for each in draw.random.permutation(x.ndim)]
            shape = tuple(shape[each] for each in perms)
            attributes = given = {"perms": perms}
        case = Case(name.upper(), operands, ((shape, TYPES[kind]),), attributes=attributes)
        return Compared(name, inputs, given, case)

    return make


def gather(draw: Draw) -> Compared:
    n, k, w, c = draw.shape(4)
    kind = draw.pick(["int8_t", "int16_t", "int32_t"])
    values, indices = draw.ints((n, k, c), kind), draw.random.integers(0, k, (n, w))
    case = Case("GATHER", (Tensor(values, TYPES[kind]), Tensor(indices, "INT32")), (((n, w, c), TYPES[kind]),))
    return Compared("gather", (values, indices), {}, case)


def scatter(draw: Draw) -> Compared:
    n, k, w, c = draw.shape(4)
    k = max(k, w)
    kind = draw.pick(["int8_t", "int16_t", "int32_t"])
    values, new = draw.ints((n, k, c), kind), draw.ints((n, w, c), kind)
    indices = np.array([draw.random.permutation(k)[:w] for _ in range(n)])
    operands = (Tensor(values, TYPES[kind]), Tensor(indices, "INT32"), Tensor(new, TYPES[kind]))
    return Compared("scatter", (values, indices, new), {}, Case("SCATTER", operands, (like(values, kind),)))


# ---- windows ---------------------------------------------------------------------------------------------------------
class Window(NamedTuple):
    """A window along each spatial dimension, whose stride meets the end of the input exactly."""

    kernel: list[int]
    stride: list[int]
    dilation: list[int]
    pad: list[int]
    inside: list[int]
    """Extents of the input."""
    out: list[int]


def window(draw: Draw, count: int, *, is_pool: bool = False) -> Window:
    found = Window([], [], [], [], [], [])
    while len(found.kernel) < count:
        kernel, stride, dilation = draw.number(1, 3), draw.number(1, 3), 1 if is_pool else draw.number(1, 2)
        pads = [draw.number(0, kernel - 1) for _ in range(2)]
        out = draw.number(1, 4)
        inside = (out - 1) * stride + (kernel - 1) * dilation + 1 - sum(pads)
        if inside < 1:
            continue
        for items, item in zip(found, (kernel, stride, dilation, pads, inside, out), strict=True):
            items += item if isinstance(item, list) else [item]
    return found


def zero_points(draw: Draw, kind: str) -> list[int]:
    return [draw.number(-128, 127) if kind == "int8_t" else 0 for _ in range(2)]


def convolved(name: str):
    def make(draw: Draw) -> Compared:
        count = 3 if name == "conv3d" else 2
        found, kind = window(draw, count), draw.pick(["int8_t", "int16_t"])
        n, channels, outs = draw.number(1, 2), draw.number(1, 4), draw.number(1, 4)
        x = draw.ints((n, *found.inside, channels), kind)
        depthwise = name == "depthwise_conv2d"
        w = draw.ints((*found.kernel, channels, outs) if depthwise else (outs, *found.kernel, channels), "int8_t")
        results = channels * outs if depthwise else outs
        bias = draw.ints((results if draw.number(0, 2) else 1,), "int32_t", 30)
        if bias.size == 1:
            bias = np.repeat(bias, results)
        points = zero_points(draw, kind)
        points[1] = points[1] if kind == "int8_t" else 0
        sum_type = ACCUMULATED[kind]
        operands = (
            Tensor(x, TYPES[kind]), Tensor(w, "INT8"), Tensor(bias, TYPES[sum_type]), one(points[0], kind),
            one(points[1], "int8_t"),
        )  # fmt: skip
        attributes = {"pad": found.pad, "stride": found.stride, "dilation": found.dilation}
        case = Case(
            name.upper(), operands, (((n, *found.out, results), TYPES[sum_type]),),
            {"conv2d": "Conv2dAttribute", "conv3d": "Conv3dAttribute"}.get(name, "DepthwiseConv2dAttribute"),
            attributes | {"local_bound": False, "acc_type": TYPES[sum_type]},
        )  # fmt: skip
        return Compared(
            name, (x, w, bias), attributes | {"input_zp": points[0], "weight_zp": points[1], "in_t": kind}, case
        )

    return make


def transpose_conv2d(draw: Draw) -> Compared:
    kind = draw.pick(["int8_t", "int16_t"])
    n, channels, outs = draw.shape(3)
    inside, kernel, stride = draw.shape(2), draw.shape(2, 3), [draw.number(1, 3) for _ in range(2)]
    pads = [draw.number(0, kernel[at // 2] - 1) for at in range(4)]
    out = [(inside[at] - 1) * stride[at] + kernel[at] - pads[2 * at] - pads[2 * at + 1] for at in range(2)]
    if min(out) < 1:
        return transpose_conv2d(draw)
    x, w = draw.ints((n, *inside, channels), kind), draw.ints((outs, *kernel, channels), "int8_t")
    bias = draw.ints((outs,), "int32_t", 30)
    points = zero_points(draw, kind)
    sum_type = ACCUMULATED[kind]
    operands = (
        Tensor(x, TYPES[kind]), Tensor(w, "INT8"), Tensor(bias, TYPES[sum_type]), one(points[0], kind),
        one(points[1], "int8_t"),
    )  # fmt: skip
    # TOSA 1.0 adds the padding that 0.30 removes at each side.
    case = Case(
        "TRANSPOSE_CONV2D", operands, (((n, *out, outs), TYPES[sum_type]),), "TransposeConv2dAttribute",
        {"out_pad": [-pad for pad in pads], "stride": stride, "local_bound": False, "acc_type": TYPES[sum_type]},
    )  # fmt: skip
    attributes = {
        "out_pad": pads, "stride": stride, "out_shape": [n, *out, outs], "input_zp": points[0],
        "weight_zp": points[1], "in_t": kind,
    }  # fmt: skip
    return Compared("transpose_conv2d", (x, w, bias), attributes, case)


def fully_connected(draw: Draw) -> Compared:
    """1.0 has no such operator: it is a convolution with a window of 1 × 1."""
    kind = draw.pick(["int8_t", "int16_t"])
    n, channels, outs = draw.shape(3)
    x, w, bias = (
        draw.ints((n, channels), kind),
        draw.ints((outs, channels), "int8_t"),
        draw.ints((outs,), "int32_t", 30),
    )
    points = zero_points(draw, kind)
    sum_type = ACCUMULATED[kind]
    operands = (
        Tensor(x[:, None, None, :], TYPES[kind]), Tensor(w[:, None, None, :], "INT8"), Tensor(bias, TYPES[sum_type]),
        one(points[0], kind), one(points[1], "int8_t"),
    )  # fmt: skip
    plain = {"pad": [0] * 4, "stride": [1, 1], "dilation": [1, 1], "local_bound": False, "acc_type": TYPES[sum_type]}
    case = Case("CONV2D", operands, (((n, 1, 1, outs), TYPES[sum_type]),), "Conv2dAttribute", plain)
    given = {"input_zp": points[0], "weight_zp": points[1], "in_t": kind}
    return Compared("fully_connected", (x, w, bias), given, case)


def matmul(draw: Draw) -> Compared:
    kind = draw.pick(["int8_t", "int16_t"])
    n, h, c, w = draw.shape(4)
    a, b, points = draw.ints((n, h, c), kind), draw.ints((n, c, w), kind), zero_points(draw, kind)
    operands = (Tensor(a, TYPES[kind]), Tensor(b, TYPES[kind]), *(one(point, kind) for point in points))
    case = Case("MATMUL", operands, (((n, h, w), TYPES[ACCUMULATED[kind]]),), "MatMulAttribute")
    return Compared("matmul", (a, b), {"A_zp": points[0], "B_zp": points[1], "in_t": kind}, case)


def pooled(name: str):
    def make(draw: Draw) -> Compared:
        found, kind = window(draw, 2, is_pool=True), draw.pick(["int8_t", "int16_t"])
        n, channels = draw.shape(2)
        x = draw.ints((n, *found.inside, channels), kind)
        attributes: dict[str, Any] = {"kernel": found.kernel, "stride": found.stride, "pad": found.pad}
        given, operands = attributes | {"in_out_t": kind}, (Tensor(x, TYPES[kind]),)
        extra: dict[str, Any] = {"nan_mode": "PROPAGATE"}
        if name == "avg_pool2d":
            points = zero_points(draw, kind)
            operands += tuple(one(point, kind) for point in points)
            given |= {"input_zp": points[0], "output_zp": points[1]}
            extra = {"acc_type": "INT32"}
        kind_of = {"avg_pool2d": "AvgPool2dAttribute", "max_pool2d": "MaxPool2dAttribute"}[name]
        case = Case(name.upper(), operands, (((n, *found.out, channels), TYPES[kind]),), kind_of, attributes | extra)
        return Compared(name, (x,), given, case)

    return make


def resize(draw: Draw) -> Compared:
    """1.0 has fractions where 0.30 has a shift: these are the fractions of a power of two."""
    kind, mode = draw.pick(["int8_t", "int16_t"]), draw.pick(["BILINEAR", "NEAREST"])
    shift = draw.number(1, 11)
    scale = 2**shift
    n, ih, iw, c = draw.shape(4)
    strides, offsets, out = [], [], []
    for extent in (ih, iw):
        size = draw.number(1, 6)
        reach = (extent - 1) * scale
        # Output positions from `offset` on, `stride` apart, the last one right at the end of the input.
        stride = draw.number(1, min(16 * scale - 1, max(1, (reach + scale - 1) // max(size - 1, 1))))
        offset = reach - (size - 1) * stride
        if not -scale < offset < 16 * scale:
            return resize(draw)
        strides.append(stride)
        offsets.append(offset)
        out.append(size)
    x = draw.ints((n, ih, iw, c), kind)
    result = {"int8_t": "INT32", "int16_t": "INT48"}[kind] if mode == "BILINEAR" else TYPES[kind]
    operands = (
        Tensor(x, TYPES[kind]), Shape((scale, strides[0], scale, strides[1])), Shape(tuple(offsets)), Shape((0, 0)),
    )  # fmt: skip
    case = Case("RESIZE", operands, (((n, *out, c), result),), attributes={"mode": mode})
    attributes = {
        "output_size": out, "stride": strides, "offset": offsets, "border": [0, 0], "shift": shift, "mode": mode,
        "in_t": kind,
    }  # fmt: skip
    return Compared("resize", (x,), attributes, case)


def constant(draw: Draw) -> Compared:
    x = draw.ints(draw.shape(), "int32_t")
    case = Case("IDENTITY", (Tensor(x, "INT32"),), (like(x, "int32_t"),))
    return Compared("const", (), {"values": x.reshape(-1).tolist(), "shape": [*x.shape]}, case)


INTS = ("int8_t", "int16_t", "int32_t")
MAKERS: dict[str, Callable[[Draw], Compared]] = {
    "abs": unary("abs", "int32_t", "fp32_t"), "add": small("add"), "sub": small("sub"),
    "argmax": reduced("argmax", "int8_t", "int16_t"),
    "arithmetic_right_shift": shifted("arithmetic_right_shift", round=[False, True]),
    "avg_pool2d": pooled("avg_pool2d"), "bitwise_and": binary("bitwise_and", *INTS),
    "bitwise_not": unary("bitwise_not", *INTS), "bitwise_or": binary("bitwise_or", *INTS),
    "bitwise_xor": binary("bitwise_xor", *INTS), "cast": cast, "ceil": unary("ceil", "fp32_t"), "clamp": clamp,
    "clz": unary("clz", "int32_t"), "concat": laid_out("concat"), "const": constant, "conv2d": convolved("conv2d"),
    "conv3d": convolved("conv3d"), "depthwise_conv2d": convolved("depthwise_conv2d"),
    "equal": binary("equal", "int32_t", "fp32_t", result="BOOL", typed="in_t"), "floor": unary("floor", "fp32_t"),
    "fully_connected": fully_connected, "gather": gather,
    "greater": binary("greater", "int32_t", "fp32_t", result="BOOL", typed="in_t"),
    "greater_equal": binary("greater_equal", "int32_t", "fp32_t", result="BOOL", typed="in_t"),
    "identity": unary("identity", *INTS, typed=False), "intdiv": intdiv,
    "logical_and": binary("logical_and", "bool_t", typed=""), "logical_left_shift": shifted("logical_left_shift"),
    "logical_not": unary("logical_not", "bool_t", typed=False), "logical_or": binary("logical_or", "bool_t", typed=""),
    "logical_right_shift": shifted("logical_right_shift"), "logical_xor": binary("logical_xor", "bool_t", typed=""),
    "matmul": matmul, "max_pool2d": pooled("max_pool2d"), "maximum": binary("maximum", "int32_t", "fp32_t"),
    "minimum": binary("minimum", "int32_t", "fp32_t"), "mul": mul, "negate": unary("negate", *INTS, "fp32_t"),
    "pad": laid_out("pad"), "reciprocal": unary("reciprocal", "fp32_t"), "reduce_all": reduced("reduce_all", "bool_t"),
    "reduce_any": reduced("reduce_any", "bool_t"), "reduce_max": reduced("reduce_max", *INTS, "fp32_t"),
    "reduce_min": reduced("reduce_min", *INTS, "fp32_t"), "reduce_sum": reduced("reduce_sum", "int32_t"),
    "rescale": rescale, "reshape": laid_out("reshape"), "resize": resize, "reverse": laid_out("reverse"),
    "scatter": scatter, "select": select, "slice": laid_out("slice"), "table": table, "tile": laid_out("tile"),
    "transpose": laid_out("transpose"), "transpose_conv2d": transpose_conv2d,
}  # fmt: skip
"""Function that draws an invocation, for each operator that means the same."""


def drawn(count: int) -> Iterator[Compared]:
    for number, make in enumerate(MAKERS.values()):
        for seed in range(count):
            yield make(Draw(1000 * number + seed))


def test_operators_agree_with_the_reference_model_bit_for_bit(tmp_path: Path):
    cases = list(drawn(tries(3, 60)))
    tosa = invoker("tosa", np.dtype(np.float32))
    for compared, [expected] in zip(cases, evaluate([each.case for each in cases], tmp_path), strict=True):
        found = tosa(compared.name, *compared.inputs, **compared.attributes)
        if compared.is_unsigned:
            width = 2 ** BITS[compared.attributes["out_t"].removeprefix("u")]
            expected = np.where(expected < 0, expected + width, expected)
        said = f"{compared.name} {compared.attributes}"
        np.testing.assert_array_equal(found, expected.reshape(found.shape), said, strict=True)
        if found.dtype.kind == "f":  # zeros have signs
            np.testing.assert_array_equal(np.signbit(found) & ~np.isnan(found), np.signbit(expected) & ~np.isnan(found))


# ---- types of 16 bits ------------------------------------------------------------------------------------------------
def halves(draw: Draw, storage: str) -> Callable[[Sequence[int]], Array]:
    """Numbers that a type of 16 bits holds."""
    if storage == "fp16_t":
        return lambda shape: np.clip(draw.reals(shape), -65504, 65504).astype(np.float16).astype(np.float32)
    return lambda shape: (draw.reals(shape).view(np.uint32) & 0xFFFF0000).view(np.float32)


def test_reals_of_16_bits_are_rounded_bit_for_bit(tmp_path: Path):
    cases = []
    for seed in range(tries(2, 40)):
        for storage, dtype in (("fp16_t", "FP16"), ("bf16_t", "BF16")):
            draw = Draw(seed)
            for name in ("add", "sub", "mul", "maximum", "minimum"):
                x, y, shape = draw.pair(halves(draw, storage))
                operands = (Tensor(x, dtype), Tensor(y, dtype), *([one(0, "int8_t")] if name == "mul" else []))
                nan = {"nan_mode": "PROPAGATE"} if name in ("maximum", "minimum") else {}
                case = Case(name.upper(), operands, ((shape, dtype),), attributes=nan)
                cases.append(Compared(name, (x, y), {"in_t" if name == "mul" else "in_out_t": storage}, case))
            for name in ("abs", "ceil", "floor", "reciprocal"):
                x = halves(draw, storage)(draw.shape())
                case = Case(name.upper(), (Tensor(x, dtype),), ((x.shape, dtype),))
                cases.append(Compared(name, (x,), {"in_out_t": storage}, case))
            for source in INTS:
                ints = draw.ints(draw.shape(), source)
                case = Case("CAST", (Tensor(ints, TYPES[source]),), ((ints.shape, dtype),))
                cases.append(Compared("cast", (ints,), {"in_t": source, "out_t": storage, "dtypes": ["real"]}, case))
    tosa = invoker("tosa", np.dtype(np.float32))
    for compared, [expected] in zip(cases, evaluate([each.case for each in cases], tmp_path), strict=True):
        found = tosa(compared.name, *compared.inputs, **compared.attributes)
        np.testing.assert_array_equal(
            found, expected.astype(np.float32).reshape(found.shape), f"{compared.name} {compared.attributes}"
        )


# ---- reals whose last bits a machine may choose ----------------------------------------------------------------------
def near(name: str, values: Callable[[Draw], Array] | None = None):
    """A function of reals that 1.0 does not define to the last bit."""

    def make(draw: Draw) -> Compared:
        x = draw.reals(draw.shape()) if values is None else values(draw)
        return Compared(name, (x,), {}, Case(name.upper(), (Tensor(x, "FP32"),), (like(x, "fp32_t"),)))

    return make


def power(draw: Draw) -> Compared:
    x, y, shape = draw.pair(lambda extents: draw.random.uniform(0.1, 8, extents).astype(np.float32))
    case = Case("POW", (Tensor(x, "FP32"), Tensor(y, "FP32")), ((shape, "FP32"),))
    return Compared("pow", (x, y), {}, case)


def product(draw: Draw) -> Compared:
    x = draw.random.standard_normal(draw.shape()).astype(np.float32)
    axis = draw.number(0, x.ndim - 1)
    shape = tuple(1 if at == axis else extent for at, extent in enumerate(x.shape))
    case = Case("REDUCE_PRODUCT", (Tensor(x, "FP32"),), ((shape, "FP32"),), attributes={"axis": axis})
    return Compared("reduce_product", (x,), {"axis": axis}, case)


def transformed(name: str):
    def make(draw: Draw) -> Compared:
        shape = (draw.number(1, 2), 2 ** draw.number(0, 3), 2 ** draw.number(0, 3))
        parts = tuple(draw.random.standard_normal(shape).astype(np.float32) for _ in range(2))
        if name == "rfft2d":
            # 0.30 halves both dimensions, 1.0 only the last one: the first rows of 1.0 are those of 0.30.
            result = (shape[0], shape[1], shape[2] // 2 + 1)
            case = Case("RFFT2D", (Tensor(parts[0], "FP32"),), ((result, "FP32"),) * 2, "RFFT2dAttribute", {})
            return Compared(name, parts[:1], {}, case)
        inverse = bool(draw.number(0, 1))
        case = Case(
            "FFT2D", tuple(Tensor(part, "FP32") for part in parts), ((shape, "FP32"),) * 2, "FFT2dAttribute",
            {"inverse": inverse},
        )  # fmt: skip
        return Compared(name, parts, {"inverse": inverse}, case)

    return make


NEAR: dict[str, Callable[[Draw], Compared]] = {
    "exp": near("exp"), "log": near("log"), "rsqrt": near("rsqrt"), "sigmoid": near("sigmoid"), "tanh": near("tanh"),
    "pow": power, "reduce_product": product, "fft2d": transformed("fft2d"), "rfft2d": transformed("rfft2d"),
}  # fmt: skip


def test_functions_of_reals_are_near_the_reference_model(tmp_path: Path):
    cases = [make(Draw(1000 * at + seed)) for at, make in enumerate(NEAR.values()) for seed in range(tries(2, 40))]
    tosa = invoker("tosa", np.dtype(np.float32))
    for compared, expected in zip(cases, evaluate([each.case for each in cases], tmp_path), strict=True):
        found = tosa(compared.name, *compared.inputs, **compared.attributes)
        for mine, theirs in zip(found if isinstance(found, tuple) else (found,), expected, strict=True):
            rows = theirs[:, : mine.shape[1]] if compared.name == "rfft2d" else theirs
            near_zero = {"fft2d": 2e-4, "rfft2d": 2e-4, "tanh": 1e-7, "sigmoid": 1e-7}.get(compared.name, 1e-37)
            np.testing.assert_allclose(mine, rows, 2e-6, near_zero, True, compared.name)


def test_every_operator_is_compared():
    public = {name for name in library_names("tosa").definitions if not name.startswith("_")}
    assert public == {*MAKERS, *NEAR}
