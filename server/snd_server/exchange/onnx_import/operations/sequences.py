"""Sequences and optional values, which the translation resolves: their tensors are known."""

from __future__ import annotations

import numpy as np

from snd_server.exchange.onnx_import.data import Data, require
from snd_server.exchange.onnx_import.node import Item, OnnxNode, TensorSequence, translation


@translation("SequenceConstruct")
def sequence(node: OnnxNode) -> TensorSequence:
    return TensorSequence(tuple(node.tensors))


@translation("SequenceEmpty")
def empty_sequence(node: OnnxNode) -> TensorSequence:
    return TensorSequence(())


@translation("SplitToSequence")
def split_to_sequence(node: OnnxNode) -> TensorSequence:
    x = node.input(0)
    axis = node.axis(x.rank, 0)
    keep = node.number("keepdims", 1)
    given = node.maybe(1)
    extent = x.extents[axis]
    require(extent is not None, "how many tensors there are is not known")
    assert extent is not None
    if given is None:
        if not keep:
            return TensorSequence(tuple(node.run_all("layout.unstack", x, axis=axis)))
        sizes = [1] * extent
    elif given.rank == 0:
        size = int(node.known_scalar(1) or 1)
        sizes = [min(size, extent - at) for at in range(0, extent, size)]
    else:
        sizes = node.ints(1) or []
    return TensorSequence(tuple(node.run_all("layout.split", x, axis=axis, sizes=sizes)))


def _items(node: OnnxNode, number: int) -> tuple[Data, ...]:
    value = node.inputs[number]
    require(isinstance(value, TensorSequence), "a tensor in the place of a sequence")
    assert isinstance(value, TensorSequence)
    return value.items


@translation("SequenceAt")
def sequence_at(node: OnnxNode) -> Data:
    items, at = _items(node, 0), int(node.known_scalar(1) or 0)
    require(-len(items) <= at < len(items), f"there is no item {at} of {len(items)}")
    return items[at]


@translation("SequenceInsert")
def sequence_insert(node: OnnxNode) -> TensorSequence:
    items = list(_items(node, 0))
    at = len(items) if node.maybe(2) is None else int(node.known_scalar(2) or 0)
    items.insert(at, node.input(1))
    return TensorSequence(tuple(items))


@translation("SequenceErase")
def sequence_erase(node: OnnxNode) -> TensorSequence:
    items = list(_items(node, 0))
    at = -1 if node.maybe(1) is None else int(node.known_scalar(1) or 0)
    del items[at]
    return TensorSequence(tuple(items))


@translation("SequenceLength")
def sequence_length(node: OnnxNode) -> Data:
    return node.constant(len(_items(node, 0)))


@translation("ConcatFromSequence")
def concat_from_sequence(node: OnnxNode) -> Data:
    items, axis = _items(node, 0), node.number("axis", 0)
    require(items, "a sequence without tensors")
    operator = "layout.stack" if node.number("new_axis", 0) else "layout.concat"
    return node.run(operator, list(items), axis=axis, like=items[0].dtype)


@translation("Optional")
def optional(node: OnnxNode) -> Item:
    require(node.inputs, "an optional value that is not there")
    return node.inputs[0]


@translation("OptionalGetElement")
def optional_element(node: OnnxNode) -> Item:
    return node.inputs[0]


@translation("OptionalHasElement")
def optional_is_there(node: OnnxNode) -> Data:
    return node.constant(bool(node.inputs) and node.inputs[0] is not None, np.dtype(np.bool_))
