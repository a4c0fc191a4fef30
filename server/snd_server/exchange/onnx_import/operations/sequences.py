"""Sequences and optional values, which the translation resolves: their tensors are known."""

from __future__ import annotations

import numpy as np

from snd_server.exchange.onnx_import.data import Data, require
from snd_server.exchange.onnx_import.node import Item, Items, Node, translation


@translation("SequenceConstruct")
def sequence(node: Node) -> Items:
    return Items(tuple(node.tensors))


@translation("SequenceEmpty")
def empty_sequence(node: Node) -> Items:
    return Items(())


@translation("SplitToSequence")
def split_to_sequence(node: Node) -> Items:
    x = node.input(0)
    axis = node.axis(x.rank, 0)
    keep = node.number("keepdims", 1)
    given = node.maybe(1)
    extent = x.extents[axis]
    require(extent is not None, "how many tensors there are is not known")
    assert extent is not None
    if given is None:
        if not keep:
            return Items(tuple(node.run_all("layout.unstack", x, axis=axis)))
        sizes = [1] * extent
    elif given.rank == 0:
        size = int(node.known_scalar(1) or 1)
        sizes = [min(size, extent - at) for at in range(0, extent, size)]
    else:
        sizes = node.ints(1) or []
    return Items(tuple(node.run_all("layout.split", x, axis=axis, sizes=sizes)))


def _items(node: Node, number: int) -> tuple[Data, ...]:
    value = node.inputs[number]
    require(isinstance(value, Items), "a tensor in the place of a sequence")
    assert isinstance(value, Items)
    return value.items


@translation("SequenceAt")
def sequence_at(node: Node) -> Data:
    items, at = _items(node, 0), int(node.known_scalar(1) or 0)
    require(-len(items) <= at < len(items), f"there is no item {at} of {len(items)}")
    return items[at]


@translation("SequenceInsert")
def sequence_insert(node: Node) -> Items:
    items = list(_items(node, 0))
    at = len(items) if node.maybe(2) is None else int(node.known_scalar(2) or 0)
    items.insert(at, node.input(1))
    return Items(tuple(items))


@translation("SequenceErase")
def sequence_erase(node: Node) -> Items:
    items = list(_items(node, 0))
    at = -1 if node.maybe(1) is None else int(node.known_scalar(1) or 0)
    del items[at]
    return Items(tuple(items))


@translation("SequenceLength")
def sequence_length(node: Node) -> Data:
    return node.constant(len(_items(node, 0)))


@translation("ConcatFromSequence")
def concat_from_sequence(node: Node) -> Data:
    items, axis = _items(node, 0), node.number("axis", 0)
    require(items, "a sequence without tensors")
    operator = "layout.stack" if node.number("new_axis", 0) else "layout.concat"
    return node.run(operator, list(items), axis=axis, like=items[0].dtype)


@translation("Optional")
def optional(node: Node) -> Item:
    require(node.inputs, "an optional value that is not there")
    return node.inputs[0]


@translation("OptionalGetElement")
def optional_element(node: Node) -> Item:
    return node.inputs[0]


@translation("OptionalHasElement")
def optional_is_there(node: Node) -> Data:
    return node.constant(bool(node.inputs) and node.inputs[0] is not None, np.dtype(np.bool_))
