"""Ints of ONNX have a type that holds them: a converted model wraps where onnxruntime does, and nowhere else."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("onnx", reason="the development package onnx is not installed")
pytest.importorskip("onnxruntime", reason="the development package onnxruntime is not installed")

import onnx
import onnxruntime
from onnx import helper

from support.onnx_models.onnx_cases import evaluate

TYPES = (np.int8, np.uint8, np.int16, np.uint16, np.int32, np.uint32)


def _code(dtype: type) -> int:
    return int(helper.np_dtype_to_tensor_dtype(np.dtype(dtype)))


def _model(nodes: list[Any], inputs: dict[str, Any], result: type, shape: list[int] | None = None) -> Any:
    def declared(name: str, dtype: Any, shape: Any) -> Any:
        return helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(np.dtype(dtype)), shape)

    given = [declared(name, array.dtype, array.shape) for name, array in inputs.items()]
    graph = helper.make_graph(nodes, "g", given, [declared("y", result, shape)])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


def _same(model: Any, inputs: dict[str, Any]) -> bool:
    """Return whether onnxruntime has the node for this type; both compute the same then."""
    try:
        session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    except Exception:  # the class of onnxruntime is not public
        return False
    (expected,) = session.run(None, inputs)
    (found,), _ = evaluate(model, [*inputs.values()], np.dtype(np.float32))
    np.testing.assert_array_equal(found, expected)
    return True


def test_sums_and_products_wrap():
    compared = 0
    for dtype in TYPES:
        least, most = np.iinfo(dtype).min, np.iinfo(dtype).max
        a, b = np.array([most, least, most // 2, 1], dtype), np.array([1, least + 1, 3, 2], dtype)
        for kind in ("Add", "Sub", "Mul", "Sum"):
            two = {"a": a, "b": b}
            compared += _same(_model([helper.make_node(kind, ["a", "b"], ["y"])], two, dtype), two)
        products = ("ReduceProd", "ReduceSumSquare") if np.dtype(dtype).itemsize < 4 else ()  # else beyond 64 bits
        for kind in ("Neg", "Abs", "ReduceSum", *products):
            compared += _same(_model([helper.make_node(kind, ["a"], ["y"])], {"a": a}, dtype), {"a": a})
    assert compared > 20


@pytest.mark.parametrize("wanted", TYPES)
def test_casts_wrap(wanted: type):
    wide = np.array([2**32 + 1, -1, 2**31, 300, 70_000, -200], np.int64)
    assert _same(_model([helper.make_node("Cast", ["a"], ["y"], to=_code(wanted))], {"a": wide}, wanted), {"a": wide})
    if np.dtype(wanted).itemsize < 4:
        reals = np.array([300.5, -1.0, -1.5, 256.0, 40_000.25], np.float32)
        nodes = [
            helper.make_node("Cast", ["a"], ["c"], to=_code(wanted)),
            helper.make_node("Cast", ["c"], ["y"], to=onnx.TensorProto.FLOAT),
        ]
        assert _same(_model(nodes, {"a": reals}, np.float32), {"a": reals})


def test_the_result_is_the_same_in_the_files(tmp_path: Path, real: Any):
    """``snd convert --verify`` has nothing to report, and the model that it writes wraps."""
    a = np.zeros(3, np.int32)
    onnx.save(_model([helper.make_node("Add", ["a", "a"], ["y"])], {"a": a}, np.int32, [3]), tmp_path / "m.onnx")
    outcome = real("convert", str(tmp_path / "m.onnx"), "-o", str(tmp_path / "new"), "--verify")
    assert (outcome.status, outcome.stderr) == (0, "")
    outcome = real("run", str(tmp_path / "new"), "--input", "a=[2147483647,1,-2147483648]")
    assert "[-2, 2, 0]" in outcome.stdout


def test_extents_and_64_bits_are_left_as_they_are():
    """Shapes are computed with ints, too, and must stay expressions of the extents."""
    x = np.zeros((2, 3), np.float32)
    nodes = [
        helper.make_node("Shape", ["x"], ["s"]),
        helper.make_node("Cast", ["s"], ["i"], to=onnx.TensorProto.INT32),
        helper.make_node("Add", ["i", "i"], ["j"]),
        helper.make_node("Cast", ["j"], ["k"], to=onnx.TensorProto.INT64),
        helper.make_node("Expand", ["e", "k"], ["y"]),
    ]
    e = np.ones((1, 1), np.float32)
    model = _model(nodes, {"x": x, "e": e}, np.float32)
    _, converted = evaluate(model, [x, e], np.dtype(np.float32))
    assert "onnx.wrap" not in converted.text
    a = np.zeros(3, np.int64)
    _, converted = evaluate(
        _model([helper.make_node("Add", ["a", "a"], ["y"])], {"a": a}, np.int64), [a], np.dtype("f4")
    )
    assert "onnx.wrap" not in converted.text


@pytest.mark.parametrize(
    ("kind", "dtype", "shapes", "operator"),
    [
        ("MatMul", np.int32, ((2, 2), (2, 2)), "linalg.matmul"),
        ("ArgMax", np.int64, ((2, 3),), "math.argmax"),
        ("ReduceMean", np.int64, ((2, 3),), "math.mean_reduce"),
        ("MatMul", np.float32, ((2, 2), (2, 2)), None),
        ("Add", np.int64, ((2, 2), (2, 2)), None),
        ("ReduceSum", np.int64, ((2, 2),), None),
    ],
)
def test_operators_that_round_ints_are_named(
    tmp_path: Path, real: Any, kind: str, dtype: type, shapes: tuple[tuple[int, ...], ...], operator: str | None
):
    """Some operators take reals only, which hold ints up to 2 to the power of 24 exactly."""
    inputs = {f"x{at}": np.zeros(shape, dtype) for at, shape in enumerate(shapes)}
    result = np.int64 if kind == "ArgMax" else dtype
    onnx.save(_model([helper.make_node(kind, [*inputs], ["y"])], inputs, result), str(tmp_path / "m.onnx"))
    outcome = real("convert", str(tmp_path / "m.onnx"), "-o", str(tmp_path / "out"))
    assert outcome.status == 0
    note = f"note: snd computes {operator} of ints with reals: results beyond 16,777,216 are rounded"
    assert (note in outcome.stdout + outcome.stderr) == (operator is not None)
    assert operator is not None or "of ints with reals" not in outcome.stdout
