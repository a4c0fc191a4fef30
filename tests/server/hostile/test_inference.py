"""Models that onnxruntime or snd would load or run without end: ``--verify`` ends with a message."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

onnx = pytest.importorskip("onnx", reason="reading ONNX takes the package onnx")
pytest.importorskip("onnxruntime", reason="the development package onnxruntime is not installed")

pytestmark = pytest.mark.worker_process

VERSIONS = [onnx.helper.make_opsetid("", 17), onnx.helper.make_opsetid("d", 1)]


@pytest.fixture(autouse=True)
def _short(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("snd_server.exchange.engine_process.MOST_INFERENCE_SECONDS", 3.0)
    monkeypatch.setattr("snd_server.exchange.verification.LONGEST_VERIFICATION_RUN", 1.0)
    monkeypatch.setattr("snd_server.exchange.export_comparison.LONGEST_VERIFICATION_RUN", 1.0)
    monkeypatch.setattr("snd_server.exchange.trials.MOST_VERIFICATION_SECONDS", 3.0)


def _value(name: str, shape: tuple[int, ...] = (2,), kind: int = 1) -> Any:
    return onnx.helper.make_tensor_value_info(name, kind, list(shape))


def _saved(nodes: list[Any], *inputs: Any, functions: Any = (), **constants: Any) -> None:
    arrays = [onnx.numpy_helper.from_array(np.array(value), name) for name, value in constants.items()]
    graph = onnx.helper.make_graph(nodes, "g", list(inputs), [_value("y")], arrays)
    model = onnx.helper.make_model(graph, opset_imports=VERSIONS, functions=[*functions], ir_version=8)
    onnx.save(model, "m.onnx")


def _loop(count: str) -> list[Any]:
    nodes = [onnx.helper.make_node("Identity", ["c"], ["d"]), onnx.helper.make_node("Tanh", ["v"], ["w"])]
    inputs = [_value("i", (), 7), _value("c", (), 9), _value("v")]
    body = onnx.helper.make_graph(nodes, "b", inputs, [_value("d", (), 9), _value("w")])
    return [onnx.helper.make_node("Loop", [count, "t", "x"], ["y"], body=body)]


def test_a_loop_that_takes_years(project: Path, real):
    _saved(_loop("n"), _value("x"), n=10**7, t=True)
    start = time.monotonic()
    outcome = real("convert", "m.onnx", "-o", "new", "--verify")
    assert outcome.status == 2
    assert "--verify: onnxruntime was stopped after 3 seconds: it did not run the model" in outcome.stderr
    assert time.monotonic() - start < 60


def test_a_loop_that_no_run_would_end_is_a_problem_of_the_model(project: Path, real):
    _saved(_loop("n"), _value("x"), n=10**12, t=True)
    outcome = real("convert", "m.onnx", "-o", "new")
    assert outcome.status == 1
    assert "error[loop-count]" in outcome.stdout
    assert "has a loop that no run would end" in outcome.stderr


def test_a_constant_that_does_not_fit_into_memory(project: Path, real):
    """Onnxruntime computes constants while it loads a model."""
    nodes = [
        onnx.helper.make_node("ConstantOfShape", ["s"], ["b"]),
        onnx.helper.make_node("ReduceSum", ["b"], ["r"], keepdims=0),
        onnx.helper.make_node("Add", ["x", "r"], ["y"]),
    ]
    _saved(nodes, _value("x"), s=[100_000, 100_000])
    outcome = real("convert", "m.onnx", "-o", "new", "--verify", "--memory", "200")
    assert outcome.status == 2
    assert "--verify: onnxruntime takes more memory than 600 MB: it did not run the model" in outcome.stderr


@pytest.mark.exhaustive
def test_functions_that_double_are_not_inlined_without_end(tmp_path: Path):
    """Snd refuses to convert them; the process that would load them is ended."""
    from snd_server.exchange.inference import Inference, InferenceLimitError

    def function(at: int) -> Any:
        calls = [onnx.helper.make_node(f"f{at - 1}", [one], [two], domain="d") for one, two in ("ab", "bc")]
        nodes = calls if at else [onnx.helper.make_node("Neg", ["a"], ["c"])]
        return onnx.helper.make_function("d", f"f{at}", ["a"], ["c"], nodes, VERSIONS)

    graph = onnx.helper.make_graph(
        [onnx.helper.make_node("f30", ["x"], ["y"], domain="d")], "g", [_value("x")], [_value("y")]
    )
    model = onnx.helper.make_model(graph, opset_imports=VERSIONS, functions=[*map(function, range(31))], ir_version=8)
    onnx.save(model, tmp_path / "m.onnx")
    with Inference(1 << 28) as inference:
        with pytest.raises(InferenceLimitError):
            inference.load(str(tmp_path / "m.onnx"))
        inference.check(str(tmp_path / "m.onnx"))  # the next process works


def test_a_graph_that_does_not_end_on_random_inputs(project: Path, real):
    (project / "main.sknd").write_text(
        "import math; graph G { @input { x: real[2]; } @output { y: real[2]; } "
        "@compose { y, ~ = with t = x, n = 1 while math.gt(n, 0) do "
        "{ u = math.tanh(t); m = math.max(n, 1); yield u, m; }; } }"
    )
    start = time.monotonic()
    outcome = real("export", ".", "-o", "m.onnx", "--verify")
    assert outcome.status == 2
    assert "Error: --verify: " in outcome.stderr
    assert "1 second" in outcome.stderr
    assert time.monotonic() - start < 60
