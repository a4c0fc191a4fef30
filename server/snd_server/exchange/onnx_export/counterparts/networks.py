"""``nn`` and ``linalg``: activations, normalization, matrix products, recurrent layers."""

from __future__ import annotations

import numpy as np

from snd_server.exchange.graph_export.errors import Unsuitable
from snd_server.exchange.onnx_export.call import ScopedCall
from snd_server.exchange.onnx_export.registry import counterpart


@counterpart("nn.linear")
def _linear(call: ScopedCall) -> None:
    call.write("Gemm", call.given(), transB=1)


@counterpart("linalg.matmul")
def _matmul(call: ScopedCall) -> None:
    scope, operands = call.scope, []
    for at, flag in enumerate(("transA", "transB")):
        name, rank = call.input(at), call.rank(at)
        if call[flag]:
            name = scope.node("Transpose", [name], perm=[*range(rank - 2), rank - 1, rank - 2])
        operands.append(name)
    if not call.has(2):
        call.write("MatMul", operands)
        return
    call.write("Add", [scope.node("MatMul", operands), call.input(2)])


@counterpart("nn.relu")
def _relu(call: ScopedCall) -> None:
    scope, name = call.scope, call.input()
    if call["alpha"] is not None:
        if call["max"] is not None or not 0 <= call["alpha"] <= 1:
            raise Unsuitable("ONNX has no upper bound with a slope")
        call.write("LeakyRelu", [name], alpha=call["alpha"])
    elif call["max"] is None:
        call.write("Relu", [name])
    else:
        call.write("Clip", [name, *(scope.constant(bound, np.float32) for bound in (0.0, call["max"]))])


@counterpart("nn.prelu")
def _prelu(call: ScopedCall) -> None:
    axis, rank = call["axis"], call.rank()
    after = rank - 1 - (axis + rank if axis < 0 else axis)
    slope = call.input(1)
    if after:
        slope = call.scope.node("Unsqueeze", [slope, call.scope.constant(list(range(1, after + 1)))])
    call.write("PRelu", [call.input(), slope])


@counterpart("nn.thresholded_relu")
def _thresholded(call: ScopedCall) -> None:
    call.write("ThresholdedRelu", [call.input()], alpha=call["theta"])


@counterpart("nn.elu")
def _elu(call: ScopedCall) -> None:
    call.write("Elu", [call.input()], alpha=call["alpha"])


@counterpart("nn.selu")
def _selu(call: ScopedCall) -> None:
    call.write("Selu", [call.input()], alpha=call["alpha"], gamma=call["lambda"])


@counterpart("nn.gelu")
def _gelu(call: ScopedCall) -> None:
    kind = {None: "none", "TANH": "tanh"}.get(call["approximate"])
    if kind is None:
        raise Unsuitable("ONNX does not approximate so")
    call.write("Gelu", [call.input()], approximate=kind)


@counterpart("nn.silu")
def _silu(call: ScopedCall) -> None:
    name = call.input()
    call.write("Mul", [name, call.scope.node("Sigmoid", [name])])


@counterpart("nn.softmax")
def _softmax(call: ScopedCall) -> None:
    axes = [axis + (call.rank() if axis < 0 else 0) for axis in call["axes"]]
    if len(axes) != 1:
        raise Unsuitable("ONNX has a softmax along one axis")
    call.write("Softmax", [call.input()], axis=axes[0])


@counterpart("nn.batch_norm")
def _batch_norm(call: ScopedCall) -> None:
    axis, rank = call["channel_axis"], call.rank()
    if axis + (rank if axis < 0 else 0) != 1 or rank < 2:
        raise Unsuitable("ONNX has channels in the second place")
    scope = call.scope
    (channels,) = call.shape(1)
    bias = call.input(3) if call.has(3) else scope.constant(np.zeros(channels), np.float32)
    scale = call.input(4) if call.has(4) else scope.constant(np.ones(channels), np.float32)
    inputs = [call.input(0), scale, bias, call.input(1), call.input(2)]
    call.write("BatchNormalization", inputs, epsilon=call["epsilon"])


@counterpart("nn.local_response_norm")
def _local_response_norm(call: ScopedCall) -> None:
    axes = [axis + (call.rank() if axis < 0 else 0) for axis in call["axes"]]
    if axes != [1] or call.rank() < 3 or call["size"][0] % 2 == 0:
        raise Unsuitable("ONNX normalizes along the channels")
    given = {name: call[name] for name in ("alpha", "beta", "bias")}
    call.write("LRN", [call.input()], size=call["size"][0], **given)


@counterpart("nn.lstm", "nn.lstm_loop")
def _lstm(call: ScopedCall) -> None:
    if call.has(6):
        raise Unsuitable("a number of steps is given")
    scope = call.scope
    x, w, r, b = (call.input(at) for at in range(4))
    hidden = call.shape(2)[1]
    (length,) = call.shape(3)
    one = scope.constant([0])

    def gates(name: str) -> str:
        """Reorder the rows of the gates for ONNX: input, output, forget, cell."""
        order = np.arange(length).reshape(4, hidden)[[0, 3, 1, 2]].reshape(1, -1)
        return scope.node("Gather", [name, scope.constant(order, np.int64, "gates")], axis=0)

    bias = scope.node("Concat", [gates(b), scope.constant(np.zeros((1, length)), np.float32)], axis=1)
    # Without states, both begin with 0.
    states = ["" if call.is_default(at) else scope.node("Unsqueeze", [call.input(at), one]) for at in (4, 5)]
    made = [scope.root.fresh(f"lstm_{part}") for part in ("y", "h", "c")]
    scope.nodes_of("LSTM", [x, gates(w), gates(r), bias, "", *states], made, hidden_size=hidden)
    # A dimension for the directions is in the second place of the sequence, and in the first of the states.
    for name, (target,), axis in zip(made, call.names, (1, 0, 0), strict=True):
        scope.node("Squeeze", [name, scope.constant([axis])], target)


@counterpart("rand.uniform", "rand.normal", "rand.bernoulli")
def _random(call: ScopedCall) -> None:
    """Write a random tensor: the distribution is the same, but each engine draws its own numbers."""
    assert call.operation.operator is not None
    if call.output.dtype == "int":
        raise Unsuitable("ONNX draws reals")
    shape, scope = list(call["shape"]), call.scope
    match call.operation.operator.name:
        case "uniform":
            call.write("RandomUniform", [], shape=shape, low=float(call["min"]), high=float(call["max"]))
        case "normal":
            # onnxruntime ends at a deviation of 0.
            drawn = scope.node("RandomNormal", [], shape=shape)
            scaled = scope.node("Mul", [drawn, scope.constant(call["std"], np.float32)])
            call.write("Add", [scaled, scope.constant(call["mean"], np.float32)])
        case _:
            drawn = scope.node("RandomUniform", [], shape=shape, low=0.0, high=1.0)
            call.write("Less", [drawn, scope.constant(call["prob"], np.float32)])
