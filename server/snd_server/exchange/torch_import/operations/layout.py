"""Shapes and places of elements: ``layout`` in place of ATen calls."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

from snd_analysis.symbolic import integers
from snd_analysis.symbolic.integers import Integer
from snd_server.exchange.onnx_import.data import Data, require
from snd_server.exchange.onnx_import.node import unless
from snd_server.exchange.onnx_import.operations.layout import expanded, reshaped
from snd_server.exchange.torch_import.call import Call, Extent, as_type, aten, axes_of, axis_of, integer, promoted

_ONE = integers.constant(1)


@aten("view.default", "reshape", "_unsafe_view", "view_copy", "_reshape_alias")
def reshape(call: Call, x: Data, shape: Sequence[Extent] = (), size: Sequence[Extent] = (), **strides: Any) -> Data:
    wanted = [integer(each) for each in shape or size]
    if not wanted:
        return call.one("Squeeze", x, call.ints(range(x.rank))) if x.rank else x
    if any(each.value == -1 for each in wanted):
        return _with_rest(call, x, wanted)
    return reshaped(call, x, wanted)


def _with_rest(call: Call, x: Data, wanted: list[Integer]) -> Data:
    """Reshape with one extent left open: a number, if all others are."""
    extents = x.extents
    others = [each.value for each in wanted if each.value != -1]
    if None not in extents and None not in others and 0 not in others:
        rest = prod(each or 0 for each in extents) // prod(each or 1 for each in others)
        wanted = [integers.constant(rest) if each.value == -1 else each for each in wanted]
    return reshaped(call, x, wanted)


@aten("view.dtype")
def reinterpreted(call: Call, x: Data, dtype: Any) -> Data:
    require(x.dtype == dtype, "elements of another type that have the same bits")
    return x


@aten("view_as", "reshape_as")
def reshape_as(call: Call, x: Data, other: Data) -> Data:
    return reshaped(call, x, list(other.shape))


@aten("flatten.using_ints")
def flatten(call: Call, x: Data, start_dim: int = 0, end_dim: int = -1) -> Data:
    if not x.rank:
        return reshaped(call, x, [_ONE])
    first, last = axis_of(start_dim, x.rank), axis_of(end_dim, x.rank)
    joined = prod(x.shape[first : last + 1], start=_ONE)
    return reshaped(call, x, [*x.shape[:first], joined, *x.shape[last + 1 :]])


@aten("unflatten.int")
def unflatten(call: Call, x: Data, dim: int, sizes: Sequence[Extent]) -> Data:
    axis = axis_of(dim, x.rank)
    return reshaped(call, x, [*x.shape[:axis], *map(integer, sizes), *x.shape[axis + 1 :]])


@aten("squeeze")
def squeeze(call: Call, x: Data, dim: int | Sequence[int] | None = None) -> Data:
    if dim is None:
        require(None not in x.extents, "which dimensions are left out depends on extents")
    axes = [at for at in axes_of(dim, x.rank) if x.extents[at] == 1] if x.rank else []
    return call.one("Squeeze", x, call.ints(axes)) if axes else x


@aten("unsqueeze")
def unsqueeze(call: Call, x: Data, dim: int) -> Data:
    return call.one("Unsqueeze", x, call.ints([axis_of(dim, x.rank + 1)]))


@aten("permute", "transpose.int", "t", "swapaxes", "movedim.int", "numpy_T", "mT", "adjoint")
def transpose(call: Call, x: Data, dims: Sequence[int] = (), **axes: int) -> Data:
    order = list(range(x.rank))
    if call.name == "permute":
        order = [axis_of(each, x.rank) for each in dims]
    elif call.name == "numpy_T":
        order.reverse()
    elif call.name.startswith("movedim"):
        source, target = (axis_of(each, x.rank) for each in axes.values())
        order.insert(target, order.pop(source))
    elif x.rank > 1:
        given = list(axes.values()) or [-2, -1]
        first, second = (axis_of(each, x.rank) for each in given)
        order[first], order[second] = order[second], order[first]
    if order == list(range(x.rank)):
        return x
    if x.array is not None:
        return call.constant(x.array.transpose(order), x.dtype, x.name)
    return call.run("layout.transpose", x, perm=order)


@aten("expand", "expand_copy", "broadcast_to")
def expand(call: Call, x: Data, size: Sequence[Extent], implicit: bool = False) -> Data:
    shape = [integer(each) for each in size]
    added = len(shape) - x.rank
    wanted = [x.shape[at - added] if each.value == -1 and at >= added else each for at, each in enumerate(shape)]
    return expanded(call, x, wanted)


@aten("expand_as")
def expand_as(call: Call, x: Data, other: Data) -> Data:
    return expanded(call, x, list(other.shape))


@aten("repeat", "tile")
def repeat(call: Call, x: Data, repeats: Sequence[Extent] = (), dims: Sequence[Extent] = ()) -> Data:
    counts = [integer(each) for each in repeats or dims]
    counts = [_ONE] * (x.rank - len(counts)) + counts
    if len(counts) > x.rank:
        x = call.one("Unsqueeze", x, call.ints(range(len(counts) - x.rank)))
    return call.one("Tile", x, call.extents(counts))


@aten("repeat_interleave.self_int")
def repeat_interleave(call: Call, x: Data, repeats: Extent, dim: int | None = None, **ignored: Any) -> Data:
    if dim is None:
        x, dim = (call.run("layout.flatten", x, axis=0) if x.rank != 1 else x), 0
    axis = axis_of(dim, x.rank)
    wide = call.one("Unsqueeze", x, call.ints([axis + 1]))
    many = expanded(call, wide, [*x.shape[: axis + 1], integer(repeats), *x.shape[axis + 1 :]])
    return reshaped(call, many, [*x.shape[:axis], x.shape[axis] * integer(repeats), *x.shape[axis + 1 :]])


@aten("cat", "concat", "concatenate")
def concat(call: Call, tensors: Sequence[Data], dim: int = 0) -> Data:
    found = promoted(call, *tensors)
    return call.one("Concat", *found, axis=axis_of(dim, max(each.rank for each in found)))


@aten("stack")
def stack(call: Call, tensors: Sequence[Data], dim: int = 0) -> Data:
    found = promoted(call, *tensors)
    return call.run("layout.stack", found, axis=axis_of(dim, found[0].rank + 1), like=found[0].dtype)


@aten("split.Tensor", "split_with_sizes", "split.sizes", "chunk", "split_copy", "split_with_sizes_copy", "tensor_split")
def split(call: Call, x: Data, dim: int = 0, **given: Any) -> list[Data]:
    axis = axis_of(dim, x.rank)
    (value,) = given.values()
    extent = x.shape[axis].value
    if isinstance(value, list):
        sizes = [integer(each) for each in value]
    else:
        require(extent is not None and isinstance(value, int), "the number of parts depends on extents")
        assert extent is not None
        size = -(-extent // value) if call.name == "chunk" else value
        require(size > 0 and call.name != "tensor_split", "parts of other sizes")
        sizes = [integers.constant(min(size, extent - at)) for at in range(0, extent, size)]
    if len(sizes) == 1:
        return [x]
    if len(set(sizes)) == 1:
        return call.run_all("layout.split", x, axis=axis, count=len(sizes))
    return call.run_all("layout.split", x, axis=axis, sizes=sizes)


@aten("unbind")
def unbind(call: Call, x: Data, dim: int = 0) -> list[Data]:
    return call.run_all("layout.unstack", x, axis=axis_of(dim, x.rank))


@aten("slice.Tensor", "slice_copy", "narrow")
def cut(
    call: Call, x: Data, dim: int = 0, start: Extent | None = None, end: Extent | None = None, step: Extent = 1,
    length: Extent | None = None,
) -> Data:  # fmt: skip
    require(isinstance(step, int), "a stride that depends on extents")
    if length is not None:
        end = integer(start or 0) + integer(length)
    begins, ends = call.extents([start or 0]), call.extents([(1 << 62) if end is None else end])
    if x.array is not None and begins.contents is not None and ends.contents is not None:
        bounds = [begins.contents[0].value, ends.contents[0].value]
        if None not in bounds:
            index = [slice(None)] * x.rank
            index[axis_of(dim, x.rank)] = slice(bounds[0], bounds[1], step)
            return call.constant(x.array[tuple(index)], x.dtype, x.name)
    return call.one("Slice", x, begins, ends, call.ints([axis_of(dim, x.rank)]), call.ints([int(step)]))  # type: ignore[arg-type]


@aten("select.int", "select_copy")
def select(call: Call, x: Data, dim: int, index: Extent) -> Data:
    axis = axis_of(dim, x.rank)
    at = integer(index)
    at = at + x.shape[axis] if (at.value or 0) < 0 else at
    if x.array is not None and at.value is not None:
        return call.constant(x.array.take(at.value, axis), x.dtype, x.name)
    part = call.run("layout.slice", x, axes=[axis], begin=[at], end=[at + 1])
    return call.run("layout.squeeze", part, axes=[axis])


@aten("slice_scatter")
def slice_scatter(
    call: Call, x: Data, src: Data, dim: int = 0, start: Extent | None = None, end: Extent | None = None, step: int = 1
) -> Data:
    """Replace a slice of a tensor by another tensor."""
    axis = axis_of(dim, x.rank)
    require(step == 1, "every few elements are replaced")
    source = as_type(call, src, x.dtype)
    extent = x.shape[axis]
    first = integer(start or 0)
    first = first + extent if (first.value or 0) < 0 else first
    if source.shape[axis] == extent:
        return source
    last = first + source.shape[axis]
    parts = [cut(call, x, axis, 0, first), source, cut(call, x, axis, last, None)]
    kept = [each for each in parts if each.shape[axis].value != 0]
    return call.one("Concat", *kept, axis=axis)


@aten("select_scatter")
def select_scatter(call: Call, x: Data, src: Data, dim: int, index: Extent) -> Data:
    axis = axis_of(dim, x.rank)
    at = integer(index)
    at = at + x.shape[axis] if (at.value or 0) < 0 else at
    return slice_scatter(call, x, call.one("Unsqueeze", src, call.ints([axis])), axis, at)


@aten("copy.default")
def copied(call: Call, x: Data, src: Data, non_blocking: bool = False) -> Data:
    return expanded(call, as_type(call, src, x.dtype), list(x.shape))


@aten("flip")
def flip(call: Call, x: Data, dims: Sequence[int]) -> Data:
    axes = axes_of(list(dims), x.rank)
    given = unless(axes == list(range(x.rank)), axes=axes)
    begins = [x.shape[at] - 1 for at in axes]
    return call.run("layout.slice", x, begin=begins, end=[-1] * len(axes), stride=[-1] * len(axes), **given)


@aten("roll")
def roll(call: Call, x: Data, shifts: Sequence[Extent], dims: Sequence[int] = ()) -> Data:
    shape = list(x.shape)
    if not dims:
        x, dims = call.run("layout.reshape", x, shape=[-1]), [0]
    for shift, dim in zip(shifts, dims, strict=True):
        axis = axis_of(dim, x.rank)
        extent, by = x.shape[axis].value, integer(shift).value
        require(extent is not None and by is not None, "a shift that depends on extents")
        assert extent is not None
        assert by is not None
        place = (extent - by) % extent if extent else 0
        if place:
            first, second = cut(call, x, axis, 0, place), cut(call, x, axis, place, extent)
            x = call.one("Concat", second, first, axis=axis)
    return reshaped(call, x, shape)


@aten("pixel_shuffle")
def pixel_shuffle(call: Call, x: Data, upscale_factor: int) -> Data:
    require(x.rank == 4, "pixels of other than pictures")
    return call.one("DepthToSpace", x, blocksize=upscale_factor, mode="CRD")


@aten("channel_shuffle")
def channel_shuffle(call: Call, x: Data, groups: int) -> Data:
    return call.run("layout.shuffle", x, groups=groups)


@aten("constant_pad_nd", "pad", "reflection_pad1d", "reflection_pad2d", "reflection_pad3d", "replication_pad1d",
      "replication_pad2d", "replication_pad3d")  # fmt: skip
def pad(
    call: Call, x: Data, pad: Sequence[Extent] = (), value: float | None = None, mode: str = "constant",
    padding: Sequence[Extent] = (),
) -> Data:  # fmt: skip
    widths = [integer(each) for each in pad or padding]
    count = len(widths) // 2
    method = {"reflection": "reflect", "replication": "edge"}.get(call.name.partition("_")[0], mode)
    method = {"replicate": "edge", "circular": "wrap"}.get(method, method)
    axes = [x.rank - 1 - at for at in range(count)]
    filling = None if value is None or method != "constant" else call.constant(value, x.dtype)
    sides = call.extents([*widths[::2], *widths[1::2]])
    return call.one("Pad", x, sides, filling, call.ints(axes), mode=method)


@aten("unfold")
def unfold(call: Call, x: Data, dimension: int, size: int, step: int) -> Data:
    """Gather the windows of a dimension; the elements of a window become the last dimension."""
    import numpy as np

    axis = axis_of(dimension, x.rank)
    extent = x.shape[axis].value
    require(extent is not None, "windows of an extent that is not known")
    assert extent is not None
    places = np.arange(0, extent - size + 1, step)[:, None] + np.arange(size)
    found = call.run("layout.gather", x, call.constant(places), axis=axis, like=x.dtype)
    order = [at for at in range(x.rank + 1) if at != axis + 1]
    return call.run("layout.transpose", found, perm=[*order, axis + 1]) if axis + 1 < x.rank else found


@aten("meshgrid")
def meshgrid(call: Call, tensors: Sequence[Data], indexing: str = "ij") -> list[Data]:
    order = list(range(len(tensors)))
    if indexing == "xy" and len(order) > 1:
        order[0], order[1] = 1, 0
    shape = [integers.constant(1)] * len(tensors)
    for at, each in enumerate(tensors):
        shape[order[at]] = each.shape[0] if each.rank else _ONE
    found = []
    for at, each in enumerate(tensors):
        own = [_ONE] * len(tensors)
        own[order[at]] = shape[order[at]]
        found.append(expanded(call, reshaped(call, each, own), shape))
    return found


@aten("diagonal", "diag_embed", "as_strided")
def unsupported(call: Call, x: Data, **ignored: Any) -> Data:
    require(False, "elements in an order that no operator has")
    return x
