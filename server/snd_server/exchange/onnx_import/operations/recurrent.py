"""Recurrent layers: ``nn.lstm`` and the loops of ``onnx`` in place of nodes of ONNX."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from snd_server.exchange.onnx_import.data import Data, require
from snd_server.exchange.onnx_import.node import OnnxNode, translation, unless

_GATES = {"LSTM": 4, "GRU": 3, "RNN": 1}


@translation("LSTM", "GRU", "RNN")
def recurrent(node: OnnxNode) -> list[Data | None]:
    x, weights, factors, bias, lengths, h = (node.maybe(at) for at in range(6))
    assert x is not None
    assert weights is not None
    assert factors is not None
    c, peepholes = (node.maybe(6), node.maybe(7)) if node.kind == "LSTM" else (None, None)
    require(node.attribute("clip") is None, "clipping of what goes into the activations")
    batch_first = bool(node.number("layout", 0))
    if batch_first:
        x = node.run("layout.transpose", x, perm=[1, 0, 2])
        h, c = (None if each is None else node.run("layout.transpose", each, perm=[1, 0, 2]) for each in (h, c))
    direction = node.text("direction", "forward")
    directions = {"forward": [False], "reverse": [True], "bidirectional": [False, True]}.get(direction, [])
    results = []
    for at, backward in enumerate(directions):
        given = x
        if backward:
            given = _reversed(node, x, lengths)
        whole = _direction(node, given, weights, factors, bias, lengths, (h, c), peepholes, at)
        results.append([_reversed(node, whole[0], lengths) if backward else whole[0], *whole[1:]])
    y = _stacked(node, [each[0] for each in results], 1)
    states = [_stacked(node, [each[at] for each in results], 0) for at in range(1, len(results[0]))]
    if batch_first:
        y = node.run("layout.transpose", y, perm=[2, 0, 1, 3])
        states = [node.run("layout.transpose", each, perm=[1, 0, 2]) for each in states]
    return [y, *states]


def _stacked(node: OnnxNode, parts: Sequence[Data], axis: int) -> Data:
    if len(parts) == 1:
        return node.run("layout.unsqueeze", parts[0], axes=[axis])
    return node.run("layout.stack", list(parts), axis=axis, like=parts[0].dtype)


def _direction(
    node: OnnxNode, x: Data, weights: Data, factors: Data, bias: Data | None, lengths: Data | None,
    states: tuple[Data | None, Data | None], peepholes: Data | None, at: int,
) -> list[Data]:  # fmt: skip
    count = _GATES[node.kind]
    hidden = factors.extents[2]
    require(hidden is not None, "the number of hidden channels is not known")
    assert hidden is not None
    w, r = _item(node, weights, at), _item(node, factors, at)
    both = node.constant(np.zeros(2 * count * hidden), x.dtype, "bias") if bias is None else _item(node, bias, at)
    first, second = _halves(node, both)
    h, c = (_state(node, x, hidden, each, at) for each in states)
    activations = [str(each).lower() for each in node.attribute("activations", [])][at * _used(node) :][: _used(node)]
    if node.kind == "LSTM":
        require(activations in ([], ["sigmoid", "tanh", "tanh"]), "other activations than sigmoid and tanh")
        summed = _added(node, first, second)
        if peepholes is None:
            gates = (_gates(node, each, [0, 2, 3, 1]) for each in (w, r, summed))
            y, *last = node.run_all("nn.lstm", x, *gates, h, c, lengths)
            return [_all_steps(node, y, x) if lengths is None else y, *last]
        require(lengths is None, "peepholes, where items have lengths of their own")
        return node.run_all("onnx.peephole_lstm", x, w, r, summed, _item(node, peepholes, at), h, c)
    if node.kind == "GRU":
        require(activations in ([], ["sigmoid", "tanh"]), "other activations than sigmoid and tanh")
        after = unless(node.number("linear_before_reset", 0), linear_before_reset=False)
        return node.run_all("onnx.gru", x, w, r, first, second, h, lengths, **after)
    activation = activations[0] if activations else "tanh"
    require(activation in ("tanh", "relu", "sigmoid"), f"the activation {activation}")
    given = unless(activation == "tanh", activation=activation)
    return node.run_all("onnx.rnn", x, w, r, _added(node, first, second), h, lengths, **given)


def _all_steps(node: OnnxNode, y: Data, x: Data) -> Data:
    """Say that the result has as many steps as the input: ``nn.lstm`` declares that it may have fewer."""
    if node.is_named(y.shape[0]) or not node.is_named(x.shape[0]):
        return y
    return node.run("layout.reshape", y, shape=[x.shape[0], *y.shape[1:]])


def _used(node: OnnxNode) -> int:
    return {"LSTM": 3, "GRU": 2, "RNN": 1}[node.kind]


def _item(node: OnnxNode, data: Data, at: int) -> Data:
    """Return the part of a tensor for one direction."""
    if data.array is not None:
        return node.constant(data.array[at], data.array.dtype, data.name)
    if data.extents[0] == 1:
        return node.run("layout.squeeze", data, axes=[0])
    return node.run("layout.squeeze", node.run("layout.slice", data, axes=[0], begin=[at], end=[at + 1]), axes=[0])


def _halves(node: OnnxNode, data: Data) -> tuple[Data, Data]:
    if data.array is not None:
        first, second = np.split(data.array, 2)
        return node.constant(first, first.dtype, data.name), node.constant(second, second.dtype, data.name)
    first_, second_ = node.run_all("layout.split", data, axis=0, count=2)
    return first_, second_


def _added(node: OnnxNode, first: Data, second: Data) -> Data:
    if first.array is not None and second.array is not None:
        return node.constant(first.array + second.array, first.array.dtype, first.name)
    return node.run("math.add", first, second)


def _gates(node: OnnxNode, rows: Data, order: list[int]) -> Data:
    """Return the rows of the gates in another order. ONNX has input, output, forget, cell."""
    if rows.array is not None:
        parts = np.split(rows.array, len(order))
        array = np.concatenate([parts[each] for each in order])
        return node.constant(array, array.dtype, rows.name)
    pieces = node.run_all("layout.split", rows, axis=0, count=len(order))
    return node.run("layout.concat", [pieces[each] for each in order], axis=0, like=rows.dtype)


def _state(node: OnnxNode, x: Data, hidden: int, state: Data | None, at: int) -> Data:
    if state is not None:
        return _item(node, state, at)
    return node.run("layout.uniform", 0.0, shape=[x.shape[1], hidden], like=x.dtype)


def _reversed(node: OnnxNode, x: Data, lengths: Data | None) -> Data:
    """Return the steps from the last one on."""
    if lengths is not None:
        return node.run("onnx.reverse_sequence", x, lengths, like=x.dtype)
    return node.run("onnx.reverse", x, like=x.dtype)
