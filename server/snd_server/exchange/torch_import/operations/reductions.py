"""Reductions: ``math`` in place of ATen calls."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

from snd_analysis.symbolic import integers
from snd_server.exchange.onnx_import.data import Data, require
from snd_server.exchange.onnx_import.node import INT, unless
from snd_server.exchange.torch_import.call import Call, Extent, as_type, aten, axes_of, axis_of, integer

Axes: TypeAlias = "int | Sequence[int] | None"


def _reduced(call: Call, operator: str, x: Data, dim: Axes, keepdim: bool, **given: Any) -> Data:
    axes = axes_of(dim, x.rank)
    if not axes:
        return x
    return call.run(operator, x, axes=axes, **unless(keepdim, squeeze=True), **given)


@aten("sum", "mean")
def summed(call: Call, x: Data, dim: Axes = None, keepdim: bool = False, dtype: Any = None) -> Data:
    wanted = dtype or (x.dtype if x.is_real else INT)
    return _reduced(call, f"math.{call.name}_reduce", as_type(call, x, wanted), dim, keepdim)


@aten("prod")
def product(call: Call, x: Data, dim: Axes = None, keepdim: bool = False, dtype: Any = None) -> Data:
    wanted = dtype or (x.dtype if x.is_real else INT)
    return _reduced(call, "math.prod_reduce", as_type(call, x, wanted), dim, keepdim)


@aten("amax", "amin", "max.default", "min.default")
def extreme(call: Call, x: Data, dim: Axes = None, keepdim: bool = False) -> Data:
    name = call.name.removeprefix("a")
    if x.is_bool:
        return _reduced(call, "math.any_reduce" if name == "max" else "math.all_reduce", x, dim, keepdim)
    return _reduced(call, f"math.{name}_reduce", x, dim, keepdim)


@aten("max.dim", "min.dim")
def extreme_and_place(call: Call, x: Data, dim: int, keepdim: bool = False) -> list[Data]:
    return [extreme(call, x, dim, keepdim), _place(call, call.name, x, dim, keepdim)]


def _place(call: Call, name: str, x: Data, dim: int, keepdim: bool) -> Data:
    squeeze = unless(keepdim, squeeze=True)
    return call.run(f"math.arg{name}", call.as_real(x), axis=axis_of(dim, x.rank), like=INT, **squeeze)


@aten("argmax", "argmin")
def place(call: Call, x: Data, dim: int | None = None, keepdim: bool = False) -> Data:
    name = call.name.removeprefix("arg")
    if dim is None:
        require(not keepdim, "the place of the greatest element of all, with dimensions")
        return _place(call, name, call.run("layout.reshape", x, shape=[-1]), 0, False)
    return _place(call, name, x, dim, keepdim)


@aten("any", "all")
def logical(call: Call, x: Data, dim: Axes = None, keepdim: bool = False) -> Data:
    bools = x if x.is_bool else call.run("math.ne", x, 0.0 if x.is_real else 0)
    return _reduced(call, f"math.{call.name}_reduce", bools, dim, keepdim)


@aten("var", "std", "var_mean")
def variance(
    call: Call, x: Data, dim: Axes = None, unbiased: bool = True, keepdim: bool = False, correction: float | None = None
) -> Data | list[Data]:
    less = (1 if unbiased else 0) if correction is None else correction
    axes = axes_of(dim, x.rank)
    mean, found = call.run_all("math.moments", x, axes=axes, **unless(keepdim, squeeze=True))
    if less:
        count = integers.constant(1)
        for axis in axes:
            count = count * x.shape[axis]
        require(count.value is not None and float(less).is_integer(), "a variance by an extent that is not known")
        assert count.value is not None
        require(count.value > less, "a variance of too few elements")
        found = call.run("math.mul", found, count.value / (count.value - less))
    if call.name == "std":
        return call.run("math.sqrt", found)
    return [found, mean] if call.name == "var_mean" else found


@aten("linalg_vector_norm", "norm.ScalarOpt_dim", "norm.Scalar", "frobenius_norm.dim", "norm.ScalarOpt_dim_dtype")
def norm(
    call: Call, x: Data, ord: float = 2, dim: Axes = None, keepdim: bool = False, dtype: Any = None, p: float = 2
) -> Data:
    power = float(ord if ord != 2 else 2 if p is None else p)
    if power == float("inf"):
        return _reduced(call, "math.max_reduce", call.run("math.abs", x), dim, keepdim)
    require(power > 0, "a norm of another power")
    return _reduced(call, "math.lp_reduce", x, dim, keepdim, p=power)


@aten("logsumexp")
def log_sum_exp(call: Call, x: Data, dim: Axes, keepdim: bool = False) -> Data:
    greatest = _reduced(call, "math.max_reduce", x, dim, True)
    total = _reduced(call, "math.sum_reduce", call.run("math.exp", call.run("math.sub", x, greatest)), dim, keepdim)
    base = greatest if keepdim else call.run("layout.squeeze", greatest, axes=axes_of(dim, x.rank))
    return call.run("math.add", call.one("Log", total), base)


@aten("cumsum")
def running_sum(call: Call, x: Data, dim: int, dtype: Any = None) -> Data:
    wanted = dtype or (x.dtype if x.is_real else INT)
    real = call.as_real(as_type(call, x, wanted))
    found = call.run("math.cumsum", real, axis=axis_of(dim, x.rank))
    return found if wanted.kind == "f" else call.run("layout.cast", found, dtypes=["int"], like=wanted)


@aten("cumprod")
def running_product(call: Call, x: Data, dim: int, dtype: Any = None) -> Data:
    return call.run("onnx.cumprod", x if dtype is None else as_type(call, x, dtype), axis=axis_of(dim, x.rank))


@aten("topk")
def top_k(call: Call, x: Data, k: Extent, dim: int = -1, largest: bool = True, sorted: bool = True) -> list[Data]:
    require(x.rank and integer(k).value is not None, "a number of elements that is not known")
    values, places = call.run_all(
        "algo.top_k", call.as_real(x), k=integer(k), axis=axis_of(dim, x.rank), **unless(largest, largest=False)
    )
    return [values if x.is_real else as_type(call, values, x.dtype), places]


@aten("sort.default", "sort.stable", "argsort")
def ordered(
    call: Call, x: Data, dim: int = -1, descending: bool = False, stable: bool | None = None
) -> Data | list[Data]:
    found = top_k(call, x, x.shape[axis_of(dim, x.rank)], dim, descending)
    return found[1] if call.name == "argsort" else found
