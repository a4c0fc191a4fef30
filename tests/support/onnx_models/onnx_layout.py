"""Shapes and places of elements: ``layout`` in place of nodes of ONNX."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx

from support.onnx_models.onnx_nodes import Node, require, translation


@translation("Constant")
def constant(node: Node) -> Any:
    (name, value), *_ = node.attributes.items()
    array = onnx.numpy_helper.to_array(value) if name == "value" else np.array(value)
    require(
        array.dtype in (np.float32, np.float64, np.int64, np.int32, np.bool_), "small reals, and ints of a few bits"
    )
    array = array.astype({"f": node.real, "i": np.int64, "b": np.bool_}[array.dtype.kind])
    return node.run("layout.tensor", shape=list(array.shape), value=array.reshape(-1).tolist())


@translation("ConstantOfShape")
def uniform(node: Node) -> Any:
    given = node.attributes.get("value")
    value = np.zeros(1, node.real) if given is None else onnx.numpy_helper.to_array(given)
    value = value.astype(np.int64) if value.dtype.kind in "iu" else value
    return node.run("layout.uniform", value.reshape(()), shape=node.ints(0))


@translation("Range")
def numbers(node: Node) -> Any:
    first, last, stride = (each.item() for each in node.inputs)
    return node.run("layout.range", first=first, last=last, stride=stride)


@translation("Shape")
def shape(node: Node) -> Any:
    extents = node.run("layout.shape", node.input(0))
    begin, end, _ = slice(node.attributes.get("start", 0), node.attributes.get("end")).indices(len(extents))
    if begin >= end:
        require(begin == end, "Shape: slices that end before they begin")
    if (begin, end) == (0, len(extents)):
        return extents
    require(begin < len(extents), "the draft does not allow slices that begin behind the last element")
    return node.run("layout.slice", extents, begin=[begin], end=[end])


@translation("Size")
def size(node: Node) -> Any:
    extents = node.run("layout.shape", node.input(0))
    return node.run("math.prod_reduce", extents, squeeze=True)


@translation("Reshape")
def reshape(node: Node) -> Any:
    x, wanted = node.input(0), node.ints(1, "shape")
    assert wanted is not None
    if not node.attributes.get("allowzero", 0):
        wanted = [x.shape[at] if each == 0 else each for at, each in enumerate(wanted)]
    require(x.ndim > 0, "the draft reshapes from an axis on, which a scalar does not have")
    return node.run("layout.reshape", x, shape=wanted)


@translation("Flatten")
def flatten(node: Node) -> Any:
    x, axis = node.input(0), node.attributes.get("axis", 1)
    axis = axis + x.ndim if axis < 0 else axis
    if axis == x.ndim:
        return node.run("layout.unsqueeze", node.run("layout.flatten", x), axes=[1])
    return node.run("layout.flatten", node.run("layout.flatten", x, axis=axis), rank=axis)


@translation("Squeeze")
def squeeze(node: Node) -> Any:
    x, axes = node.input(0), node.ints(1, "axes")
    axes = [at for at, extent in enumerate(x.shape) if extent == 1] if axes is None else axes
    return node.run("layout.squeeze", x, axes=axes)


@translation("Unsqueeze")
def unsqueeze(node: Node) -> Any:
    return node.run("layout.unsqueeze", node.input(0), axes=node.ints(1, "axes"))


@translation("Concat")
def concat(node: Node) -> Any:
    return node.run("layout.concat", list(node.inputs), axis=node.attributes["axis"])


@translation("Split")
def split(node: Node) -> Any:
    x, axis, sizes = node.input(0), node.attributes.get("axis", 0), node.ints(1, "split")
    if sizes is not None:
        return tuple(node.run("layout.split", x, axis=axis, sizes=sizes))
    count = node.attributes.get("num_outputs") or node.output_count
    if x.shape[axis] % count == 0:
        return tuple(node.run("layout.split", x, axis=axis, count=count))
    part = -(-x.shape[axis] // count)
    return tuple(
        node.run("layout.split", x, axis=axis, sizes=[part] * (count - 1) + [x.shape[axis] - part * (count - 1)])
    )


@translation("Transpose")
def transpose(node: Node) -> Any:
    perm = node.attributes.get("perm")
    return node.run("layout.transpose", node.input(0), **({} if perm is None else {"perm": list(perm)}))


@translation("Tile")
def tile(node: Node) -> Any:
    return node.run("layout.tile", node.input(0), repeats=node.ints(1))


@translation("Expand")
def expand(node: Node) -> Any:
    x, wanted = node.input(0), node.ints(1)
    assert wanted is not None
    if x.ndim < len(wanted):
        x = node.run("layout.unsqueeze", x, axes=list(range(len(wanted) - x.ndim)))
    require(0 not in wanted, "the draft does not broadcast to extents of 0")
    return node.run("layout.broadcast", x, shape=[1] * (x.ndim - len(wanted)) + wanted)


@translation("Slice")
def cut(node: Node) -> Any:
    x, begins, ends = node.input(0), node.ints(1, "starts"), node.ints(2, "ends")
    assert begins is not None
    assert ends is not None
    axes = node.ints(3, "axes") or list(range(len(begins)))
    strides = node.ints(4) or [1] * len(begins)
    ranges = [slice(*each).indices(x.shape[axis]) for *each, axis in zip(begins, ends, strides, axes, strict=True)]
    for (begin, _, _), axis in zip(ranges, axes, strict=True):
        require(begin < x.shape[axis], "the draft does not allow slices that begin behind the last element")
    begins, ends = [each[0] for each in ranges], [each[1] for each in ranges]
    return node.run("layout.slice", x, axes=axes, begin=begins, end=ends, stride=strides)


@translation("Pad")
def pad(node: Node) -> Any:
    x, padding, value = node.input(0), node.ints(1, "pads"), node.input(2)
    axes = node.ints(3) or list(range(x.ndim))
    methods = {"constant": "CONSTANT", "edge": "REPLICATE", "reflect": "REFLECT"}
    mode = node.attributes.get("mode", "constant")
    require(mode in methods, "Pad: elements that wrap around")
    require(padding is not None and min(padding) >= 0, "Pad: negative widths")
    value = None if value is None else np.reshape(value, ())
    return node.run("layout.pad", x, value, axes=axes, padding=padding, method=methods[mode])


# ---- elements by index -----------------------------------------------------------------------------------------------
def _positive(node: Node, indices: Any, extent: int) -> Any:
    """Indices that may count from the end, counted from the beginning."""
    return node.run("math.mod", indices, extent)


@translation("Gather")
def gather(node: Node) -> Any:
    x, indices = node.inputs
    axis = node.attributes.get("axis", 0)
    return node.run("layout.gather", x, _positive(node, indices, x.shape[axis]), axis=axis)


@translation("GatherND")
def gather_nd(node: Node) -> Any:
    batch_dims = node.attributes.get("batch_dims", 0)
    x, indices = node.inputs
    extents = np.array(x.shape[batch_dims : batch_dims + indices.shape[-1]])
    return node.run("layout.gather_nd", x, node.run("math.mod", indices, extents), batch_dims=batch_dims)


@translation("Scatter", "ScatterElements")
def scatter(node: Node) -> Any:
    x, indices, updates = node.inputs
    axis = node.attributes.get("axis", 0)
    require(node.attributes.get("reduction", "none") == "none", "scattering that accumulates")
    others = [at for at in range(x.ndim) if at != axis % x.ndim]
    require(all(x.shape[at] == indices.shape[at] for at in others), "scattering to a part of the other dimensions")
    return node.run("layout.scatter", x, _positive(node, indices, x.shape[axis]), updates, axis=axis)


@translation("ScatterND")
def scatter_nd(node: Node) -> Any:
    x, indices, updates = node.inputs
    require(node.attributes.get("reduction", "none") == "none", "scattering that accumulates")
    extents = np.array(x.shape[: indices.shape[-1]])
    return node.run("layout.scatter_nd", x, node.run("math.mod", indices, extents), updates)


@translation("NonZero")
def nonzero(node: Node) -> Any:
    return node.run("layout.nonzero", node.input(0))


@translation("OneHot")
def one_hot(node: Node) -> Any:
    indices, depth, values = node.inputs
    axis = node.attributes.get("axis", -1)
    extent = int(depth.reshape(()))
    # Negative ones count from the end, and those outside are no place at all.
    indices = node.as_real(indices)
    wrapped = node.run(
        "math.select", node.run("math.lt", indices, 0.0), node.run("math.add", indices, float(extent)), indices
    )
    places = node.run("layout.range", first=0.0, last=float(extent), stride=1.0)
    axis = axis + indices.ndim + 1 if axis < 0 else axis
    wide = node.run("layout.unsqueeze", wrapped, axes=[axis])
    hot = node.run("math.eq", wide, places, rhs_align=axis)
    off, on = node.run("layout.unstack", values, axis=0)
    return node.run("math.select", hot, on, off)


@translation("DepthToSpace", "SpaceToDepth")
def blocks(node: Node) -> Any:
    x, block = node.input(0), node.attributes["blocksize"]
    name = "layout.depth_to_space" if node.kind == "DepthToSpace" else "layout.space_to_depth"
    first = node.attributes.get("mode", "DCR") == "DCR"
    return node.run(name, x, block_size=[block] * (x.ndim - 2), blocks_first=first)
