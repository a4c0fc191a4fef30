"""Elements by their index: ``layout`` and ``onnx`` in place of ATen calls."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

import numpy as np

from snd_analysis.symbolic import integers
from snd_server.exchange.onnx_import.data import Data, constant_of, require
from snd_server.exchange.onnx_import.node import INT
from snd_server.exchange.onnx_import.operations.indexing import positive
from snd_server.exchange.onnx_import.operations.layout import reshaped
from snd_server.exchange.torch_import.call import Call, Extent, as_type, aten, axis_of, tensor


@aten("index_select")
def index_select(call: Call, x: Data, dim: int, index: Data) -> Data:
    axis = axis_of(dim, x.rank)
    return call.run("layout.gather", x, positive(call, index, x, axis), axis=axis, like=x.dtype)


@aten("gather")
def gather(call: Call, x: Data, dim: int, index: Data, sparse_grad: bool = False) -> Data:
    return call.one("GatherElements", x, index, axis=axis_of(dim, x.rank))


@aten("scatter.src", "scatter.value", "scatter_add", "scatter_reduce")
def scatter(
    call: Call, x: Data, dim: int, index: Data, src: Data | None = None, value: float = 0, reduce: str | None = None,
    include_self: bool = True,
) -> Data:  # fmt: skip
    require(include_self and reduce in (None, "sum", "prod", "amax", "amin"), "another reduction")
    updates = tensor(call, value, x) if src is None else src
    if src is None:
        updates = call.run("layout.uniform", as_type(call, updates, x.dtype), shape=list(index.shape), like=x.dtype)
    require(updates.shape == index.shape, "more elements than indices")
    kinds = {"sum": "add", "prod": "mul", "amax": "max", "amin": "min"}
    reduction = "add" if call.name == "scatter_add" else "none" if reduce is None else kinds[reduce]
    return call.stored(call.one("ScatterElements", x, index, updates, axis=axis_of(dim, x.rank), reduction=reduction))


@aten("index.Tensor", "_unsafe_index.Tensor")
def index(call: Call, x: Data, indices: Sequence[Data | None]) -> Data:
    axes = [at for at, each in enumerate(indices) if each is not None]
    given = [each for each in indices if each is not None]
    if len(given) == 1 and given[0].is_bool:
        return _masked(call, x, axes[0], given[0])
    require(not any(each.is_bool for each in given), "bools beside other indices")
    require(axes == list(range(axes[0], axes[-1] + 1)), "indices with dimensions between them")
    if len(given) == 1:
        return call.run("layout.gather", x, positive(call, given[0], x, axes[0]), axis=axes[0], like=x.dtype)
    first, last = axes[0], axes[-1] + 1
    place: Data | None = None
    for axis, each in zip(axes, given, strict=True):
        step = prod(x.shape[axis + 1 : last], start=integers.constant(1))
        part = positive(call, each, x, axis)
        scaled = _times(call, part, step)
        place = scaled if place is None else _plus(call, place, scaled)
    assert place is not None
    joined = prod(x.shape[first:last], start=integers.constant(1))
    flat = reshaped(call, x, [*x.shape[:first], joined, *x.shape[last:]])
    return call.run("layout.gather", flat, place, axis=first, like=x.dtype)


def _times(call: Call, data: Data, factor: Extent) -> Data:
    value = factor if isinstance(factor, int) else factor.value
    if data.array is not None and value is not None:
        return constant_of(data.array * value, "indices")
    return data if value == 1 else call.run("math.mul", data, factor, like=INT)


def _plus(call: Call, one: Data, other: Data) -> Data:
    if one.array is not None and other.array is not None:
        return constant_of(one.array + other.array, "indices")
    return call.run("math.add", one, other, like=INT)


def _masked(call: Call, x: Data, axis: int, mask: Data) -> Data:
    last = axis + mask.rank
    joined = prod(x.shape[axis:last], start=integers.constant(1))
    flat = reshaped(call, x, [*x.shape[:axis], joined, *x.shape[last:]])
    places = call.run("layout.nonzero", reshaped(call, mask, [joined]), like=INT)
    return call.run("layout.gather", flat, call.run("layout.squeeze", places, axes=[0]), axis=axis, like=x.dtype)


@aten("masked_select")
def masked_select(call: Call, x: Data, mask: Data) -> Data:
    require(x.shape == mask.shape, "a mask that is broadcast")
    return _masked(call, x, 0, mask)


@aten("index_put")
def index_put(call: Call, x: Data, indices: Sequence[Data | None], values: Data, accumulate: bool = False) -> Data:
    given = [each for each in indices if each is not None]
    if len(given) == 1 and given[0].is_bool and values.rank == 0 and not accumulate and indices[0] is not None:
        mask = given[0]
        if mask.rank < x.rank:
            mask = call.one("Unsqueeze", mask, call.ints(range(mask.rank, x.rank)))
        return call.one("Where", mask, as_type(call, values, x.dtype), x)
    require(len(given) == 1 and indices[0] is not None and given[0].rank == 1, "elements replaced at several indices")
    require(not accumulate and values.rank == x.rank and values.shape[1:] == x.shape[1:], "values that are broadcast")
    return call.run("layout.scatter", x, positive(call, given[0], x, 0), values, axis=0, like=x.dtype)


@aten("index_copy")
def index_copy(call: Call, x: Data, dim: int, index: Data, source: Data) -> Data:
    axis = axis_of(dim, x.rank)
    return call.run("layout.scatter", x, positive(call, index, x, axis), source, axis=axis, like=x.dtype)


@aten("one_hot")
def one_hot(call: Call, x: Data, num_classes: Extent = -1) -> Data:
    require(num_classes != -1, "the number of classes depends on data")
    places = call.run("layout.range", first=0, last=num_classes)
    hot = call.run("math.eq", call.one("Unsqueeze", x, call.ints([x.rank])), places)
    return call.run("layout.cast", hot, dtypes=["int"], like=INT)


@aten("nonzero")
def nonzero(call: Call, x: Data) -> Data:
    return call.run("layout.transpose", call.one("NonZero", x), perm=[1, 0])


@aten("bucketize.Tensor")
def bucketize(call: Call, x: Data, boundaries: Data, out_int32: bool = False, right: bool = False) -> Data:
    wide = call.one("Unsqueeze", x, call.ints([x.rank]))
    below = call.run("math.le" if right else "math.lt", boundaries, wide)
    counts = call.run("layout.cast", below, dtypes=["int"], like=np.dtype(np.int32) if out_int32 else INT)
    return call.run("math.sum_reduce", counts, axes=[x.rank], squeeze=True)
