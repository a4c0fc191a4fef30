"""``nn``: convolutions and pooling."""

from __future__ import annotations

from typing import Any

import numpy as np

from snd_server.exchange.graph_export.errors import Unsuitable
from snd_server.exchange.graph_export.windows import batch_first_order, pooled_padding, window_padding
from snd_server.exchange.nnef1_export.call import OperationCall
from snd_server.exchange.nnef1_export.registry import counterpart


def _to_batch_first(call: OperationCall, at: int, layout: str, rank: int) -> str:
    """Return a tensor with batch, channels and space in this order."""
    order = batch_first_order(layout, rank)
    name = call.input(at)
    return name if order == [*range(rank)] else call.scope.node("transpose", [name], axes=order)


def _finish(call: OperationCall, operation: str, inputs: list[str], given: dict[str, Any]) -> None:
    """Write an operation whose result has batch, channels and space in this order, and move these where they belong."""
    order = batch_first_order(call["data_format"], call.rank())
    if order == [*range(len(order))]:
        call.write(operation, inputs, **given)
        return
    moved = call.scope.node(operation, inputs, **given)
    call.write("transpose", [moved], axes=[int(axis) for axis in np.argsort(order)])


def _pairs(before: list[int], after: list[int]) -> list[tuple[int, int]]:
    if min(*before, *after, 0) < 0:
        raise Unsuitable("NNEF 1.0 has no negative padding")
    return list(zip(before, after, strict=True))


def _bias(call: OperationCall, with_bias: bool = True) -> list[str]:
    if not call.has(2) or not with_bias:
        return []
    return [call.input(2) if call.is_tract else call.scope.node("unsqueeze", [call.input(2)], axes=[0])]


@counterpart("nn.conv")
def _convolution(call: OperationCall) -> None:
    rank = call.rank()
    if rank < 3:
        raise Unsuitable("NNEF 1.0 has no convolution without space")
    before, after = window_padding(call)
    stride = list(call["stride"])
    if call["ceil_mode"] or call.knows("ox"):
        taps, source, wanted = call.symbol("fd"), call.symbol("ix"), call.symbol("ox")
        for axis in range(rank - 2):
            reached = (source[axis] + before[axis] + after[axis] - taps[axis]) // stride[axis] + 1
            after[axis] += max(wanted[axis] - reached, 0) * stride[axis]
    inputs = [_to_batch_first(call, at, call[name], rank) for at, name in enumerate(("data_format", "filter_format"))]
    given = {
        "border": "constant", "padding": _pairs(before, after), "stride": stride, "dilation": list(call["dilation"]),
        "groups": call.symbol("g"),
    }  # fmt: skip
    _finish(call, "conv", [*inputs, *_bias(call)], given)


@counterpart("nn.deconv")
def _transposed_convolution(call: OperationCall) -> None:
    rank, scope = call.rank(), call.scope
    if rank < 3:
        raise Unsuitable("NNEF 1.0 has no convolution without space")
    if call["data_format"] != "NCX":
        raise Unsuitable("the channels of a transposed convolution are not in the second place")
    before, after = window_padding(call)
    stride, beyond = list(call["stride"]), [0] * (rank - 2)
    if call["output_size"] is not None or call.knows("ox"):
        taps, source, wanted = call.symbol("fd"), call.symbol("ix"), call.symbol("ox")
        for axis in range(rank - 2):
            least = (source[axis] - 1) * stride[axis] + taps[axis] - before[axis] - after[axis]
            after[axis] -= wanted[axis] - least
            beyond[axis], after[axis] = max(-after[axis], 0), max(after[axis], 0)
    groups = call.symbol("g")
    filters = _filter_of_deconv(call, rank, groups)
    given = {
        "border": "constant", "padding": _pairs(before, after), "stride": stride, "dilation": list(call["dilation"]),
        "groups": groups,
    }  # fmt: skip
    if not any(beyond):
        call.write("deconv", [call.input(), filters, *_bias(call)], **given)
        return
    # No copy of the filter reaches the last elements.
    inner = scope.node("deconv", [call.input(), filters], **given)
    padding = [(0, 0), (0, 0), *((0, width) for width in beyond)]
    if not call.has(2):
        call.write("pad", [inner], padding=padding, border="constant", value=0.0)
        return
    whole = scope.node("pad", [inner], padding=padding, border="constant", value=0.0)
    call.write("add", [whole, scope.node("unsqueeze", [call.input(2)], axes=[0])])


def _filter_of_deconv(call: OperationCall, rank: int, groups: int) -> str:
    """Return the filter; tract has the channels of the output first."""
    name = _to_batch_first(call, 1, call["filter_format"], rank)
    if not call.is_tract:
        return name
    order = [1, 0, *range(2, rank)]
    if groups == 1:
        return call.scope.node("transpose", [name], axes=order)
    shape = call.shape(1)
    shape = tuple(shape[axis] for axis in batch_first_order(call["filter_format"], rank))
    node = call.scope.node
    split = node("reshape", [name], shape=[groups, shape[0] // groups, *shape[1:]])
    swapped = node("transpose", [split], axes=[0, 2, 1, *range(3, rank + 1)])
    return node("reshape", [swapped], shape=[groups * shape[1], shape[0] // groups, *shape[2:]])


@counterpart("nn.max_pool", "nn.sum_pool", "nn.avg_pool")
def _pool(call: OperationCall) -> None:
    assert call.operation.operator is not None
    name, rank, axes = call.operation.operator.name, call.rank(), call.axes()
    before, after = pooled_padding(call, axes)
    order, added = [*range(rank)], 0
    if call.is_tract and (rank < 3 or min(axes, default=2) < 2):  # tract has no windows along the first two axes
        order = [axis for axis in range(rank) if axis not in axes] + axes
        added = max(2 - (rank - len(axes)), 0)
    whole = rank + added
    size, stride, dilation = ([1] * whole for _ in range(3))
    pairs = [(0, 0)] * whole
    for at, axis in enumerate(axes):
        to = order.index(axis) + added
        size[to], stride[to], dilation[to] = call["size"][at], call["stride"][at], call["dilation"][at]
        pairs[to] = _pairs([before[at]], [after[at]])[0]
    ignores = name == "max_pool" or (name == "avg_pool" and call["ignore_border"])
    given: dict[str, Any] = {
        "size": size, "border": "ignore" if ignores else "constant", "padding": pairs, "stride": stride,
        "dilation": dilation,
    }  # fmt: skip
    if name == "sum_pool":
        name, given["normalize"] = "box", False
    if order == [*range(rank)] and not added:
        call.write(name, [call.input()], **given)
        return
    found = call.scope.node(name, [_rearranged(call, order, added)], **given)
    if added:
        found = call.scope.node("squeeze", [found], axes=[*range(added)])
    call.write("transpose", [found], axes=[int(axis) for axis in np.argsort(order)])


def _rearranged(call: OperationCall, order: list[int], added: int) -> str:
    """Return the input with its axes in an order, after further ones of extent 1."""
    moved = call.scope.node("transpose", [call.input()], axes=order)
    return call.scope.node("unsqueeze", [moved], axes=[*range(added)]) if added else moved
