"""Shapes and places of elements: ``layout`` in place of nodes of ONNX."""

from __future__ import annotations

from math import prod

from snd_analysis.symbolic import integers
from snd_analysis.symbolic.integers import Integer
from snd_server.onnx_import.data import Data, require
from snd_server.onnx_import.node import Node, translation, unless

ONE = integers.constant(1)


@translation("Reshape")
def reshape(node: Node) -> Data:
    x, wanted = node.input(0), node.integers(1, "shape")
    assert wanted is not None
    allow_zero = bool(node.number("allowzero", 0))
    shape = [x.shape[at] if each.value == 0 and not allow_zero else each for at, each in enumerate(wanted)]
    return reshaped(node, x, shape)


def reshaped(node: Node, x: Data, shape: list[Integer]) -> Data:
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
def flatten(node: Node) -> Data:
    x = node.input(0)
    axis = node.number("axis", 1)
    axis = axis + x.rank if axis < 0 else axis
    first = prod(x.shape[:axis], start=ONE)
    return reshaped(node, x, [first, prod(x.shape[axis:], start=ONE)])


@translation("Squeeze")
def squeeze(node: Node) -> Data:
    x, axes = node.input(0), node.ints(1, "axes")
    if axes is None:
        require(all(each is not None for each in x.extents), "which extents are 1 is not known")
        axes = [at for at, extent in enumerate(x.extents) if extent == 1]
    return node.run("layout.squeeze", x, axes=axes) if axes else x


@translation("Unsqueeze")
def unsqueeze(node: Node) -> Data:
    x, axes = node.input(0), node.ints(1, "axes") or []
    if x.array is not None:
        shape = list(x.array.shape)
        for axis in sorted(each % (x.rank + len(axes)) for each in axes):
            shape.insert(axis, 1)
        array = x.array.reshape(shape)
        return node.constant(array, array.dtype, x.name)
    return node.run("layout.unsqueeze", x, axes=axes) if axes else x


@translation("Concat")
def concat(node: Node) -> Data:
    tensors = [each for each in node.tensors if not (each.rank == 1 and each.extents == (0,))] or node.tensors[:1]
    if len(tensors) == 1:
        return tensors[0]
    return node.run("layout.concat", tensors, axis=node.number("axis", 0), like=tensors[0].dtype)


@translation("Split")
def split(node: Node) -> list[Data | None]:
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
def transpose(node: Node) -> Data:
    x, perm = node.input(0), node.attribute("perm")
    return node.run("layout.transpose", x, **unless(perm is None, perm=perm)) if x.rank > 1 else x


@translation("Expand")
def expand(node: Node) -> Data:
    x, wanted = node.input(0), node.integers(1)
    assert wanted is not None
    return expanded(node, x, wanted)


def expanded(node: Node, x: Data, wanted: list[Integer]) -> Data:
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
