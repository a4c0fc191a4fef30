"""Tensors are quantized as ``graph.quant`` says, where that is asked for."""

from __future__ import annotations

from typing import Any

import numpy as np

from snd_analysis.base import OperatorName
from snd_runtime.evaluation import EvaluationRequest
from snd_runtime.evaluation.handler import evaluate
from support.memory import snapshot_of

GRAPH = """version 1.0;
graph net(x) -> (y, z)
{
    x = external(shape = [2, 3]);
    a = mul(x, 2.0);
    y = neg(a);
    z = add(y, 1.0);
}
"""
X = np.array([[-1.5, -0.3, 0.1], [0.45, 0.9, 3.0]])


def _run(lines: str, graph: str = GRAPH, quantize: bool = True) -> dict[str, Any]:
    snapshot = snapshot_of({"graph.nnef": graph, "graph.quant": lines})
    assert not snapshot.diagnostics("graph.nnef")
    assert not snapshot.diagnostics("graph.quant")
    request = EvaluationRequest(
        OperatorName("graph.nnef", "net"), inputs={"x": X}, weights={}, keep=True, quantize=quantize
    )
    answer = evaluate(snapshot, request, lambda note: None)
    assert not answer.failures, answer.failures
    return dict(answer.arrays or {})


def _linear(x: Any, least: float, greatest: float, bits: int) -> Any:
    steps = 2**bits - 1
    return (
        np.round((np.clip(x, least, greatest) - least) / (greatest - least) * steps) / steps * (greatest - least)
        + least
    )


def test_nothing_is_quantized_unasked():
    np.testing.assert_allclose(
        _run('"x": linear_quantize(min = 0.0, max = 1.0, bits = 1);', quantize=False)["y"], -2 * X
    )


def test_what_follows_uses_the_quantized_tensor():
    lines = (
        '"x": linear_quantize(min = -1.0, max = 1.0, bits = 3);',
        "'y': linear_quantize(min = -2.0, max = 1.0, bits = 2);",
    )
    outputs = _run("\n".join(lines))
    y = _linear(-2 * _linear(X, -1.0, 1.0, 3), -2.0, 1.0, 2)
    np.testing.assert_allclose(outputs["y"], y, atol=1e-6)
    np.testing.assert_allclose(outputs["z"], y + 1, atol=1e-6)


def test_logarithmic_and_zero_point():
    outputs = _run(
        '"a": zero_point_linear_quantize(zero_point = 2, scale = 0.5, bits = 3, signed = false, symmetric = false);\n'
        '"z": logarithmic_quantize(max = 4.0, bits = 3);'
    )
    a = (np.clip(np.floor(2 * X / 0.5 + 0.5) + 2, 0, 7) - 2) * 0.5
    np.testing.assert_allclose(outputs["y"], -a, atol=1e-6)
    z = 1 - a
    with np.errstate(divide="ignore"):
        expected = np.sign(z) * 2.0 ** np.floor(np.clip(np.log2(abs(z)), 2 - 7, 2) + 0.5)
    np.testing.assert_allclose(outputs["z"], expected, atol=1e-6)


def test_tract_takes_the_range_for_that_of_signed_bytes():
    graph = GRAPH.replace("version 1.0;", "version 1.0;\nextension tract_registry tract_core;")
    outputs = _run('"x": linear_quantize(min = -1.0, max = 3.0, bits = 8);', graph)
    scale = 4 / 255
    np.testing.assert_allclose(
        outputs["y"], -2 * (np.clip(np.round(X / scale) - 63, -128, 127) + 63) * scale, atol=1e-6
    )
