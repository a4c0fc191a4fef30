"""Recurrent layers: ``nn.lstm`` and the loops of ``onnx`` in place of ATen calls."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from snd_server.exchange.onnx_import.data import Data, constant_of, require
from snd_server.exchange.onnx_import.node import unless
from snd_server.exchange.torch_import.call import Call, aten


@aten("lstm.input", "gru.input", "rnn_tanh.input", "rnn_relu.input")
def recurrent(
    call: Call, x: Data, hx: Data | Sequence[Data], params: Sequence[Data], has_biases: bool, num_layers: int,
    dropout: float, train: bool, bidirectional: bool, batch_first: bool,
) -> list[Data]:  # fmt: skip
    require(not train or dropout == 0, "dropout in training: call 'module.eval()' before the export")
    states = list(hx) if isinstance(hx, list) else [hx]
    assert all(isinstance(each, Data) for each in states)
    sides = 2 if bidirectional else 1
    size = 4 if has_biases else 2
    require(len(params) == size * sides * num_layers, "projections of the hidden state")
    if batch_first:
        x = call.run("layout.transpose", x, perm=[1, 0, 2])
    lasts: list[list[Data]] = [[] for _ in states]
    for layer in range(num_layers):
        results = []
        for side in range(sides):
            at = layer * sides + side
            given = [_state(call, each, at, num_layers * sides) for each in states]  # type: ignore[arg-type]
            steps = call.run("onnx.reverse", x, like=x.dtype) if side else x
            y, *last = _layer(call, steps, params[at * size : (at + 1) * size], given)
            results.append(call.run("onnx.reverse", y, like=x.dtype) if side else y)
            for found, each in zip(lasts, last, strict=True):
                found.append(each)
        x = results[0] if sides == 1 else call.run("layout.concat", results, axis=2, like=x.dtype)
    if batch_first:
        x = call.run("layout.transpose", x, perm=[1, 0, 2])
    return [x, *(_stacked(call, each) for each in lasts)]


def _stacked(call: Call, states: list[Data]) -> Data:
    if len(states) == 1:
        return call.one("Unsqueeze", states[0], call.ints([0]))
    return call.run("layout.stack", states, axis=0, like=states[0].dtype)


def _state(call: Call, data: Data, at: int, count: int) -> Data:
    if data.array is not None:
        return constant_of(data.array[at], data.name)
    if count == 1:
        return call.one("Squeeze", data, call.ints([0]))
    part = call.run("layout.slice", data, axes=[0], begin=[at], end=[at + 1])
    return call.run("layout.squeeze", part, axes=[0])


def _layer(call: Call, x: Data, params: Sequence[Data], states: list[Data]) -> list[Data]:
    w, r, *biases = params
    rows = w.extents[0]
    assert rows is not None
    if not biases:
        zeros = constant_of(np.broadcast_to(np.zeros((), x.dtype), (rows,)), "bias")
        biases = [zeros, zeros]
    states = [_filled(call, each, x, r) for each in states]
    match call.name.removesuffix("_cell"):
        case "lstm":
            y, *last = call.run_all("nn.lstm", x, w, r, _added(call, *biases), *states, None)
            if call.is_named(x.shape[0]) and not call.is_named(y.shape[0]):
                y = call.run("layout.reshape", y, shape=[x.shape[0], *y.shape[1:]])
            return [y, *last]
        case "gru":
            # ONNX has the gates in another order: update, reset, hidden.
            ordered = [_gates(call, each, [1, 0, 2]) for each in (w, r, *biases)]
            return call.run_all("onnx.gru", x, *ordered, *states, None)
    given = unless("relu" not in call.name, activation="relu")
    return call.run_all("onnx.rnn", x, w, r, _added(call, *biases), *states, None, **given)


def _filled(call: Call, state: Data, x: Data, r: Data) -> Data:
    """Return a state; one that is made of zeros by a number, which has fewer words."""
    if state.array is None or np.any(state.array):
        return state
    return call.run("layout.uniform", 0.0, shape=[x.shape[1], r.shape[1]], like=x.dtype)


def _added(call: Call, first: Data, second: Data) -> Data:
    if first.array is not None and second.array is not None:
        return constant_of(first.array + second.array, first.name)
    return call.run("math.add", first, second)


def _gates(call: Call, rows: Data, order: list[int]) -> Data:
    require(rows.array is not None, "weights that are computed")
    assert rows.array is not None
    parts = np.split(rows.array, len(order))
    return constant_of(np.concatenate([parts[each] for each in order]), rows.name)


@aten("lstm_cell", "gru_cell", "rnn_tanh_cell", "rnn_relu_cell")
def cell(
    call: Call, x: Data, hx: Data | Sequence[Data], w_ih: Data, w_hh: Data, b_ih: Data | None = None,
    b_hh: Data | None = None,
) -> list[Data]:  # fmt: skip
    """Return the states after one step."""
    states = list(hx) if isinstance(hx, list | tuple) else [hx]
    assert all(isinstance(each, Data) for each in states)
    params = [each for each in (w_ih, w_hh, b_ih, b_hh) if each is not None]
    steps = call.one("Unsqueeze", x, call.ints([0]))
    _, *last = _layer(call, steps, params, states)  # type: ignore[arg-type]
    return last
