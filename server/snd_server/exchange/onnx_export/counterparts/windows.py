"""``nn``: convolutions and pooling."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from snd_server.exchange.graph_export.errors import Unsuitable
from snd_server.exchange.graph_export.windows import batch_first_order, declared_padding, window_padding
from snd_server.exchange.onnx_export.call import ScopedCall
from snd_server.exchange.onnx_export.registry import counterpart
from snd_server.exchange.onnx_export.scope import NodeScope

_FORMATS = {"NCX", "NXC", "XCN"}


def _to_batch_first(scope: NodeScope, name: str, layout: str, rank: int) -> str:
    """Return a tensor with batch, channels and space in this order."""
    perm = batch_first_order(layout, rank)
    return name if perm == [*range(rank)] else scope.node("Transpose", [name], perm=perm)


def _from_batch_first(call: ScopedCall, name: str, layout: str, rank: int) -> None:
    perm = [int(axis) for axis in np.argsort(batch_first_order(layout, rank))]
    if perm == [*range(rank)]:
        call.write("Identity", [name])
    else:
        call.write("Transpose", [name], perm=perm)


def _window(call: ScopedCall, stride: Any) -> dict[str, Any]:
    before, after = window_padding(call)
    if min(*before, *after, 0) < 0:
        raise Unsuitable("ONNX has no negative padding")
    return {"strides": list(stride), "dilations": list(call["dilation"]), "pads": [*before, *after]}


def _spatial(call: ScopedCall, names: tuple[str, str]) -> tuple[int, list[str]]:
    rank = call.rank()
    inputs = [
        _to_batch_first(call.scope, call.input(at), call[name], rank) for at, name in enumerate(names)
    ] + call.items(2)  # fmt: skip
    return rank, inputs


@counterpart("nn.conv", "nn.deconv")
def _convolution(call: ScopedCall) -> None:
    assert call.operation.operator is not None
    is_plain = call.operation.operator.name == "conv"
    kind = "Conv" if is_plain else "ConvTranspose"
    if call.rank() < 3:
        raise Unsuitable("ONNX has no convolution without space")
    rank, inputs = _spatial(call, ("data_format", "filter_format"))
    window = _window(call, call["stride"])
    is_exact = not call["ceil_mode"] if is_plain else call["output_size"] is None
    if is_exact and not call.knows("ox"):  # nothing is beyond the padding, and nothing is added
        result = call.scope.node(kind, inputs, None, group=call.symbol("g"), **window)
        _finish(call, result, call["data_format"], rank)
        return
    extents = list(call.symbol("ox"))
    if not is_plain and 0 in extents:
        raise Unsuitable("ONNX has no transposed convolution without a result")
    taps, covered = call.symbol("fd"), [a + b for a, b in zip(window["pads"], window["pads"][rank - 2 :], strict=False)]
    source = list(call.symbol("ix"))
    for axis in range(rank - 2):
        step, pads = window["strides"][axis], covered[axis]
        if is_plain:
            reached = (source[axis] + pads - taps[axis]) // step + 1
            window["pads"][rank - 2 + axis] += max(extents[axis] - reached, 0) * step
        else:
            missing = extents[axis] - ((source[axis] - 1) * step + taps[axis] - pads)
            if missing < 0:  # ONNX can't cut more than its padding
                window["pads"][rank - 2 + axis] -= missing
            elif missing >= max(step, window["dilations"][axis]):
                raise Unsuitable("ONNX does not add so many elements")
            else:
                window.setdefault("output_padding", [0] * (rank - 2))[axis] = missing
    result = call.scope.node(kind, inputs, None, group=call.symbol("g"), **window)
    _finish(call, result, call["data_format"], rank)


def _finish(call: ScopedCall, name: str, layout: str, rank: int) -> None:
    if layout == "NCX":
        call.scope.nodes[-1].output[0] = call.target
    else:
        _from_batch_first(call, name, layout, rank)


@counterpart("nn.max_pool", "nn.sum_pool", "nn.avg_pool")
def _pool(call: ScopedCall) -> None:
    assert call.operation.operator is not None
    name = call.operation.operator.name
    rank, axes = call.rank(), [axis % call.rank() for axis in call["axes"]]
    if axes != [*range(2, rank)] or rank < 3:
        raise Unsuitable("ONNX pools along all axes but the first two")
    shape = call.known()
    size, stride = call["size"], call["stride"]
    before, after = declared_padding(call)
    extents = [extent.value for extent in call.output.shape or ()][2:]  # type: ignore[union-attr]
    reach = [(width - 1) * step + 1 for width, step in zip(size, call["dilation"], strict=True)]
    if min(*before, *after, 0) < 0:
        raise Unsuitable("ONNX has no negative padding")
    rounds_up = call["ceil_mode"] and (None in extents or None in shape[2:])
    if rounds_up:
        counts_all = name == "sum_pool" or (name == "avg_pool" and not call["ignore_border"])
        # ONNX leaves out windows that begin behind the input.
        may_lack = any(end + step > width for end, step, width in zip(after, stride, reach, strict=True))
        if counts_all or may_lack:
            raise Unsuitable("how far the last window reaches is known in the run only")
    beyond = list(after)
    for axis, extent in enumerate(extents):
        length = shape[2 + axis]
        if extent is not None and length is not None and not rounds_up:
            beyond[axis] = max((extent - 1) * stride[axis] + reach[axis] - length - before[axis], 0)
        if before[axis] >= reach[axis] or beyond[axis] >= reach[axis]:
            raise Unsuitable("a window lies in the padding only")
    window = {
        "kernel_shape": list(size), "strides": list(stride), "dilations": list(call["dilation"]),
        "pads": [*before, *beyond], "ceil_mode": 1 if rounds_up else None,
    }  # fmt: skip
    if name == "max_pool":
        call.write("MaxPool", [call.input()], **window)
    elif name == "avg_pool":
        count = int(not call["ignore_border"])
        call.write("AveragePool", [call.input()], count_include_pad=count, **window)
    else:
        mean = call.scope.node("AveragePool", [call.input()], None, count_include_pad=1, **window)
        call.write("Mul", [mean, call.scope.constant(prod(size), np.float32)])
