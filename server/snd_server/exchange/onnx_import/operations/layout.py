"""Shapes and places of elements: ``layout`` in place of nodes of ONNX."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from snd_analysis.symbolic import integers
from snd_analysis.symbolic.integers import Integer
from snd_server.exchange.onnx_import.data import Data, OnnxArgument, require
from snd_server.exchange.onnx_import.node import OnnxNode, translation, unless

ONE = integers.constant(1)


@translation("Reshape")
def reshape(node: OnnxNode) -> Data:
    x, wanted = node.input(0), node.integers(1, "shape")
    assert wanted is not None
    allow_zero = bool(node.number("allowzero", 0))
    shape = [x.shape[at] if each.value == 0 and not allow_zero else each for at, each in enumerate(wanted)]
    return reshaped(node, x, shape)


def reshaped(node: OnnxNode, x: Data, shape: list[Integer]) -> Data:
    """Return a tensor with another shape, in which an extent may be -1; by the operator that says it most briefly."""
    if tuple(shape) == x.shape:
        return x
    if x.array is not None and all(each.value is not None for each in shape):
        array = x.array.reshape([each.value or 0 for each in shape])
        return node.constant(array, array.dtype, x.name)
    if not x.rank:
        return node.run("layout.unsqueeze", x, axes=list(range(len(shape))))
    kept = _kept(x, shape)
    if len(shape) == kept + 1 and x.rank > kept + 1 and _fits(x, shape, kept):
        return node.run("layout.flatten", x, **unless(not kept, axis=kept))
    return node.run("layout.reshape", x, shape=shape)


def _kept(x: Data, shape: list[Integer]) -> int:
    pairs = zip(x.shape, shape, strict=False)
    return next((at for at, (one, other) in enumerate(pairs) if one != other), min(x.rank, len(shape)))


def _fits(x: Data, shape: list[Integer], kept: int) -> bool:
    return shape[-1].value == -1 or shape[-1] == prod(x.shape[kept:], start=ONE)


@translation("Flatten")
def flatten(node: OnnxNode) -> Data:
    x = node.input(0)
    axis = node.number("axis", 1)
    axis = axis + x.rank if axis < 0 else axis
    first = prod(x.shape[:axis], start=ONE)
    return reshaped(node, x, [first, prod(x.shape[axis:], start=ONE)])


def may_be_one(extent: Integer) -> bool:
    """Return whether an extent may be 1."""
    low, high = integers.bounds(extent)
    return (low is None or low <= 1) and (high is None or high >= 1)


@translation("Squeeze")
def squeeze(node: OnnxNode) -> Data:
    x, axes = node.input(0), node.ints(1, "axes")
    if axes is None:
        axes = [at for at, extent in enumerate(x.extents) if extent == 1]
        others = [str(each) for each in x.shape if may_be_one(each) and each.value is None]
        # An extent that is not known stays if the model declares a result with so many dimensions.
        require(
            not others or node.declared_rank(0) == x.rank - len(axes),
            f"whether {' and '.join(others)} is 1 must be known, which decides how many dimensions its result has",
        )
    return node.run("layout.squeeze", x, axes=axes) if axes else x


@translation("Unsqueeze")
def unsqueeze(node: OnnxNode) -> Data:
    x, axes = node.input(0), node.ints(1, "axes") or []
    if x.array is not None:
        shape = list(x.array.shape)
        for axis in sorted(each % (x.rank + len(axes)) for each in axes):
            shape.insert(axis, 1)
        array = x.array.reshape(shape)
        return node.constant(array, array.dtype, x.name)
    return node.run("layout.unsqueeze", x, axes=axes) if axes else x


@translation("Concat")
def concat(node: OnnxNode) -> Data:
    tensors = [each for each in node.tensors if not (each.rank == 1 and each.extents == (0,))] or node.tensors[:1]
    if len(tensors) == 1:
        return tensors[0]
    return node.run("layout.concat", tensors, axis=node.number("axis", 0), like=tensors[0].dtype)


@translation("Split")
def split(node: OnnxNode) -> list[Data | None]:
    x, sizes = node.input(0), node.ints(1, "split")
    axis = node.axis(x.rank, 0)
    if sizes is None:
        count = node.number("num_outputs", node.output_count)
        extent = x.extents[axis]
        if extent is None or extent % count == 0:
            return list(node.run_all("layout.split", x, axis=axis, count=count))
        part = -(-extent // count)
        sizes = [part] * (count - 1) + [extent - part * (count - 1)]
    return list(node.run_all("layout.split", x, axis=axis, sizes=sizes))


@translation("Transpose")
def transpose(node: OnnxNode) -> Data:
    x, perm = node.input(0), node.attribute("perm")
    return node.run("layout.transpose", x, **unless(perm is None, perm=perm)) if x.rank > 1 else x


@translation("Expand")
def expand(node: OnnxNode) -> Data:
    x, wanted = node.input(0), node.integers(1)
    assert wanted is not None
    return expanded(node, x, wanted)


def expanded(node: OnnxNode, x: Data, wanted: list[Integer]) -> Data:
    """Return a tensor repeated to a shape, or to its own extents where these are greater."""
    if x.rank < len(wanted):
        x = node.run("layout.unsqueeze", x, axes=list(range(len(wanted) - x.rank)))
    shape = [ONE] * (x.rank - len(wanted)) + wanted
    axes = [at for at, each in enumerate(shape) if each != ONE and each != x.shape[at]]
    if not axes:
        return x
    if len(axes) == x.rank:
        return node.run("layout.broadcast", x, shape=shape)
    return node.run("layout.broadcast", x, axes=axes, shape=[shape[at] for at in axes])


@translation("Tile")
def tile(node: OnnxNode) -> Data:
    x, repeats = node.input(0), node.integers(1) or []
    axes = [at for at, each in enumerate(repeats) if each != ONE]
    if not axes:
        return x
    return node.run("layout.tile", x, **unless(len(axes) == x.rank, axes=axes), repeats=[repeats[at] for at in axes])


@translation("ConstantOfShape")
def uniform(node: OnnxNode) -> Data:
    given = node.attribute("value")
    value = node.constant(0.0, np.dtype(np.float32)) if given is None else node.constant(given.reshape(()), given.dtype)
    return node.run("layout.uniform", value, shape=node.integers(0))


@translation("Range")
def numbers(node: OnnxNode) -> Data:
    found = [node.input(at).integers if node.input(at).is_int else None for at in range(3)]
    values = [node.known_scalar(at) if each is None else each.reshape(-1)[0] for at, each in enumerate(found)]
    first, last, stride = values
    forward = isinstance(stride, Integer) and stride.value == 1
    return node.run("layout.range", first=first, last=last, **unless(forward, stride=stride), like=node.input(0).dtype)


@translation("EyeLike")
def eye(node: OnnxNode) -> Data:
    import onnx

    x = node.input(0)
    require(None not in x.extents, "extents that are not known")
    dtype = onnx.helper.tensor_dtype_to_np_dtype(node.number("dtype")) if node.attribute("dtype") else x.dtype
    rows, columns = (each or 0 for each in x.extents)
    return node.constant(np.eye(rows, columns, node.number("k", 0)), dtype)


@translation("Slice")
def cut(node: OnnxNode) -> Data:
    x, begins, ends = node.input(0), node.integers(1, "starts") or [], node.integers(2, "ends") or []
    axes = node.ints(3, "axes") or list(range(len(begins)))
    strides = node.ints(4) or [1] * len(begins)
    axes = [each % max(x.rank, 1) for each in axes]
    bounds = [
        _bounds(x.shape[axis], begin, end, stride)
        for axis, begin, end, stride in zip(axes, begins, ends, strides, strict=True)
    ]
    if any(begin == end for begin, end in bounds):
        empty = list(x.shape)
        for axis, (begin, end) in zip(axes, bounds, strict=True):
            empty[axis] = integers.constant(0) if begin == end else (end - begin)
        require(all(each == 1 for each in strides), "empty slices by strides")
        return node.run("layout.uniform", _zero(node, x), shape=empty, like=x.dtype)
    changed = [
        at for at, axis in enumerate(axes)
        if strides[at] != 1 or bounds[at][0].value != 0 or bounds[at][1] != x.shape[axis]
    ]  # fmt: skip
    if not changed:
        return x
    given: dict[str, Any] = unless(
        [axes[at] for at in changed] == list(range(x.rank)), axes=[axes[at] for at in changed]
    )
    given |= unless(all(strides[at] == 1 for at in changed), stride=[strides[at] for at in changed])
    first, last = [bounds[at][0] for at in changed], [bounds[at][1] for at in changed]
    return node.run("layout.slice", x, begin=first, end=last, **given)


def _zero(node: OnnxNode, x: Data) -> Data:
    return node.constant(0, x.dtype)


def _bounds(extent: Integer, begin: Integer, end: Integer, stride: int) -> tuple[Integer, Integer]:
    """Return where a slice begins and ends; -1 is in front of the first element."""
    if extent.value is not None and begin.value is not None and end.value is not None:
        first, last, _ = slice(begin.value, end.value, stride).indices(extent.value)
        if (first >= last) if stride > 0 else (first <= last):
            return ONE, ONE
        return integers.constant(first), integers.constant(last)
    first_, last_ = _from_start(extent, begin), _from_start(extent, end)
    if stride < 0:
        is_end = begin.value is not None and (begin.value == -1 or begin.value > 1 << 30)
        first_ = extent - 1 if is_end else first_
        last_ = integers.constant(-1) if end.value is not None and end.value < -(1 << 30) else last_
        return first_, last_
    if end.value is not None and end.value >= 0:
        # Beyond the end it ends there.
        last_ = extent if end.value > 1 << 30 else integers.minimum(end, extent)
    return first_, last_


def _from_start(extent: Integer, place: Integer) -> Integer:
    low, high = integers.bounds(place)
    if low is not None and low >= 0:
        return place
    require(high is not None and high < 0, "where a slice begins or ends may count from either end")
    return extent + place


@translation("Pad")
def pad(node: OnnxNode) -> Data:
    x, padding, value = node.input(0), node.integers(1, "pads" if node.opset < 11 else None), node.maybe(2)
    padding = padding if padding is not None else node.integers(99, "paddings")
    require(padding is not None, "no widths")
    assert padding is not None
    axes = [each % x.rank for each in node.ints(3) or range(x.rank)]
    modes = {"constant": "CONSTANT", "edge": "REPLICATE", "reflect": "REFLECT"}
    mode = node.text("mode", "constant")
    count = len(axes)
    sides: list[tuple[Integer, Integer]] = [(padding[at], padding[count + at]) for at in range(count)]
    if mode == "wrap":
        return _wrapped(node, x, axes, [tuple(each.value or 0 for each in side) for side in sides])
    x, axes, sides = _cropped(node, x, axes, sides)
    changed = [at for at, (begin, end) in enumerate(sides) if begin.value != 0 or end.value != 0]
    if not changed:
        return x
    widths: list[Integer] = [sides[at][0] for at in changed] + [sides[at][1] for at in changed]
    given: dict[str, Any] = unless(len(changed) == x.rank, axes=[axes[at] for at in changed])
    given |= unless(mode == "constant", method=modes.get(mode, mode))
    filling: OnnxArgument = None
    if mode == "constant":
        filling = node.real("value", 0.0) if node.opset < 11 and x.is_real else None
        filling = None if filling == 0.0 else filling
        if value is not None:
            filling = value.scalar if value.scalar is not None else _first(node, value)
            filling = None if filling in (0, False) and not isinstance(filling, Data) else filling
    return node.run("layout.pad", x, filling, padding=widths, like=x.dtype, **given)


def _first(node: OnnxNode, value: Data) -> Data:
    return value if not value.rank else node.run("layout.squeeze", value, axes=list(range(value.rank)))


def _cropped(
    node: OnnxNode, x: Data, axes: list[int], sides: list[tuple[Integer, Integer]]
) -> tuple[Data, list[int], list[tuple[Integer, Integer]]]:
    """Crop the parts that negative widths cut off."""
    cuts = [at for at, side in enumerate(sides) if any((each.value or 0) < 0 for each in side)]
    if not cuts:
        return x, axes, sides
    zero = integers.constant(0)
    begins = [zero - sides[at][0] if (sides[at][0].value or 0) < 0 else zero for at in cuts]
    ends = [x.shape[axes[at]] + (sides[at][1] if (sides[at][1].value or 0) < 0 else zero) for at in cuts]
    x = node.run("layout.slice", x, axes=[axes[at] for at in cuts], begin=begins, end=ends)
    left = [tuple(zero if (each.value or 0) < 0 else each for each in side) for side in sides]
    return x, axes, [(begin, end) for begin, end in left]


def _wrapped(node: OnnxNode, x: Data, axes: list[int], sides: list[tuple[int, ...]]) -> Data:
    """Put the end of a dimension in front of it, and its beginning after it."""
    for axis, (begin, end) in zip(axes, sides, strict=True):
        if not begin and not end:
            continue
        extent = x.extents[axis]
        require(extent is not None and 0 <= begin <= extent and 0 <= end <= extent, "elements that wrap around twice")
        assert extent is not None
        parts = [x]
        if begin:
            parts.insert(0, node.run("layout.slice", x, axes=[axis], begin=[extent - begin], end=[extent]))
        if end:
            parts.append(node.run("layout.slice", x, axes=[axis], begin=[0], end=[end]))
        x = node.run("layout.concat", parts, axis=axis, like=x.dtype)
    return x
