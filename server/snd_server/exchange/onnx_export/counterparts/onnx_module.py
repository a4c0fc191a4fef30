"""``onnx``: operators with the meaning of a node, for nodes that no other operator of the library covers."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np
from onnx import TensorProto

from snd_analysis.model import Tensor
from snd_server.exchange.graph_export.errors import Unsuitable
from snd_server.exchange.graph_export.tensors import constant_array
from snd_server.exchange.onnx_export.call import ScopedCall
from snd_server.exchange.onnx_export.registry import counterpart

_INTS = {
    (8, True): TensorProto.INT8, (16, True): TensorProto.INT16, (32, True): TensorProto.INT32,
    (8, False): TensorProto.UINT8, (16, False): TensorProto.UINT16, (32, False): TensorProto.UINT32,
}  # fmt: skip


@counterpart("onnx.round")
def _round(call: ScopedCall) -> None:
    call.write("Round", [call.input()])


@counterpart("onnx.div")
def _div(call: ScopedCall) -> None:
    call.write("Div", call.given())


@counterpart("onnx.fmod")
def _fmod(call: ScopedCall) -> None:
    call.write("Mod", call.given(), fmod=1)


@counterpart("onnx.wrap")
def _wrap(call: ScopedCall) -> None:
    kind = _INTS.get((call["bits"], call["signed"]))
    if kind is None:
        raise Unsuitable("ONNX has no such ints")
    call.write("Cast", [call.scope.node("Cast", [call.input()], to=kind)], to=TensorProto.INT64)


@counterpart("onnx.quantize_linear")
def _quantize_linear(call: ScopedCall) -> None:
    if call["bits"] != 8:
        raise Unsuitable("nodes of this operator set store 8 bits")
    dtype = np.int8 if call["signed"] else np.uint8
    stored = call.scope.node(
        "QuantizeLinear", [*call.items(0), *call.items(1), _zero_point(call, dtype)], axis=_axis(call)
    )
    call.scope.stored[call.target] = stored, dtype
    call.write("Cast", [stored], to=TensorProto.INT64)


@counterpart("onnx.dequantize_linear")
def _dequantize_linear(call: ScopedCall) -> None:
    name, dtype = call.scope.stored.get(call.input(), (None, None))
    if name is None:
        raise Unsuitable("in how many bits the ints are stored is not known")
    call.write("DequantizeLinear", [name, *call.items(1), _zero_point(call, dtype)], axis=_axis(call))


def _zero_point(call: ScopedCall, dtype: Any) -> str:
    """Return the name of the zero point as an int of few bits. Raise Unsuitable if it may have more."""
    value = call.inputs[2]
    if not call.has(2):
        return call.scope.constant(np.zeros(call.shape(1)), dtype, "zero_point")
    array = constant_array(value) if isinstance(value, Tensor) else np.zeros(0)
    limits = np.iinfo(dtype)
    if not array.size or array.min() < limits.min or array.max() > limits.max:
        raise Unsuitable(f"the zero point may not fit into {limits.bits} bits")
    return call.scope.constant(array, dtype, "zero_point")


def _axis(call: ScopedCall) -> int | None:
    """Return the dimension along which scales lie, if there are several."""
    return int(call["axis"]) if call.rank(1) else None


@counterpart("onnx.bitwise")
def _bitwise(call: ScopedCall) -> None:
    call.write(f"Bitwise{call['operation'].capitalize()}", call.given())


@counterpart("onnx.gather_elements")
def _gather_elements(call: ScopedCall) -> None:
    call.write("GatherElements", call.given(), axis=call["axis"])


@counterpart("onnx.scatter_elements")
def _scatter_elements(call: ScopedCall) -> None:
    call.write("ScatterElements", call.given(), axis=call["axis"], reduction=call["reduction"])


@counterpart("onnx.scatter_nd")
def _scatter_nd(call: ScopedCall) -> None:
    call.write("ScatterND", call.given(), reduction=call["reduction"])


@counterpart("onnx.roi_align")
def _roi_align(call: ScopedCall) -> None:
    height, width = call["output_size"]
    rate, other = call["sampling_rate"]
    if rate != other:
        raise Unsuitable("ONNX has as many samples along each dimension")
    call.write(
        "RoiAlign", call.given(), output_height=height, output_width=width, sampling_ratio=rate,
        spatial_scale=call["scale"], mode=call["mode"],
        coordinate_transformation_mode="half_pixel" if call["half_pixel"] else "output_half_pixel",
    )  # fmt: skip


@counterpart("onnx.col2im")
def _col2im(call: ScopedCall) -> None:
    scope, block = call.scope, list(call.symbol("w"))
    batch, channels = call.known()[:2]
    if channels is None:
        raise Unsuitable("the number of channels is known in the run only")
    shape = [0 if batch is None else batch, channels * prod(block), -1]
    merged = scope.node("Reshape", [call.input(), scope.constant(shape)])
    size = [scope.constant(list(each)) for each in (call["output_size"], block)]
    call.write(
        "Col2Im", [merged, *size], strides=list(call["stride"]), dilations=list(call["dilation"]),
        pads=list(call["padding"]),
    )  # fmt: skip


@counterpart("onnx.trilu")
def _trilu(call: ScopedCall) -> None:
    call.write("Trilu", [call.input(), call.scope.constant(call["k"])], upper=int(call["upper"]))


@counterpart("onnx.layer_norm")
def _layer_norm(call: ScopedCall) -> None:
    call.write("LayerNormalization", call.given(), axis=call["axis"], epsilon=call["epsilon"])


@counterpart("onnx.reverse_sequence")
def _reverse_sequence(call: ScopedCall) -> None:
    call.write("ReverseSequence", call.given(), batch_axis=call["batch_axis"], time_axis=call["time_axis"])


@counterpart("onnx.reverse")
def _reverse(call: ScopedCall) -> None:
    ends = [call.scope.constant([each]) for each in (-1, -(1 << 62), call["axis"], -1)]
    call.write("Slice", [call.input(), *ends])


@counterpart("onnx.gru")
def _gru(call: ScopedCall) -> None:
    if call.has(6):
        raise Unsuitable("items have lengths of their own")
    scope = call.scope
    x, w, r, forward, back, h = (call.input(at) for at in range(6))
    one = scope.constant([0])
    wide = [scope.node("Unsqueeze", [name, one]) for name in (w, r, forward, back, h)]
    bias = scope.node("Concat", [wide[2], wide[3]], axis=1)
    made = [scope.root.fresh("gru_y"), scope.root.fresh("gru_h")]
    scope.nodes_of(
        "GRU", [x, wide[0], wide[1], bias, "", wide[4]], made,
        hidden_size=call.shape(2)[1], linear_before_reset=int(call["linear_before_reset"]),
    )  # fmt: skip
    for name, (target,), axis in zip(made, call.names, (1, 0), strict=True):
        scope.node("Squeeze", [name, scope.constant([axis])], target)


@counterpart("onnx.rnn")
def _rnn(call: ScopedCall) -> None:
    if call.has(5):
        raise Unsuitable("items have lengths of their own")
    scope = call.scope
    hidden = call.shape(2)[1]
    w, r, b, h = (scope.node("Unsqueeze", [call.input(at), scope.constant([0])]) for at in range(1, 5))
    bias = scope.node("Concat", [b, scope.constant(np.zeros((1, hidden)), np.float32)], axis=1)
    made = [scope.root.fresh("rnn_y"), scope.root.fresh("rnn_h")]
    activation = call["activation"].capitalize()
    scope.nodes_of(
        "RNN", [call.input(), w, r, bias, "", h], made, hidden_size=hidden, activations=[activation]
    )  # fmt: skip
    for name, (target,), axis in zip(made, call.names, (1, 0), strict=True):
        scope.node("Squeeze", [name, scope.constant([axis])], target)
