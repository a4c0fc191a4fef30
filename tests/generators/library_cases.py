"""Invocations of library operators with results of NumPy: an entry for every operator that has formulas."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Any

import numpy as np

_RANDOM = np.random.default_rng(7)
_ERF = np.vectorize(math.erf, otypes=[np.float64])


@dataclass(frozen=True)
class Case:
    operator: str
    inputs: Sequence[Any]
    expected: Any
    attributes: dict[str, Any] = field(default_factory=dict)
    dtypes: Sequence[str] = ()

    def __str__(self) -> str:
        shapes = ",".join(_shown(value) for value in self.inputs)
        attributes = ",".join(f"{key}={value}" for key, value in self.attributes.items())
        return f"{self.operator}{{{attributes}}}({shapes})".replace(" ", "")


def _shown(value: Any) -> str:
    if value is None:
        return "null"
    return "+".join(map(_shown, value)) if isinstance(value, list) else str(list(value.shape))


def reals(*shape: int, low: float = -2.0, high: float = 2.0) -> Any:
    return _RANDOM.uniform(low, high, shape)


def ints(*shape: int, low: int = -9, high: int = 9) -> Any:
    return _RANDOM.integers(low, high, shape)


def bools(*shape: int) -> Any:
    return _RANDOM.integers(0, 2, shape) == 1


SHAPES = ((), (5,), (2, 3), (2, 0, 3), (2, 3, 4, 2))


# ---- math ------------------------------------------------------------------------------------------------------------
def _round(x: Any) -> Any:
    return np.sign(x) * np.floor(np.abs(x) + 0.5)


UNARY: dict[str, tuple[Callable[[Any], Any], float, float]] = {
    "math.iden": (lambda x: x, -2, 2),
    "math.neg": (lambda x: -x, -2, 2),
    "math.rcp": (lambda x: 1 / x, 0.5, 2),
    "math.sqr": (lambda x: x**2, -2, 2),
    "math.sqrt": (np.sqrt, 0, 2),
    "math.rsqr": (lambda x: x**-2.0, 0.5, 2),
    "math.rsqrt": (lambda x: x**-0.5, 0.5, 2),
    "math.exp": (np.exp, -2, 2),
    "math.log": (np.log, 0.1, 2),
    "math.log2": (np.log2, 0.1, 2),
    "math.sin": (np.sin, -4, 4),
    "math.cos": (np.cos, -4, 4),
    "math.tan": (np.tan, -1, 1),
    "math.sinh": (np.sinh, -2, 2),
    "math.cosh": (np.cosh, -2, 2),
    "math.tanh": (np.tanh, -2, 2),
    "math.asin": (np.arcsin, -1, 1),
    "math.acos": (np.arccos, -1, 1),
    "math.atan": (np.arctan, -2, 2),
    "math.asinh": (np.arcsinh, -2, 2),
    "math.acosh": (np.arccosh, 1, 3),
    "math.atanh": (np.arctanh, -0.9, 0.9),
    "math.abs": (np.abs, -2, 2),
    "math.sign": (np.sign, -2, 2),
    "math.floor": (np.floor, -3, 3),
    "math.ceil": (np.ceil, -3, 3),
    "math.round": (_round, -3, 3),
    "nn.erf": (_ERF, -7, 7),
    "nn.sigmoid": (lambda x: 1 / (1 + np.exp(-x)), -2, 2),
    "nn.silu": (lambda x: x / (1 + np.exp(-x)), -2, 2),
    "nn.softplus": (lambda x: np.log(1 + np.exp(x)), -2, 2),
    "nn.elu": (lambda x: np.where(x < 0, np.exp(x) - 1, x), -2, 2),
    "nn.selu": (
        lambda x: 1.05070102 * np.where(x < 0, 1.67326319 * np.expm1(x), x),
        -2,
        2,
    ),
    "nn.relu": (lambda x: np.maximum(x, 0), -2, 2),
    "nn.thresholded_relu": (lambda x: np.where(x > 1, x, 0), -2, 2),
    "nn.gelu": (lambda x: 0.5 * x * (1 + _ERF(x / np.sqrt(2))), -2, 2),
}


def _unary() -> Iterator[Case]:
    for name, (function, low, high) in UNARY.items():
        for shape in SHAPES:
            x = reals(*shape, low=low, high=high)
            attributes = {"theta": 1.0} if name == "nn.thresholded_relu" else {}
            yield Case(name, [x], function(x), attributes)
    for name, function in (("math.abs", np.abs), ("math.sign", np.sign), ("math.neg", np.negative)):
        x = ints(3, 4)
        yield Case(name, [x], function(x))
    x = bools(3, 4)
    yield Case("math.not", [x], ~x)
    x = reals(3, 4)
    yield Case("nn.relu", [x], np.maximum(np.minimum(x, 1), 0.1 * x), {"alpha": 0.1, "max": 1.0})
    yield Case("nn.gelu", [x], x / (1 + np.exp(-1.702 * x)), {"approximate": "SIGMOID"})
    tanh = 0.5 * x * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3)))
    yield Case("nn.gelu", [x], tanh, {"approximate": "TANH"})
    alpha = reals(4)
    yield Case("nn.prelu", [x, alpha], np.where(x < 0, x * alpha, x), {"axis": 1})


BINARY: dict[str, Callable[[Any, Any], Any]] = {
    "math.add": np.add,
    "math.sub": np.subtract,
    "math.mul": np.multiply,
    "math.div": np.divide,
    "math.min": np.minimum,
    "math.max": np.maximum,
    "math.mod": np.mod,
    "math.pow": lambda x, y: np.abs(x) ** y,
    "math.lt": np.less,
    "math.gt": np.greater,
    "math.le": np.less_equal,
    "math.ge": np.greater_equal,
    "math.eq": np.equal,
    "math.ne": np.not_equal,
}
BROADCAST = (((), ()), ((3,), (3,)), ((2, 3), (1, 3)), ((2, 1, 4), (1, 3, 4)), ((0, 2), (1, 2)))


def _binary() -> Iterator[Case]:
    for name, function in BINARY.items():
        for first, second in BROADCAST:
            x, y = reals(*first), reals(*second)
            if name == "math.pow":
                x = np.abs(x)
            yield Case(name, [x, y], function(x, y))
        x, y = ints(4, 3), ints(4, 1, low=1)
        expected = {"math.div": x // y, "math.pow": x**y}.get(name, function(x, y))
        yield Case(name, [x, y], expected)
    for name, function in (("and", np.logical_and), ("or", np.logical_or), ("xor", np.logical_xor)):
        x, y = bools(3, 4), bools(3, 1)
        yield Case(f"math.{name}", [x, y], function(x, y))
    yield Case("math.add", [x := reals(2, 3), y := reals(2)], x + y[:, None], {"rhs_align": 0})
    c, x, y = bools(2, 3), reals(2, 1), reals(1, 3)
    yield Case("math.select", [c, x, y], np.where(c, x, y))
    x, a, b = reals(3, 4), reals(1, 4), reals(1, 1)
    yield Case("math.axpb", [x, a, b], a * x + b)
    y = reals(3, 1)
    yield Case("math.axpby", [a, x, b, y], a * x + b * y)
    yield Case("math.clamp", [x, -np.ones((1, 1)), np.ones((1, 4))], np.clip(x, -1, 1))


def _n_ary() -> Iterator[Case]:
    for n, shape in ((1, (3,)), (3, (2, 4)), (4, ())):
        xs = [reals(*shape) for _ in range(n)]
        stacked = np.stack(xs)
        for name, function in (("sum", np.sum), ("prod", np.prod), ("min", np.min), ("max", np.max)):
            yield Case(f"math.{name}_n", [xs], function(stacked, 0))
        yield Case("math.argmin_n", [xs], stacked.argmin(0))
        yield Case("math.argmax_n", [xs], stacked.argmax(0))
        conditions = [bools(*shape) for _ in range(n)]
        yield Case("math.any_n", [conditions], np.any(conditions, 0))
        yield Case("math.all_n", [conditions], np.all(conditions, 0))


def _reductions() -> Iterator[Case]:
    functions = {"sum": np.sum, "prod": np.prod, "min": np.min, "max": np.max}
    for (shape, axes), squeeze in product((((5,), (0,)), ((2, 3, 4), (1,)), ((2, 3, 4), (0, 2))), (True, False)):
        x = reals(*shape)
        attributes = {"axes": list(axes), "squeeze": squeeze}
        for name, function in functions.items():
            yield Case(f"math.{name}_reduce", [x], function(x, axis=axes, keepdims=not squeeze), attributes)
        b = bools(*shape)
        yield Case("math.any_reduce", [b], np.any(b, axis=axes, keepdims=not squeeze), attributes)
        yield Case("math.all_reduce", [b], np.all(b, axis=axes, keepdims=not squeeze), attributes)
    x = ints(3, 40, low=0, high=6)
    for axis, squeeze in product((0, 1, -1), (True, False)):
        attributes = {"axis": axis, "squeeze": squeeze}
        yield Case("math.argmin", [x], np.argmin(x, axis, keepdims=not squeeze), attributes)
        yield Case("math.argmax", [x], np.argmax(x, axis, keepdims=not squeeze), attributes)
    x = ints(3, 2, 4, low=0, high=6)
    for name, function in (("argmin", np.argmin), ("argmax", np.argmax)):
        at = function(np.moveaxis(x, 1, 2).reshape(12, 2), axis=0)
        both = np.stack(np.unravel_index(at, (3, 4)), -1)
        yield Case(f"math.{name}_nd", [x], both, {"axes": [0, 2], "squeeze": True})
        yield Case(f"math.{name}_nd", [x], both[None, :, None], {"axes": [0, 2], "squeeze": False})
    large = reals(2000)
    yield Case("math.argmax", [large], np.argmax(large, keepdims=True), {"axis": 0, "squeeze": False})


# ---- linalg, quant, misc ---------------------------------------------------------------------------------------------
def _linalg() -> Iterator[Case]:
    x, y = reals(6), reals(6)
    yield Case("linalg.dot", [x, y, None], np.dot(x, y))
    yield Case("linalg.dot", [x, y, np.array(0.5)], np.dot(x, y) + 0.5)
    a = reals(4, 6)
    yield Case("linalg.matvec", [a, x, None], a @ x)
    yield Case("linalg.matvec", [a.T.copy(), x, reals(4) * 0], a @ x, {"transA": True})
    yield Case("linalg.outer", [x, a], np.multiply.outer(x, a))
    for ta, tb in product((False, True), repeat=2):
        p, q, c = reals(2, 4, 5), reals(2, 5, 3), reals(4, 3)
        attributes = {"transA": ta, "transB": tb}
        inputs = [p.swapaxes(1, 2) if ta else p, q.swapaxes(1, 2) if tb else q]
        yield Case("linalg.matmul", [*inputs, None], p @ q, attributes)
        yield Case("linalg.matmul", [*inputs, c], p @ q + c, attributes)
    p, q = reals(1, 4, 5), reals(3, 2, 5, 3)
    yield Case("linalg.matmul", [p, q, None], p @ q)
    yield Case("linalg.matmul", [reals(3, 0), reals(0, 2), None], np.zeros((3, 2)))


def _quant() -> Iterator[Case]:
    x = reals(2, 3)
    scale, zero = np.array([0.1, 0.2, 0.3]), np.array([0, 1, 2])
    attributes = {"bits": 8, "signed": True, "symmetric": False, "channel_axis": 1}
    quantized = np.clip(zero + _round(x / scale), -128, 127)
    yield Case(
        "quant.zero_point_linear_quantize", [x], (quantized - zero) * scale,
        {**attributes, "zero_point": [0, 1, 2], "scale": [0.1, 0.2, 0.3]},
    )  # fmt: skip
    low, high = np.array([-1.0, -0.5, 0.0]), np.array([1.0, 1.5, 0.5])
    steps = np.round((np.clip(x, low, high) - low) / (high - low) * 255)
    yield Case(
        "quant.min_max_linear_quantize", [x], steps / 255 * (high - low) + low,
        {"min": [-1.0, -0.5, 0.0], "max": [1.0, 1.5, 0.5], "bits": 8, "symmetric": False},
    )  # fmt: skip


def _misc() -> Iterator[Case]:
    xs = [reals(2), reals(3), reals(4)]
    yield Case("misc.mesh_grid", [xs], list(np.meshgrid(*xs, indexing="ij")))


# ---- layout ----------------------------------------------------------------------------------------------------------
def _layout() -> Iterator[Case]:
    yield Case(
        "layout.tensor", [], np.arange(6.0).reshape(2, 3), {"shape": [2, 3], "value": [0.0, 1.0, 2.0, 3.0, 4.0, 5.0]}
    )
    yield Case("layout.tensor", [], np.array(4), {"shape": [], "value": [4]})
    yield Case("layout.uniform", [np.array(3)], np.full((2, 3), 3), {"shape": [2, 3]})
    yield Case("layout.range", [], np.arange(2, 11, 3), {"first": 2, "last": 11, "stride": 3})
    yield Case("layout.range", [], np.arange(1.0, -1.0, -0.25), {"first": 1.0, "last": -1.0, "stride": -0.25})
    x = reals(2, 3, 4)
    yield Case("layout.shape", [x], np.array([2, 3, 4]))
    yield Case("layout.cast", [x], x.astype(np.int64), dtypes=["int"])
    yield Case("layout.cast", [x > 0], (x > 0).astype(np.float64), dtypes=["real"])
    yield Case("layout.flatten", [x], x.reshape(2, 12), {"axis": 1})
    yield Case("layout.flatten", [x], x.reshape(6, 4), {"rank": 2})
    yield Case("layout.unflatten", [x], x.reshape(2, 3, 2, 2), {"axis": -1, "shape": [2, 2]})
    yield Case("layout.squeeze", [x[:, :1]], x[:, 0], {"axes": [1]})
    yield Case("layout.unsqueeze", [x], x[:, None, :, :, None], {"axes": [1, -1]})
    parts = [reals(2, 1, 3), reals(2, 4, 3), reals(2, 2, 3)]
    yield Case("layout.concat", [parts], np.concatenate(parts, 1), {"axis": 1})
    even = [reals(2, 2), reals(2, 2)]
    yield Case("layout.concat", [even], np.concatenate(even, -1), {"axis": -1})
    whole = reals(2, 6)
    yield Case("layout.split", [whole], np.split(whole, 3, 1), {"axis": 1, "count": 3})
    yield Case("layout.split", [whole], np.split(whole, [1, 3], 1), {"axis": 1, "sizes": [1, 2, 3]})
    yield Case("layout.stack", [even], np.stack(even, 1), {"axis": 1})
    yield Case("layout.unstack", [whole], list(whole), {"axis": 0})
    yield Case("layout.unstack", [whole], list(whole[:, None]), {"axis": 0, "squeeze": False})
    yield Case("layout.tile", [whole], np.tile(whole, (3, 2)), {"repeats": [3, 2]})
    yield Case("layout.broadcast", [whole[:1]], np.broadcast_to(whole[:1], (4, 6)), {"shape": [4, 6]})
    attributes: dict[str, Any] = {"axes": [1, 2], "begin": [1, 0], "end": [3, 4], "stride": [1, 2]}
    yield Case("layout.slice", [x], x[:, 1:3, 0:4:2], attributes)
    for method, mode in (
        ("CONSTANT", "constant"),
        ("REFLECT", "reflect"),
        ("SYMMETRIC", "symmetric"),
        ("REPLICATE", "edge"),
    ):
        yield Case(
            "layout.pad", [x, None], np.pad(x, ((0, 0), (1, 2), (2, 1)), mode),  # type: ignore[call-overload]
            {"axes": [1, 2], "padding": [1, 2, 2, 1], "method": method},
        )  # fmt: skip
    yield Case("layout.pad", [whole, np.array(7.0)], np.pad(whole, 1, constant_values=7), {"padding": [1, 1, 1, 1]})
    yield Case("layout.transpose", [x], x.transpose(2, 0, 1), {"perm": [2, 0, 1]})
    yield Case("layout.transpose", [x], x.transpose(0, 2, 1), {"axis": 1, "perm": [2, 1]})
    mask = ints(3, 4, low=0, high=2)
    yield Case("layout.nonzero", [mask], np.stack(np.nonzero(mask)))
    yield Case("layout.nonzero", [np.zeros((2, 2))], np.zeros((2, 0), np.int64))
    index = ints(2, 2, low=0, high=3)
    yield Case("layout.gather", [x, index], np.take(x, index, 1), {"axis": 1})
    yield Case("layout.gather_nd", [x, index[:, :2] % 2], x[tuple((index[:, :2] % 2).T)])
    rows = np.array([[0, 1], [1, 2]])
    yield Case(
        "layout.gather_nd", [x, rows[:, :, None]], np.stack([x[b][rows[b]] for b in range(2)]), {"batch_dims": 1}
    )
    updates, target = reals(2, 2), reals(2, 5)
    at = np.array([[3, 0], [4, 4]])
    expected = target.copy()
    np.put_along_axis(expected, at, updates, 1)
    yield Case("layout.scatter", [target, at, updates], expected, {"axis": 1})
    expected = x.copy()
    expected[1, 2], expected[0, 0] = updates[0, 0], updates[1, 1]
    given = np.stack([np.full(4, updates[0, 0]), np.full(4, updates[1, 1])])
    yield Case("layout.scatter_nd", [x, np.array([[1, 2], [0, 0]]), given], expected)


# ---- nn --------------------------------------------------------------------------------------------------------------
def convolution(x: Any, f: Any, stride: Any, dilation: Any, pads: Any, groups: int) -> Any:
    """Convolve by loops over the elements of the filter, channels second."""
    d = x.ndim - 2
    x = np.pad(x, [(0, 0), (0, 0), *pads])
    sizes = [(x.shape[2 + k] - dilation[k] * (f.shape[2 + k] - 1) - 1) // stride[k] + 1 for k in range(d)]
    m, c = f.shape[0] // groups, f.shape[1]
    result = np.zeros((x.shape[0], f.shape[0], *sizes))
    for at in np.ndindex(*f.shape[2:]):
        window = tuple(
            slice(dilation[k] * at[k], dilation[k] * at[k] + stride[k] * (sizes[k] - 1) + 1, stride[k])
            for k in range(d)
        )
        for g in range(groups):
            part = x[(slice(None), slice(g * c, (g + 1) * c), *window)]
            weights = f[(slice(g * m, (g + 1) * m), slice(None), *at)]
            result[:, g * m : (g + 1) * m] += np.einsum("bc...,mc->bm...", part, weights)
    return result


def _convolutions() -> Iterator[Case]:
    cases = (
        ((2, 3, 7), (4, 3, 3), [1], [1], [(1, 1)], 1),
        ((2, 4, 6, 7), (6, 2, 3, 2), [2, 1], [1, 2], [(1, 1), (0, 2)], 2),
        ((1, 3, 5, 6), (3, 1, 3, 3), [1, 1], [1, 1], [(1, 1), (1, 1)], 3),
        ((1, 2, 4, 3, 4), (2, 2, 2, 2, 2), [1, 1, 1], [1, 1, 1], [(0, 0)] * 3, 1),
        ((0, 2, 4), (2, 2, 3), [1], [1], [(0, 0)], 1),
    )
    for shape, filter_shape, stride, dilation, pads, groups in cases:
        x, f, bias = reals(*shape), reals(*filter_shape), reals(filter_shape[0])
        wanted = convolution(x, f, stride, dilation, pads, groups)
        padding = [*(pair[0] for pair in pads), *(pair[1] for pair in pads)]
        attributes = {"stride": stride, "dilation": dilation, "padding": padding, "groups": groups}
        yield Case("nn.conv", [x, f, None], wanted, attributes)
        d = x.ndim - 2
        yield Case("nn.conv", [x, f, bias], wanted + bias.reshape(-1, *[1] * d), attributes)
        last = (0, *range(2, d + 2), 1)
        yield Case(
            "nn.conv", [x.transpose(last), f.transpose(last), None], wanted.transpose(last),
            {**attributes, "data_format": "NXC", "filter_format": "NXC"},
        )  # fmt: skip
        # The transposed convolution is the adjoint of the convolution.
        y = reals(*wanted.shape)
        yield Case("nn.deconv", [y, f, None], adjoint(y, f, x.shape, stride, dilation, pads, groups), {
            **attributes, "output_size": list(x.shape[2:]),
        })  # fmt: skip


def adjoint(y: Any, f: Any, shape: Any, stride: Any, dilation: Any, pads: Any, groups: int) -> Any:
    d = y.ndim - 2
    wide = np.zeros((shape[0], shape[1], *(s + sum(p) for s, p in zip(shape[2:], pads, strict=True))))
    m, c = f.shape[0] // groups, f.shape[1]
    for at in np.ndindex(*f.shape[2:]):
        window = tuple(
            slice(dilation[k] * at[k], dilation[k] * at[k] + stride[k] * (y.shape[2 + k] - 1) + 1, stride[k])
            for k in range(d)
        )
        for g in range(groups):
            weights = f[(slice(g * m, (g + 1) * m), slice(None), *at)]
            part = np.einsum("bm...,mc->bc...", y[:, g * m : (g + 1) * m], weights)
            wide[(slice(None), slice(g * c, (g + 1) * c), *window)] += part
    inner = tuple(slice(p[0], p[0] + s) for s, p in zip(shape[2:], pads, strict=True))
    return wide[(slice(None), slice(None), *inner)]


def _pools() -> Iterator[Case]:
    x = reals(2, 3, 7, 6)
    for stride, dilation, pads in (([2, 2], [1, 1], [(0, 0), (0, 0)]), ([1, 2], [2, 1], [(1, 1), (0, 1)])):
        windows = _windows(x, [3, 2], stride, dilation, pads)
        padding = [*(pair[0] for pair in pads), *(pair[1] for pair in pads)]
        attributes = {"axes": [2, 3], "size": [3, 2], "stride": stride, "dilation": dilation, "padding": padding}
        yield Case("nn.max_pool", [x], np.nanmax(windows, (-2, -1)), attributes)
        yield Case("nn.sum_pool", [x], np.nansum(windows, (-2, -1)), attributes)
    yield Case("nn.linear", [x[0, 0], reals(4, 6) * 0 + 1, reals(4) * 0], np.repeat(x[0, 0].sum(1)[:, None], 4, 1))


def _windows(x: Any, size: Any, stride: Any, dilation: Any, pads: Any) -> Any:
    padded = np.pad(x, [(0, 0), (0, 0), *pads], constant_values=np.nan)
    reach = [dilation[k] * (size[k] - 1) + 1 for k in range(2)]
    views = np.lib.stride_tricks.sliding_window_view(padded, reach, (2, 3))  # type: ignore[call-overload]
    return views[:, :, :: stride[0], :: stride[1], :: dilation[0], :: dilation[1]]


# ---- image -----------------------------------------------------------------------------------------------------------
def _image() -> Iterator[Case]:
    x = reals(2, 4, 6)
    yield Case("image.nearest_downsample", [x], x[:, ::2, ::3], {"axes": [1, 2], "factor": [2, 3]})
    yield Case("image.nearest_upsample", [x], x.repeat(2, 1).repeat(3, 2), {"axes": [1, 2], "factor": [2, 3]})
    for size in (9, 4, 3):
        at = (np.arange(size) + 0.5) * (6 / size) - 0.5
        low, weight = np.floor(at).astype(int), at - np.floor(at)
        first, second = x[:, :, np.clip(low, 0, 5)], x[:, :, np.clip(low + 1, 0, 5)]
        yield Case(
            "image.linear_resize",
            [x],
            np.where(at >= 0, first * (1 - weight) + second * weight, x[:, :, :1]),
            {"axes": [2], "size": [size]},
        )
        rounded = np.clip(np.ceil(at - 0.5).astype(int), 0, 5)
        yield Case("image.nearest_resize", [x], x[:, :, rounded], {"axes": [2], "size": [size]})


# ---- image: interpolation ------------------------------------------------------------------------------------------
def keys(t: Any, a: float) -> Any:
    """Return the cubic kernel."""
    near = ((a + 2) * t - (a + 3)) * t * t + 1
    far = a * (((t - 5) * t + 8) * t - 4)
    return np.where(t <= 1, near, np.where(t < 2, far, 0))


def _interpolation() -> Iterator[Case]:
    x = reals(3, 5)
    for factor, symmetric in ((2, True), (3, True), (2, False), (3, False)):
        at = (np.arange(5 * factor) + 0.5) / factor - 0.5 if symmetric else np.arange(5 * factor) / factor
        wanted = np.stack([np.interp(at, np.arange(5), row) for row in x])
        yield Case("image.linear_upsample", [x], wanted, {"axes": [1], "factor": [factor], "symmetric": symmetric})
    for size in (7, 3):
        at = (np.arange(size) + 0.5) * (5 / size) - 0.5
        wanted = np.zeros((3, size))
        for tap in range(-1, 3):
            place = np.floor(at).astype(int) + tap
            wanted += x[:, np.clip(place, 0, 4)] * keys(np.abs(place - at), -0.75)
        yield Case("image.cubic_resize", [x], wanted, {"axes": [1], "size": [size]})


def _grids() -> Iterator[Case]:
    image, grid = reals(2, 3, 4, 5), reals(2, 3, 2, 2, low=-1.3, high=1.3)
    for padding, aligned in product(("ZEROS", "REPLICATE", "REFLECT"), (False, True)):
        attributes = {"padding": padding, "aligned": aligned}
        for name, first, taps, kernel in (
            ("nearest", 0, 1, None),
            ("linear", 0, 2, lambda t: 1 - t),
            ("cubic", -1, 4, lambda t: keys(t, -0.75)),
        ):
            wanted = sampled(image, grid, padding, aligned, range(first, first + taps), kernel)
            yield Case(f"image._{name}_grid_sample", [image, grid], wanted, attributes)


def sampled(image: Any, grid: Any, padding: str, aligned: bool, taps: range, kernel: Any) -> Any:
    extents = image.shape[2:]
    result = np.zeros((*image.shape[:2], *grid.shape[1:3]))
    for n, p, q in np.ndindex(grid.shape[0], *grid.shape[1:3]):
        template = (grid[n, p, q, ::-1] + 1) / 2
        at = [u * (s - 1) if aligned else u * s - 0.5 for u, s in zip(template, extents, strict=True)]
        if kernel is None:
            candidates = [[(int(_round(np.float64(a))), 1.0)] for a in at]
        else:
            candidates = [
                [(math.floor(a) + tap, float(kernel(abs(math.floor(a) + tap - a)))) for tap in taps] for a in at
            ]
        for (i, v), (j, w) in product(*candidates):
            inside = 0 <= i < extents[0] and 0 <= j < extents[1]
            if padding == "ZEROS" and not inside:
                continue
            place = [_placed(k, s, padding) for k, s in zip((i, j), extents, strict=True)]
            result[n, :, p, q] += v * w * image[n, :, place[0], place[1]]
    return result


def _placed(index: int, extent: int, padding: str) -> int:
    if padding == "REFLECT":
        period = max(2 * (extent - 1), 1)
        return min(index % period, period - index % period)
    return min(max(index, 0), extent - 1)


def all_cases() -> list[Case]:
    groups = (
        _unary,
        _binary,
        _n_ary,
        _reductions,
        _linalg,
        _quant,
        _misc,
        _layout,
        _convolutions,
        _pools,
        _image,
        _interpolation,
        _grids,
    )
    return [case for group in groups for case in group()]
