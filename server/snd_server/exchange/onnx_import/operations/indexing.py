"""Elements by their index: ``layout`` and ``onnx`` in place of nodes of ONNX."""

from __future__ import annotations

import numpy as np

from snd_analysis.symbolic import integers
from snd_analysis.symbolic.integers import Integer
from snd_server.exchange.onnx_import.data import Data, OnnxArgument, natural, require
from snd_server.exchange.onnx_import.node import OnnxNode, translation, unless


def positive(node: OnnxNode, indices: Data, x: Data, axis: int) -> Data:
    """Return indices along an axis that may count from the end, counted from the beginning."""
    extent = x.shape[axis]
    if natural(indices):
        return indices
    if indices.array is not None and extent.value is not None:
        array = indices.array % extent.value
        return node.constant(array, array.dtype, indices.name)
    return node.run("math.mod", indices, node.extent(x, axis), like=indices.dtype)


@translation("Gather")
def gather(node: OnnxNode) -> Data:
    x, indices = node.input(0), node.input(1)
    axis = node.axis(x.rank, 0)
    if indices.array is not None and indices.array.size == 1 and indices.rank <= 1 and node.is_named(x.shape[axis]):
        at = integers.constant(int(indices.array.reshape(())))
        at = at + x.shape[axis] if (at.value or 0) < 0 else at
        part = node.run("layout.slice", x, axes=[axis], begin=[at], end=[at + 1])
        return part if indices.rank else node.run("layout.squeeze", part, axes=[axis])
    return node.run("layout.gather", x, positive(node, indices, x, axis), axis=axis, like=x.dtype)


@translation("GatherND")
def gather_nd(node: OnnxNode) -> Data:
    x, indices = node.input(0), node.input(1)
    batch = node.number("batch_dims", 0)
    count = indices.extents[-1]
    require(count is not None, "how many dimensions are indexed is not known")
    extents = x.shape[batch : batch + (count or 0)]
    if not natural(indices):
        require(len(extents) > 0, "no dimension is indexed")
        bound: OnnxArgument = extents[0] if len(set(extents)) == 1 else _vector(node, extents)
        indices = node.run("math.mod", indices, bound)
    return node.run("layout.gather_nd", x, indices, **unless(not batch, batch_dims=batch), like=x.dtype)


def _vector(node: OnnxNode, extents: tuple[Integer, ...]) -> Data:
    contents = np.empty(len(extents), object)
    contents[:] = extents
    return Data(np.dtype(np.int64), (integers.constant(len(extents)),), contents=contents)


@translation("GatherElements")
def gather_elements(node: OnnxNode) -> Data:
    x, indices = node.input(0), node.input(1)
    axis = node.axis(x.rank, 0)
    return node.run("onnx.gather_elements", x, indices, **unless(not axis, axis=axis), like=x.dtype)


@translation("Scatter", "ScatterElements")
def scatter(node: OnnxNode) -> Data:
    x, indices, updates = (node.input(at) for at in range(3))
    axis = node.axis(x.rank, 0)
    reduction = node.text("reduction", "none")
    others = [at for at in range(x.rank) if at != axis]
    if reduction == "none" and all(x.shape[at] == indices.shape[at] for at in others):
        return node.run("layout.scatter", x, positive(node, indices, x, axis), updates, axis=axis, like=x.dtype)
    given = {**unless(not axis, axis=axis), **unless(reduction == "none", reduction=reduction)}
    return node.run("onnx.scatter_elements", x, indices, updates, like=x.dtype, **given)


@translation("ScatterND")
def scatter_nd(node: OnnxNode) -> Data:
    x, indices, updates = (node.input(at) for at in range(3))
    reduction = node.text("reduction", "none")
    if x.is_bool:
        extents = x.shape[: indices.extents[-1]]
        bound: OnnxArgument = extents[0] if len(set(extents)) == 1 else _vector(node, extents)
        return node.run("layout.scatter_nd", x, node.run("math.mod", indices, bound), updates, like=x.dtype)
    given = unless(reduction == "none", reduction=reduction)
    return node.run("onnx.scatter_nd", x, indices, updates, like=x.dtype, **given)


@translation("NonZero")
def nonzero(node: OnnxNode) -> Data:
    return node.run("layout.nonzero", node.input(0), like=np.dtype(np.int64))


@translation("Compress")
def compress(node: OnnxNode) -> Data:
    x, condition = node.input(0), node.input(1)
    axis = node.attribute("axis")
    if axis is None:
        x, axis = (x if x.rank == 1 else node.run("layout.flatten", x)), 0
    index = node.run("layout.nonzero", condition, like=np.dtype(np.int64))
    return node.run("layout.gather", x, node.run("layout.squeeze", index, axes=[0]), axis=axis % x.rank, like=x.dtype)


@translation("OneHot")
def one_hot(node: OnnxNode) -> Data:
    indices, depth, values = (node.input(at) for at in range(3))
    known = depth.integers if depth.is_int else None
    extent = known.reshape(-1)[0] if known is not None else integers.constant(int(node.known_scalar(1) or 0))
    axis = node.number("axis", -1)
    axis = axis + indices.rank + 1 if axis < 0 else axis
    if not indices.is_int:
        indices = node.run("layout.cast", indices, dtypes=["int"])
    # Negative ones count from the end; indices out of bounds match no place.
    below = node.run("math.lt", indices, 0)
    wrapped = node.run("math.select", below, node.run("math.add", indices, extent), indices)
    places = node.run("layout.range", first=0, last=extent)
    wide = node.run("layout.unsqueeze", wrapped, axes=[axis])
    hot = node.run("math.eq", wide, places, **unless(axis == indices.rank, rhs_align=axis))
    if values.array is not None:
        off, on = (node.constant(each, values.array.dtype) for each in values.array)
        if values.is_real and tuple(values.array) == (0, 1):
            return node.run("layout.cast", hot, dtypes=["real"], like=values.dtype)
    else:
        off, on = node.run_all("layout.unstack", values, axis=0, like=values.dtype)
    return node.run("math.select", hot, on, off, like=values.dtype)


@translation("DepthToSpace", "SpaceToDepth")
def blocks(node: OnnxNode) -> Data:
    x, block = node.input(0), node.number("blocksize", 1)
    name = "layout.depth_to_space" if node.kind == "DepthToSpace" else "layout.space_to_depth"
    order = unless(node.text("mode", "DCR") == "DCR", blocks_first=False)
    return node.run(name, x, block_size=[block] * (x.rank - 2), **order)


@translation("Trilu")
def trilu(node: OnnxNode) -> Data:
    x = node.input(0)
    k = int(node.known_scalar(1) or 0)
    whole = node.run("layout.cast", x, dtypes=["int"]) if x.is_bool else x
    result = node.run(
        "onnx.trilu", whole, **unless(node.number("upper", 1), upper=False), **unless(not k, k=k), like=whole.dtype
    )
    return node.run("math.ne", result, 0) if x.is_bool else result


@translation("ReverseSequence")
def reverse_sequence(node: OnnxNode) -> Data:
    x, lengths = node.input(0), node.input(1)
    batch, time = node.number("batch_axis", 1), node.number("time_axis", 0)
    given = unless((batch, time) == (1, 0), batch_axis=batch, time_axis=time)
    return node.run("onnx.reverse_sequence", x, lengths, like=x.dtype, **given)
