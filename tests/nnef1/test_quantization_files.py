"""Tensors are quantized as ``graph.quant`` says, where that is asked for."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from snd_analysis.base import OperatorName
from snd_analysis.convert import convert_nnef1
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


FRAGMENTS = """version 1.0;
extension KHR_enable_fragment_definitions;
extension KHR_enable_operator_expressions;
fragment step_quantize(x: tensor<scalar>, step: scalar, bits: integer = 8) -> (y: tensor<scalar>)
{
    y = floor(x / step + 0.5) * step;
}
fragment scaled_quantize(x: tensor<scalar>, scale: scalar) -> (y: tensor<scalar>)
{
    y = scale + 'a';
}
graph net(x) -> (y)
{
    x = external(shape = [2, 3]);
    a = mul(x, 2.0);
    y = neg(a);
}
"""


@pytest.mark.parametrize(
    ("call", "found"),
    [
        ("step_quantize(step = 0.5, bits = 4)", []),
        ("step_quantize(step = 0.5)", []),
        ("step_quantize(step = 1)", ["type-mismatch"]),
        ("step_quantize(stp = 0.5)", ["unknown-attribute"]),
        ("step_quantize(bits = 4)", ["missing-argument"]),
        ("step_quantize(0.5)", ["quantization-with-arguments"]),
        ("step_quantize(step = 0.5, step = 0.25)", ["duplicate-attribute"]),
        ("step_quantize(x = 1.0, step = 0.5)", ["duplicate-attribute"]),
        ("scaled_quantize(scale = 0.5)", ["operand-type"]),
    ],
)
def test_fragments_take_the_tensor_and_what_a_line_gives(call: str, found: list[str]):
    snapshot = snapshot_of({"graph.nnef": FRAGMENTS, "graph.quant": f'"a": {call};'})
    assert [each.rule.name for each in snapshot.diagnostics("graph.quant")] == found


def test_fragments_are_applied():
    quantized = _run('"a": step_quantize(step = 0.75);\n"x": step_quantize(step = 2.0, bits = 4);', FRAGMENTS)
    x = np.floor(X / 2 + 0.5) * 2
    np.testing.assert_allclose(quantized["y"], -np.floor(2 * x / 0.75 + 0.5) * 0.75, rtol=1e-6)
    np.testing.assert_allclose(_run('"a": step_quantize(step = 0.75);', FRAGMENTS, quantize=False)["y"], -2 * X)


def test_fragments_that_invoke_fragments_are_applied_where_extents_are_symbols():
    graph = """version 1.0;
extension KHR_enable_fragment_definitions;
fragment doubled<?>(x: tensor<?>) -> (y: tensor<?>) { y = add(x, x); }
fragment moved(x: tensor<scalar>, by: scalar) -> (y: tensor<scalar>) { z = doubled(x); y = add(z, by); }
graph net(x) -> (y)
{
    x = external(shape = [2, 3]);
    w = variable(shape = [2, 1], label = 'w');
    y = mul(x, w);
}
"""
    snapshot = snapshot_of({"graph.nnef": graph, "graph.quant": '"w": moved(by = 0.5); "y": moved(by = -1.0);'})
    weights = {"w": np.array([[1.0], [2.0]])}
    name = OperatorName("graph.nnef", "net")
    request = EvaluationRequest(name, inputs={"x": X}, weights=weights, keep=True, quantize=True)
    answer = evaluate(snapshot, request, lambda note: None)
    assert not answer.failures
    expected = 2 * (X * (2 * weights["w"] + 0.5)) - 1
    np.testing.assert_allclose((answer.arrays or {})["y"], expected, rtol=1e-6)


def test_fragments_become_operators_in_a_converted_model():
    lines = '"a": step_quantize(step = 0.5);\n"x": step_quantize(step = 2.0);'
    snapshot = snapshot_of({"graph.nnef": FRAGMENTS, "graph.quant": lines})
    text = convert_nnef1(snapshot, "graph.nnef", "m/graph.nnef").text
    assert "a: step_quantize;" in text
    assert "x: step_quantize_2;" in text
    converted = snapshot_of({"main.sknd": text})
    assert converted.diagnostics("main.sknd") == ()
    request = EvaluationRequest(OperatorName("main.sknd", "net"), inputs={"x": X}, weights={}, keep=True, quantize=True)
    answer = evaluate(converted, request, lambda note: None)
    np.testing.assert_allclose((answer.arrays or {})["y"], _run(lines, FRAGMENTS)["y"], rtol=1e-6)


def test_a_converted_model_tells_of_a_quantization_that_it_lacks():
    graph = FRAGMENTS.replace("y = floor(x / step + 0.5) * step;", "y = sum_reduce(x, axes = [0]) * step;")
    snapshot = snapshot_of({"graph.nnef": graph, "graph.quant": '"a": step_quantize(step = 0.5);'})
    text = convert_nnef1(snapshot, "graph.nnef", "m/graph.nnef").text
    assert "# Left out: 'a' is quantized by the fragment 'step_quantize'." in text
