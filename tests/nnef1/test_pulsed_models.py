"""Models that tract pulsified: every pulse has the values of tract, and after the delay those of the stream."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper

import snd
from support.nnef1.running import run_text

tract = pytest.importorskip("tract")

HEADER = """version 1.0;
extension tract_registry tract_core;
extension tract_registry tract_pulse;
extension tract_registry tract_extra;
extension tract_symbol S;
"""
PULSE = 4


def _text(call: str, length: int = PULSE) -> str:
    return f"{HEADER}graph g(x) -> (y) {{\n    x = external(shape = [1, {length}]);\n    y = {call};\n}}\n"


def _reader() -> Any:
    return tract.nnef().with_onnx().with_pulse().with_tract_extra()


def _by_tract(folder: Path, pulses: Sequence[Any]) -> list[Any]:
    state = _reader().load(str(folder)).into_runnable().spawn_state()
    return [state.run([each])[0].to_numpy() for each in pulses]


def _by_snd(folder: Path, pulses: Sequence[Any]) -> list[Any]:
    model = snd.load(folder)
    return [np.asarray(model.run(x=each)["y"]) for each in pulses]


def _apart(stream: Any, axis: int, length: int) -> list[Any]:
    return [np.ascontiguousarray(each) for each in np.split(stream, stream.shape[axis] // length, axis)]


# ---- operations ------------------------------------------------------------------------------------------------------
PAD = "tract_pulse_pulse_pad(x, axis = 1, before = {}, after = {}, begin_input = {}, end_input = {}, "


@pytest.mark.parametrize("length", [1, 4])
@pytest.mark.parametrize(
    "call",
    [
        "tract_pulse_delay(x, axis = 1, delay = 1, overlap = 2)",
        "tract_pulse_delay(x, axis = 1, delay = 3, overlap = 0)",
        "tract_pulse_delay(x, axis = 1, delay = 0, overlap = 5)",
        "tract_pulse_delay(x, axis = 1, delay = 0, overlap = 0)",
        PAD.format(1, 1, 6, 14) + "border = 'constant', value = 9.0, overlap = 0)",
        PAD.format(6, 3, 6, 14) + "border = 'constant', value = 9.0, overlap = 0)",
        PAD.format(6, 1, 6, 10) + "border = 'constant', value = 9.0, overlap = 0)",
        PAD.format(3, 4, 3, "S + 2") + "border = 'constant', value = 9.0, overlap = 0)",
        PAD.format(3, "S", 6, 9) + "border = 'constant', value = 9.0, overlap = 0)",
        PAD.format(0, 0, 0, 9) + "border = 'constant', value = 9.0, overlap = 0)",
        PAD.format(6, 2, 3, 9) + "border = 'constant', value = 9.0, overlap = 0)",  # which pads no pulse
        PAD.format(0, 9, 0, 14) + "border = 'replicated', value = 0.0, overlap = 0)",
        PAD.format(0, 2, 0, "S") + "border = 'reflect', value = 0.0, overlap = 0)",
        "tract_pulse_mask(x, axis = 1, begin = 6, end = 14, value = 9.0)",
        "tract_pulse_mask(x, axis = 1, begin = 6, end = S, value = 9.0)",
        "tract_pulse_cumsum(x, axis = 1, exclusive = true, skip = 6)",
        "tract_pulse_cumsum(x, axis = 1, exclusive = false, skip = 0)",
        "tract_extra_exp_unit_norm(x, [0.5], axis = 1, alpha = 0.9)",
        "tract_extra_exp_unit_norm(x, [0.5], axis = 1, alpha = 0.9, skip = 6)",
        "tract_extra_exp_mean_norm(x, [0.5], axis = 1, alpha = 0.9, skip = 2, scaling_factor = 2.0)",
    ],
)
def test_each_pulse_has_the_values_of_tract(tmp_path: Path, call: str, length: int):
    (tmp_path / "graph.nnef").write_text(_text(call, length))
    pulses = _apart(np.random.default_rng(0).standard_normal((1, 24)).astype(np.float32), 1, length)
    for found, expected in zip(_by_snd(tmp_path, pulses), _by_tract(tmp_path, pulses), strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize(
    "call",
    [
        PAD.format(3, 4, 3, 14) + "border = 'replicated', value = 9.0, overlap = 0)",
        PAD.format(3, 9, 3, 14) + "border = 'replicated', value = 9.0, overlap = 2)",
        PAD.format(2, 2, 2, "S + 2") + "border = 'replicated', value = 9.0, overlap = 0)",
        PAD.format(1, 1, 6, 14) + "border = 'constant', value = 9.0, overlap = 2)",
    ],
)
def test_pads_that_need_pulses_of_some_items(tmp_path: Path, call: str):
    (tmp_path / "graph.nnef").write_text(_text(call))
    pulses = _apart(np.random.default_rng(0).standard_normal((1, 24)).astype(np.float32), 1, PULSE)
    for found, expected in zip(_by_snd(tmp_path, pulses), _by_tract(tmp_path, pulses), strict=True):
        np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        # tract aborts: the padding repeats an item of a later pulse.
        (PAD.format(6, 2, 6, "S") + "border = 'replicated', value = 0.0, overlap = 0)", "repeats item 6 of the stream"),
        (PAD.format(3, 2, 3, "S") + "border = 'reflect', value = 0.0, overlap = 0)", "it does not reflect the items"),
        (PAD.format(3, 2, 3, "S") + "border = 'replicate', value = 0.0, overlap = 0)", "but this is 'replicate'"),
        # tract demands all of these attributes.
        (PAD.format(3, 2, 3, "S") + "border = 'constant', value = 0.0)", "overlap"),
        ("tract_pulse_cumsum(x, axis = 1, exclusive = false)", "skip"),
        ("tract_pulse_delay(x, axis = 2, delay = 1, overlap = 0)", "from 0 to 1, but it is 2"),
        ("tract_pulse_delay(x, axis = 1, delay = -1, overlap = 0)", "must not be negative, but it is -1"),
    ],
)
def test_operations_that_tract_refuses_are_reported(call: str, message: str):
    with pytest.raises(AssertionError) as raised:
        run_text(_text(call), {"x": np.zeros((1, PULSE), np.float32)})
    assert message in str(raised.value)


# ---- models ----------------------------------------------------------------------------------------------------------
def _random(*shape: int) -> Any:
    return np.random.default_rng(sum(shape)).standard_normal(shape).astype(np.float32)


CONV = helper.make_node
MODELS = {
    "conv": ([CONV("Conv", ["x", "k"], ["y"])], (1, 3, "S")),
    "conv_padded": ([CONV("Conv", ["x", "k"], ["y"], pads=[1, 1])], (1, 3, "S")),
    "conv_causal": ([CONV("Conv", ["x", "k"], ["y"], pads=[2, 0])], (1, 3, "S")),
    "conv_strides": ([CONV("Conv", ["x", "k"], ["y"], strides=[2])], (1, 3, "S")),
    "conv_dilated_residual": (
        [CONV("Conv", ["x", "q"], ["a"], pads=[2, 2], dilations=[2]), CONV("Add", ["x", "a"], ["y"])],
        (1, 3, "S"),
    ),
    "edges": ([CONV("Pad", ["x", "p"], ["a"], mode="edge"), CONV("Conv", ["a", "k"], ["y"])], (1, 3, "S")),
    "gru": ([CONV("GRU", ["x", "w", "r"], ["y"], hidden_size=5, linear_before_reset=1)], ("S", 1, 3)),
    "lstm": ([CONV("LSTM", ["x", "lw", "lr"], ["y"], hidden_size=5)], ("S", 1, 3)),
    "conv_and_gru": (
        [
            CONV("Conv", ["x", "q"], ["a"]),
            CONV("Transpose", ["a"], ["b"], perm=[2, 0, 1]),
            CONV("GRU", ["b", "w", "r"], ["y"], hidden_size=5, linear_before_reset=1),
        ],
        (1, 3, "S"),
    ),
}
STORED = {
    "k": _random(4, 3, 3), "q": _random(3, 3, 3), "p": np.array([0, 0, 2, 0, 0, 0], np.int64),
    "w": _random(1, 15, 3), "r": _random(1, 15, 5), "lw": _random(1, 20, 3), "lr": _random(1, 20, 5),
}  # fmt: skip


def _pulsed(folder: Path, name: str) -> tuple[Any, Any, int, int]:
    """Write a model of ONNX and the model that tract pulsified; return the results for a stream, and the delay."""
    nodes, shape = MODELS[name]
    used = {each for node in nodes for each in node.input}
    stored = [onnx.numpy_helper.from_array(value, key) for key, value in STORED.items() if key in used]
    value_info = helper.make_tensor_value_info
    x, y = value_info("x", TensorProto.FLOAT, shape), value_info("y", TensorProto.FLOAT, None)
    graph = helper.make_graph(nodes, "g", [x], [y], stored)
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.save(made, str(folder / "model.onnx"))
    stream = _random(*(16 if each == "S" else each for each in shape))
    whole = tract.onnx().load(str(folder / "model.onnx")).into_model()
    expected = whole.into_runnable().run([stream])[0].to_numpy()
    pulsed = tract.onnx().load(str(folder / "model.onnx")).into_model()
    pulsed.transform(tract.Pulse(str(PULSE), symbol="S"))
    delay, axis = (int(pulsed.property(f"pulse.{each}").to_numpy()[0]) for each in ("delay", "output_axes"))
    _reader().write_model_to_dir(pulsed, str(folder / "pulsed"))
    text = folder / "pulsed" / "graph.nnef"  # tract leaves out a value that it demands
    text.write_text(text.read_text().replace('border = "replicated")', 'border = "replicated", value = 0.0)'))
    return stream, expected, delay, axis


@pytest.mark.parametrize("name", MODELS)
def test_pulsed_models_are_those_of_tract_and_after_the_delay_the_whole_model(tmp_path: Path, name: str):
    stream, expected, delay, axis = _pulsed(tmp_path, name)
    pulses = _apart(stream, MODELS[name][1].index("S"), PULSE)
    found = np.concatenate(_by_snd(tmp_path / "pulsed", pulses), axis)
    by_tract = np.concatenate(_by_tract(tmp_path / "pulsed", pulses), axis)
    found, by_tract = (np.moveaxis(each, axis, 0)[delay:] for each in (found, by_tract))
    np.testing.assert_allclose(found, by_tract, rtol=1e-5, atol=1e-5)
    length = min(len(found), expected.shape[axis])
    assert length >= 16 // PULSE
    np.testing.assert_allclose(found[:length], np.moveaxis(expected, axis, 0)[:length], rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("name", ["conv_dilated_residual", "edges", "conv_and_gru"])
def test_converted_models_keep_what_streams_keep(tmp_path: Path, name: str):
    """``snd convert`` gives a model with variables that it updates, and files for their first values."""
    stream, _, _, _ = _pulsed(tmp_path, name)
    pulses = _apart(stream, MODELS[name][1].index("S"), PULSE)
    snd.convert(tmp_path / "pulsed", tmp_path / "converted")
    assert "@update" in (tmp_path / "converted" / "main.sknd").read_text()
    for found, expected in zip(
        _by_snd(tmp_path / "converted", pulses), _by_snd(tmp_path / "pulsed", pulses), strict=True
    ):
        np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-5)


# ---- scans of a whole stream -----------------------------------------------------------------------------------------
SKIPPING = """version 1.0;
extension tract_registry tract_core;

fragment turn(h: tensor<scalar>, item: tensor<scalar>) -> (next: tensor<scalar>)
{
    next = add(mul(h, 0.5), item);
}

graph net(x) -> (y)
{
    x = tract_core_external(shape = [1, 5], datum_type = 'f32');
    y = tract_core_scan(body = "turn", scan = [("item", x, 1, 1)], full = [], state = [("h", [[7.0]], "next")],
        output = [("next", "full", 1, 1)], skip = SKIP, reset_every_turn = 0, external_state = 0);
}
"""


@pytest.mark.parametrize("skip", [0, 1, 3])
def test_skipped_turns_leave_the_states_as_they_are(tmp_path: Path, skip: int):
    """Tract leaves the results of skipped turns undefined."""
    (tmp_path / "graph.nnef").write_text(SKIPPING.replace("SKIP", str(skip)))
    x = np.arange(1, 6, dtype=np.float32)[None]
    expected = _by_tract(tmp_path, [x])[0]
    np.testing.assert_array_equal(_by_snd(tmp_path, [x])[0][:, skip:], expected[:, skip:])
