"""Tensors from nothing: constants, or ``layout`` where shapes depend on extents."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil
from typing import Any

import numpy as np

from snd_analysis.symbolic.integers import Integer
from snd_server.exchange.onnx_import.data import Data, constant_of, require
from snd_server.exchange.onnx_import.limits import MOST_FOLDED_ELEMENTS
from snd_server.exchange.onnx_import.node import INT, REAL, unless
from snd_server.exchange.torch_import.call import Call, Extent, aten, integer


def _uniform(call: Call, value: Any, shape: Sequence[Extent], dtype: Any) -> Data:
    wanted = dtype or np.asarray(value).dtype
    wanted = REAL if wanted == np.float64 and dtype is None else wanted
    extents = [integer(each) for each in shape]
    if all(each.value is not None for each in extents):
        return constant_of(np.broadcast_to(np.asarray(value, wanted), tuple(each.value or 0 for each in extents)))
    return call.run("layout.uniform", call.constant(value, wanted), shape=extents, like=wanted)


@aten("zeros.default", "ones.default", "empty.memory_format", "new_zeros", "new_ones", "new_empty")
def filled(call: Call, size: Sequence[Extent], x: Data | None = None, dtype: Any = None, **ignored: Any) -> Data:
    """Return zeros or ones; elements that a program leaves open are 0."""
    wanted = dtype or (REAL if x is None else x.dtype)
    return _uniform(call, 1 if "ones" in call.name else 0, size, wanted)


@aten("zeros_like", "ones_like", "empty_like")
def filled_like(call: Call, x: Data, dtype: Any = None, **ignored: Any) -> Data:
    return _uniform(call, 1 if "ones" in call.name else 0, list(x.shape), dtype or x.dtype)


@aten("full.default", "new_full")
def full(
    call: Call, size: Sequence[Extent], fill_value: Any, x: Data | None = None, dtype: Any = None, **ignored: Any
) -> Data:
    require(not isinstance(fill_value, Data | Integer), "a value that depends on extents")
    return _uniform(call, fill_value, size, dtype or (None if x is None else x.dtype))


@aten("full_like", "fill.Scalar", "fill.Tensor", "zero")
def full_like(call: Call, x: Data, fill_value: Any = 0, value: Any = None, dtype: Any = None, **ignored: Any) -> Data:
    chosen = fill_value if value is None else value
    if isinstance(chosen, Data):
        require(chosen.scalar is not None, "a value that depends on data")
        chosen = chosen.scalar
    return _uniform(call, chosen, list(x.shape), dtype or x.dtype)


@aten("scalar_tensor")
def scalar(call: Call, s: Any, dtype: Any = None, **ignored: Any) -> Data | Extent:
    return s if isinstance(s, Integer) else call.constant(s, dtype or REAL)


@aten("arange.default", "arange.start", "arange.start_step")
def arange(call: Call, end: Any, start: Any = 0, step: Any = 1, dtype: Any = None, **ignored: Any) -> Data:
    values = [start, end, step]
    has_reals = any(isinstance(each, float) for each in values)
    wanted = dtype or (REAL if has_reals else INT)
    numbers = [each.value if isinstance(each, Integer) else each for each in values]
    begin, last, stride = numbers
    if begin is not None and last is not None and stride is not None:
        count = max(0, ceil((last - begin) / stride))
        require(count <= MOST_FOLDED_ELEMENTS, "a range of too many numbers")
        return constant_of((begin + np.arange(count) * stride).astype(wanted))
    require(not has_reals, "a range of reals that depends on extents")
    forward = step == 1
    found = call.run("layout.range", first=start, last=end, **unless(forward, stride=step), like=INT)
    return found if np.dtype(wanted).kind in "iu" else call.cast(found, "real")


@aten("linspace")
def linspace(call: Call, start: float, end: float, steps: int, dtype: Any = None, **ignored: Any) -> Data:
    require(isinstance(steps, int) and steps <= MOST_FOLDED_ELEMENTS, "the number of steps depends on extents")
    return constant_of(np.linspace(start, end, steps).astype(dtype or REAL))


@aten("eye.default", "eye.m")
def eye(call: Call, n: Extent, m: Extent | None = None, dtype: Any = None, **ignored: Any) -> Data:
    rows, columns = integer(n).value, integer(n if m is None else m).value
    require(rows is not None and columns is not None, "extents that are not known")
    return constant_of(np.eye(rows or 0, columns or 0, dtype=dtype or REAL))


@aten("tril", "triu")
def triangle(call: Call, x: Data, diagonal: int = 0) -> Data:
    if x.array is not None:
        return constant_of((np.tril if call.name == "tril" else np.triu)(x.array, diagonal), x.name)
    return call.one("Trilu", x, call.constant(diagonal), upper=int(call.name == "triu"))


@aten("tril_indices", "triu_indices")
def triangle_indices(call: Call, row: int, col: int, offset: int = 0, **ignored: Any) -> Data:
    found = (np.tril_indices if call.name.startswith("tril") else np.triu_indices)(row, offset, col)
    return constant_of(np.stack(found).astype(INT))


@aten("rand", "randn", "rand_like", "randn_like", "bernoulli", "uniform", "multinomial", "randint", "randperm")
def random(call: Call, **ignored: Any) -> Data:
    require(False, "random numbers, which differ from those of PyTorch")
    return constant_of(np.zeros(()))
