"""``quant``: quantization and back, by the operations that it consists of."""

from __future__ import annotations

from typing import Any

import numpy as np

from snd_server.exchange.nnef1_export.call import OperationCall
from snd_server.exchange.nnef1_export.counterparts.arithmetic import rounded
from snd_server.exchange.nnef1_export.registry import counterpart


def _along_channels(call: OperationCall, values: Any) -> str:
    """Return a constant, which varies along the channels if there are several values."""
    array = np.asarray(values, np.float32).reshape(-1)
    if array.size <= 1 or (array == array[0]).all():
        return call.scope.constant(array[0], np.float32)
    after = call.rank() - 1 - call.axis("channel_axis")
    before = call.axis("channel_axis")
    return call.scope.constant(array.reshape((*[1] * before, array.size, *[1] * after)), np.float32, "per_channel")


@counterpart("quant.zero_point_linear_quantize")
def _by_zero_point(call: OperationCall) -> None:
    node, bits = call.scope.node, call["bits"]
    high = 2 ** (bits - 1) - 1 if call["signed"] else 2**bits - 1
    low = 0 if not call["signed"] else -high if call["symmetric"] else -high - 1
    scale, zero = (_along_channels(call, call[name]) for name in ("scale", "zero_point"))
    code = node("add", [rounded(call, node("div", [call.input(), scale])), zero])
    bounded = node("min", [node("max", [code, _along_channels(call, low)]), _along_channels(call, high)])
    call.write("mul", [node("sub", [bounded, zero]), scale])


@counterpart("quant.min_max_linear_quantize")
def _by_range(call: OperationCall) -> None:
    node = call.scope.node
    steps = _along_channels(call, 2 ** call["bits"] - 1 - int(call["signed"] and call["symmetric"]))
    least, most = np.asarray(call["min"], np.float32), np.asarray(call["max"], np.float32)
    low, high, width = (_along_channels(call, each) for each in (least, most, most - least))
    bounded = node("min", [node("max", [call.input(), low]), high])
    part = node("mul", [node("div", [node("sub", [bounded, low]), width]), steps])
    call.write("add", [node("mul", [node("div", [rounded(call, part), steps]), width]), low])
