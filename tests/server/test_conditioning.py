"""``--verify`` tells differences that rounding explains from files that are wrong."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("onnx", reason="the development package onnx is not installed")
pytest.importorskip("onnxruntime", reason="the development package onnxruntime is not installed")

from snd_analysis.compose import Session
from snd_analysis.skriptnd.names import OperatorName
from snd_runtime.execution import bind_arrays
from snd_server.exchange.conditioning import explanation
from support.memory import snapshot_of

SOFTMAX = """
import nn;
graph main { @input { x: real[1, 3]; } @output { y: real[1, 3]; } @compose { y = nn.softmax{axes=[1]}(x); } }
"""


def _softmax(x: np.ndarray) -> np.ndarray:
    exact = np.exp(x.astype(np.float64) - x.max())
    return (exact / exact.sum()).astype(np.float32)


def _explained(one: np.ndarray, other: np.ndarray, y: np.ndarray) -> tuple[bool, str]:
    session = Session(snapshot_of({"main.sknd": SOFTMAX}))
    template = session.template(OperatorName("main.sknd", "main"))
    assert template is not None
    specialization = bind_arrays(session, template, [other])
    found, expected = {"x": one, "y": y}, {"x": other, "y": _softmax(other)}
    return explanation(session, specialization, {}, "y", found, expected, "the rest was not compared")


LOGITS = np.array([[1e5, 1e5, 1e5]], np.float32)
ROUNDED = np.array([[1e5 + 0.25, 1e5, 1e5]], np.float32)


def test_rounding_that_a_softmax_amplifies_is_no_mistake():
    is_rounding, words = _explained(ROUNDED, LOGITS, _softmax(ROUNDED))
    assert is_rounding
    assert "ill-conditioned" in words
    assert "'nn.softmax' gives both results" in words


def test_a_wrong_result_of_large_logits_is_a_mistake():
    is_rounding, words = _explained(ROUNDED, LOGITS, np.array([[0.9, 0.05, 0.05]], np.float32))
    assert not is_rounding
    assert "rounding does not explain the difference" in words


def test_a_wrong_input_is_no_rounding():
    x = LOGITS * np.float32(1.01)
    assert not _explained(x + ROUNDED - LOGITS, LOGITS, _softmax(ROUNDED))[0]


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
