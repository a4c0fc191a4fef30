"""``quant``: real values rounded to a few bits, as real numbers."""

from __future__ import annotations

from typing import Any

import numpy as np

from snd_server.exchange.graph_export.errors import Unsuitable
from snd_server.exchange.onnx_export.call import ScopedCall
from snd_server.exchange.onnx_export.registry import counterpart
from snd_server.exchange.onnx_export.scope import rounded

_EXACT_BITS = 20
"""Integers of so many bits are exact as 32-bit reals, also while they are shifted and scaled."""


@counterpart("quant.zero_point_linear_quantize")
def _zero_point(call: ScopedCall) -> None:
    lowest, highest, scale, zero_point = (
        call.symbol("m"),
        call.symbol("r"),
        _channels(call, "scale"),
        _channels(call, "zero_point"),
    )
    _demand_exact(call, zero_point)
    node, constant = call.scope.node, _constants(call)
    steps = rounded(call.scope, node("Div", [call.input(), constant(scale)]))
    shifted = node("Add", [steps, constant(zero_point)])
    stored = node("Min", [node("Max", [shifted, constant(lowest)]), constant(highest)])
    call.write("Mul", [node("Sub", [stored, constant(zero_point)]), constant(scale)])


@counterpart("quant.min_max_linear_quantize")
def _range(call: ScopedCall) -> None:
    steps, shift, least, most = call.symbol("r"), call.symbol("p"), _channels(call, "min"), _channels(call, "max")
    _demand_exact(call, np.zeros(1))
    node, constant = call.scope.node, _constants(call)
    clamped = node("Min", [node("Max", [call.input(), constant(least)]), constant(most)])
    part = node("Div", [node("Sub", [clamped, constant(least)]), constant(most - least)])
    stored = node("Sub", [rounded(call.scope, node("Mul", [part, constant(steps)])), constant(shift)])
    part = node("Div", [node("Add", [stored, constant(shift)]), constant(steps)])
    call.write("Add", [node("Mul", [part, constant(most - least)]), constant(least)])


def _channels(call: ScopedCall, attribute: str) -> np.ndarray[Any, Any]:
    """Return an attribute: one value for all elements, or one for each position along the dimension of channels."""
    values = np.asarray(call[attribute], np.float32)
    if values.ndim:
        shape = [1] * call.rank()
        shape[call["channel_axis"]] = values.size
        values = values.reshape(shape)
    return values


def _demand_exact(call: ScopedCall, zero_point: np.ndarray[Any, Any]) -> None:
    if call["bits"] > _EXACT_BITS or np.abs(zero_point).max() > 1 << _EXACT_BITS:
        raise Unsuitable(f"integers of more than {_EXACT_BITS} bits are no 32-bit reals")


def _constants(call: ScopedCall) -> Any:
    return lambda value: call.scope.constant(value, np.float32)
