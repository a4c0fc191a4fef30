"""``--verify`` tells differences that rounding explains from files that are wrong."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from msgspec.structs import replace

pytest.importorskip("onnx", reason="the development package onnx is not installed")
pytest.importorskip("onnxruntime", reason="the development package onnxruntime is not installed")

from snd_analysis.compose import Session
from snd_analysis.skriptnd.names import OperatorName
from snd_runtime.execution import bind_arrays
from snd_server.exchange.conditioning import DifferenceVerdict, Runs, verdict
from snd_server.running.deviation import difference
from support.memory import snapshot_of

CLASSIFIER = """
import nn;
graph main { @input { z: real[1, 3000]; } @output { y: real[1, 3]; } @variable { w: real[3, 3000]; }
    @compose { x = nn.linear(z, w); y = nn.softmax{axes=[1]}(x); } }
"""
Z = np.random.default_rng(0).uniform(50, 150, (1, 3000)).astype(np.float32)
W = np.random.default_rng(1).uniform(0.9, 1.1, (1, 3000)).astype(np.float32).repeat(3, axis=0)


def _softmax(x: np.ndarray) -> np.ndarray:
    exact = np.exp(x.astype(np.float64) - x.max())
    return (exact / exact.sum()).astype(np.float32)


def _in_order(places: np.ndarray) -> np.ndarray:
    """Logits whose terms are added one after the other, in the order of ``places``: each class has its own."""
    return np.add.accumulate(np.take_along_axis(Z * W, places, 1), axis=1, dtype=np.float32)[:, -1][None]


def _verdict(x: np.ndarray, y: np.ndarray) -> DifferenceVerdict:
    """The verdict about a graph for which another engine computes ``x`` and ``y``."""
    session = Session(snapshot_of({"main.sknd": CLASSIFIER}))
    template = session.template(OperatorName("main.sknd", "main"))
    assert template is not None
    specialization = bind_arrays(session, template, [Z])
    logits = Z @ W.T
    found, expected = {"z": Z, "x": x, "y": y}, {"z": Z, "x": logits, "y": _softmax(logits)}
    runs = Runs(session, specialization, [Z], {"w": W}, found, expected)
    return verdict(runs, [name for name in ("x", "y") if difference(found[name], expected[name]) is not None])


LOGITS = _in_order(np.random.default_rng(2).permuted(np.arange(3000)[None].repeat(3, axis=0), axis=1))


def test_rounding_that_a_softmax_amplifies_is_no_mistake():
    """The logits are near 300,000, so that their rounding decides which class is the most probable one."""
    assert float(np.abs(_softmax(LOGITS) - 1 / 3).max()) > 0.01
    found = _verdict(LOGITS, _softmax(LOGITS))
    assert found.is_rounding, found.words
    assert "the graph is ill-conditioned there and rounding explains the difference" in found.words
    assert "'nn.softmax' gives both results" in found.words
    assert "each operation after it gives, with its own inputs, what 64 bits give" in found.words


def test_a_wrong_result_of_large_logits_is_a_mistake():
    found = _verdict(LOGITS, np.array([[0.9, 0.05, 0.05]], np.float32))
    assert not found.is_rounding
    assert "rounding does not explain the difference" in found.words
    assert "the inputs of 'nn.softmax' changes its result 'y'" in found.words


def test_a_small_mistake_that_a_softmax_amplifies_is_no_rounding():
    """The logits differ by less than the accepted rounding, such as by another epsilon in an operator before."""
    wrong = LOGITS * np.array([1, 1 + 2e-5, 1], np.float32)
    assert difference(wrong, LOGITS) is None
    found = _verdict(wrong, _softmax(wrong))
    assert not found.is_rounding
    assert "one unit in the last place of the inputs and weights changes 'y' by" in found.words


def test_a_mistake_on_the_way_is_found_though_all_after_it_is_right():
    wrong = LOGITS * np.float32(1.01)
    found = _verdict(wrong, _softmax(wrong))
    assert not found.is_rounding
    assert "the inputs of 'nn.linear' changes its result 'x'" in found.words


def test_a_file_that_is_wrong_says_that_rounding_is_not_the_cause(project: Path, real, monkeypatch: pytest.MonkeyPatch):
    from snd_server.exchange.onnx_export.registry import COUNTERPARTS

    monkeypatch.setitem(COUNTERPARTS, "math.exp", COUNTERPARTS["math.neg"])
    (project / "main.sknd").write_text(
        "import math; graph G { @input { x: real[2]; } @output { y: real[2]; } @compose { y = math.exp(x); } }"
    )
    outcome = real("export", ".", "-o", "m.onnx", "--verify")
    assert outcome.status == 1
    assert "rounding does not explain the difference" in outcome.stderr


def test_large_constants_with_equal_elements_are_one_node(project: Path, real):
    """They were taken for a table of indices, whose size is limited."""
    import onnx

    (project / "main.sknd").write_text(
        "import math, nn; graph G { @input { x: real[1, 300]; } @output { y: real[1, 300]; } "
        "@constant { w: real[300, 300] = 0.02; } @compose { y = nn.linear(x, w); } }"
    )
    outcome = real("export", ".", "-o", "m.onnx", "--verify")
    assert (outcome.status, outcome.stderr) == (0, "")
    assert Path("m.onnx").stat().st_size < 2000
    assert "ConstantOfShape" in {node.op_type for node in onnx.load("m.onnx").graph.node}


def test_an_export_of_an_ill_conditioned_graph_is_not_wrong(project: Path, real):
    (project / "main.sknd").write_text(
        "import math, nn; graph G { @input { x: real[n|9, 3]; } @output { y: real[n, 3]; } "
        "@variable { mean: real[3]; variance: real[3]; offset: real[3]; scale: real[3]; } "
        "@compose { h = nn.batch_norm{epsilon=0.001}(x, mean, variance, offset, scale); "
        "s = math.mul(h, 100000.0); y = math.sin(s); } }"
    )
    outcome = real("export", ".", "-o", "m.onnx", "--verify")
    assert (outcome.status, outcome.stderr) == (0, "")
    assert "rounding explains the difference" in outcome.stdout


# ---- conversions -----------------------------------------------------------------------------------------------------
def _saved_onnx(path: Path) -> str:
    """A normalization whose rounding the sine of a large multiple amplifies."""
    import onnx
    from onnx import helper, numpy_helper

    chance = np.random.default_rng(5)
    names = ("scale", "offset", "mean", "variance")
    arrays = {name: chance.uniform(0.5, 1.5, 3).astype(np.float32) for name in names}
    arrays["factor"] = np.array(1e5, np.float32)
    nodes = [
        helper.make_node("BatchNormalization", ["x", *names], ["h"], epsilon=0.001),
        helper.make_node("Mul", ["h", "factor"], ["s"]),
        helper.make_node("Sin", ["s"], ["y"]),
    ]
    x, y = (helper.make_tensor_value_info(name, 1, ["n", 3]) for name in "xy")
    graph = helper.make_graph(nodes, "g", [x], [y], [numpy_helper.from_array(arrays[name], name) for name in arrays])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), path)
    return str(path)


NNEF1 = """version 1.0;
graph net(x) -> (y)
{
    x = external(shape = [2, 3]);
    mean = variable(shape = [1, 3], label = 'mean');
    variance = variable(shape = [1, 3], label = 'variance');
    offset = variable(shape = [1, 3], label = 'offset');
    scale = variable(shape = [1, 3], label = 'scale');
    h = batch_normalization(x, mean, variance, offset, scale, epsilon = 0.001);
    s = mul(h, 100000.0);
    y = sin(s);
}
"""


def test_a_conversion_of_an_ill_conditioned_onnx_model_is_not_wrong(project: Path, real):
    outcome = real("convert", _saved_onnx(project / "m.onnx"), "-o", "new", "--verify")
    assert (outcome.status, outcome.stderr) == (0, "")
    assert "but the graph is ill-conditioned there and rounding explains the difference" in outcome.stdout


def test_a_wrong_conversion_of_an_ill_conditioned_onnx_model_is_wrong(
    project: Path, real, monkeypatch: pytest.MonkeyPatch
):
    """The epsilon of an operator differs, by less than the accepted rounding."""
    from snd_server.exchange import onnx_conversion

    convert_graph = onnx_conversion.convert_graph

    def spoiled(*arguments: Any):
        found = convert_graph(*arguments)
        assert "epsilon=0.001" in found.text
        return replace(found, text=found.text.replace("epsilon=0.001", "epsilon=0.00102"))

    monkeypatch.setattr(onnx_conversion, "convert_graph", spoiled)
    outcome = real("convert", _saved_onnx(project / "m.onnx"), "-o", "new", "--verify")
    assert outcome.status == 1
    assert "rounding does not explain the difference" in outcome.stderr


def test_a_conversion_of_an_ill_conditioned_nnef1_model_is_not_wrong(project: Path, real):
    (project / "graph.nnef").write_text(NNEF1)
    outcome = real("convert", "graph.nnef", "-o", "new", "--verify", "--seed", "0")
    assert outcome.status == 0, outcome.stderr
    assert "evaluated with 64 bits, both models agree" in outcome.stdout


def test_a_wrong_conversion_of_an_ill_conditioned_nnef1_model_is_wrong(
    project: Path, real, monkeypatch: pytest.MonkeyPatch
):
    from snd_analysis.convert import convert_nnef1
    from snd_server.exchange import nnef1_conversion

    def spoiled(*arguments: Any):
        found = convert_nnef1(*arguments)
        assert "epsilon=0.001" in found.text
        return replace(found, text=found.text.replace("epsilon=0.001", "epsilon=0.00102"))

    monkeypatch.setattr(nnef1_conversion, "convert_nnef1", spoiled)
    (project / "graph.nnef").write_text(NNEF1)
    outcome = real("convert", "graph.nnef", "-o", "new", "--verify")
    assert outcome.status == 1
    assert "rounding does not explain the difference: evaluated with 64 bits, the models differ by" in outcome.stderr
