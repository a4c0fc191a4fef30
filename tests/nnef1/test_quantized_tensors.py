"""Tensors that ``graph.quant`` gives a quantized type in tract: values are those of tract, bit by bit."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import helper, numpy_helper

import snd
from snd_analysis.convert import NotConvertible, convert_nnef1
from snd_analysis.workspace import Workspace
from snd_runtime.files import write_tensor
from snd_server.running.weights import stored_weights
from snd_server.workspace_files.files import DiskReader
from support.nnef1.running import run_graph

if os.environ.get("CI"):
    import tract
else:
    tract = pytest.importorskip("tract", reason="tract has no wheel for this platform")

_X = np.array([[-10, -3.45, -0.025, 0.024, 0.0251, 0.075, 1.2349, 100]], np.float32)
_TIES = ((np.arange(-300, 300) + 0.5) * np.float32(0.05)).astype(np.float32)[None]


def _line(name: str, zero_point: int, scale: float, bits: int = 8, signed: bool = False) -> str:
    numbers = f"zero_point = {zero_point}, scale = {scale}, bits = {bits}, signed = {str(signed).lower()}"
    return f'"{name}": zero_point_linear_quantize({numbers}, symmetric = false);\n'


_U8, _I8, _I32 = _line("q", 69, 0.05), _line("q", -3, 0.05, signed=True), _line("q", 3, 0.05, 32, signed=True)
_OTHER = _line("r", 20, 0.1)
_REALS = "tract_core_cast({}, to = 'f32');"


def _model(folder: Path, statements: str, quantizations: str, count: int = 8, array: Any = None) -> Path:
    text = (
        "version 1.0;\nextension tract_registry tract_core;\ngraph net(x) -> (y)\n{\n"
        f"    x = tract_core_external(shape = [1, {count}], datum_type = 'f32');\n    {statements}\n}}\n"
    )
    (folder / "graph.nnef").write_text(text)
    (folder / "graph.quant").write_text(quantizations)
    if array is not None:
        (folder / "w.dat").write_bytes(write_tensor(array))
    return folder


def _by_tract(folder: Path, inputs: Sequence[Any]) -> Any:
    return tract.nnef().load(str(folder)).into_runnable().run([*inputs])[0].to_numpy()


def _by_snd(folder: Path, inputs: Mapping[str, Any]) -> Any:
    path = str(folder / "graph.nnef")
    snapshot = Workspace(DiskReader()).snapshot()
    assert not snapshot.diagnostics(str(folder / "graph.quant"))
    (found,) = run_graph(snapshot, path, inputs, stored_weights(snapshot, path, 1 << 30)).values()
    return found


@pytest.mark.parametrize("x", [_X, _TIES], ids=["x", "ties"])
@pytest.mark.parametrize(
    ("statements", "quantizations"),
    [
        ("q = tract_core_cast(x); y = " + _REALS.format("q"), _U8),
        ("q = tract_core_cast(x); y = " + _REALS.format("q"), _I8),
        ("q = tract_core_cast(x); y = " + _REALS.format("q"), _I32),
        ("q = tract_core_cast(x, to = 'u8'); y = " + _REALS.format("q"), _U8),
        ("q = tract_core_cast(x); y = tract_core_cast(q, to = 'i32');", _U8),
        ("q = tract_core_cast(x); y = tract_core_cast(q, to = 'u8');", _U8),
        ("q = tract_core_cast(x); r = copy(q); y = " + _REALS.format("r"), _I8 + _OTHER),
        ("q = tract_core_cast(x); r = tract_core_cast(q); y = " + _REALS.format("r"), _I8 + _OTHER),
        ("q = tract_core_cast(x); t = transpose(q, axes = [1, 0]); y = " + _REALS.format("t"), _U8),
        ("q = tract_core_cast(x); t = concat([q, q], axis = 0); y = " + _REALS.format("t"), _U8),
    ],
)
def test_casts(statements: str, quantizations: str, x: Any, tmp_path: Path):
    folder = _model(tmp_path, statements, quantizations, x.shape[1])
    np.testing.assert_array_equal(_by_snd(folder, {"x": x}), _by_tract(folder, [x]))


@pytest.mark.parametrize("use", ["tract_core_cast(q, to = 'f32') + x", "q + x"])
def test_variables_have_codes(use: str, tmp_path: Path):
    statements = f"q = variable<scalar>(label = 'w', shape = [1, 8]); y = {use};"
    folder = _model(tmp_path, statements, _line("q", 2, 0.5, signed=True), array=np.arange(8, dtype=np.int8)[None])
    np.testing.assert_array_equal(_by_snd(folder, {"x": _X}), _by_tract(folder, [_X]))


def test_a_cast_names_the_type_of_its_quantization(tmp_path: Path):
    folder = _model(tmp_path, "q = tract_core_cast(x, to = 'i8'); y = tract_core_cast(q, to = 'f32');", _U8)
    found = Workspace(DiskReader()).snapshot().diagnostics(str(folder / "graph.nnef"))
    assert [each.message for each in found] == ["graph.quant gives this tensor items of 'u8', but here they are 'i8'"]
    with pytest.raises(tract.TractError):
        tract.nnef().load(str(folder))


def test_tract_mixes_no_quantized_results_and_scalars(tmp_path: Path):
    folder = _model(tmp_path, "q = tract_core_cast(x); y = q + x;", _U8)
    found = Workspace(DiskReader()).snapshot().diagnostics(str(folder / "graph.nnef"))
    assert [each.message for each in found] == [
        "tract has no common type for this quantized tensor and scalars (in 'add')"
    ]
    with pytest.raises(tract.TractError):
        tract.nnef().load(str(folder))


@pytest.mark.parametrize("use", ["max_reduce(q, axes = [1])", "copy(q)", "relu(q)"])
def test_other_operations_have_shapes_and_no_values(use: str, tmp_path: Path):
    """Tract rounds a change between two types of one sign in its own way, too."""
    folder = _model(tmp_path, f"q = tract_core_cast(x); r = {use}; y = {_REALS.format('r')}", _U8 + _OTHER)
    with pytest.raises(AssertionError, match="snd knows the shape of this operation only, not its values"):
        _by_snd(folder, {"x": _X})
    with pytest.raises(NotConvertible, match="snd knows only the shape of 'r': it computes with quantized tensors"):
        convert_nnef1(Workspace(DiskReader()).snapshot(), str(folder / "graph.nnef"), "graph.nnef")


# ---- as tract writes convolutions of ONNX ----------------------------------------------------------------------------
_WEIGHTS = np.random.default_rng(0).integers(0, 255, (3, 2, 2, 2)).astype(np.uint8)
_OPERATIONS: Mapping[str, tuple[Sequence[str], Mapping[str, Any], int]] = {
    "ConvInteger": (
        ("x", "w", "xz", "wz"),
        {"w": _WEIGHTS, "xz": np.array(12, np.uint8), "wz": np.array(7, np.uint8)},
        onnx.TensorProto.INT32,
    ),
    "QLinearConv": (
        ("x", "xs", "xz", "w", "ws", "wz", "ys", "yz"),
        {
            "w": _WEIGHTS,
            **{name: np.array(scale, np.float32) for name, scale in (("xs", 0.02), ("ws", 0.03), ("ys", 0.5))},
            **{name: np.array(point, np.uint8) for name, point in (("xz", 12), ("wz", 7), ("yz", 100))},
        },
        onnx.TensorProto.UINT8,
    ),
}


def _dump(operation: str, folder: Path) -> Path:
    inputs, constants, type_ = _OPERATIONS[operation]
    graph = helper.make_graph(
        [helper.make_node(operation, inputs, ["y"])],
        "g",
        [helper.make_tensor_value_info("x", onnx.TensorProto.UINT8, [1, 2, 5, 5])],
        [helper.make_tensor_value_info("y", type_, None)],
        [numpy_helper.from_array(array, name) for name, array in constants.items()],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)
    onnx.save(model, str(folder / "model.onnx"))
    tract.nnef().write_model_to_dir(tract.onnx().load(str(folder / "model.onnx")).into_model(), str(folder / "dump"))
    return folder / "dump"


@pytest.mark.parametrize("operation", _OPERATIONS)
def test_dumps_of_convolutions(operation: str, tmp_path: Path):
    folder = _dump(operation, tmp_path)
    x = np.random.default_rng(1).integers(0, 255, (1, 2, 5, 5)).astype(np.uint8)
    np.testing.assert_array_equal(_by_snd(folder, {"x": x}), _by_tract(folder, [x]))


def test_they_are_converted(tmp_path: Path):
    snapshot = Workspace(DiskReader()).snapshot()
    text = convert_nnef1(snapshot, str(_dump("QLinearConv", tmp_path) / "graph.nnef"), "graph.nnef").text
    reader = DiskReader()
    reader.provide("/c/main.sknd", text.encode())
    assert not Workspace(reader).snapshot().diagnostics("/c/main.sknd"), text


# ---- convolutions, as torch_to_nnef writes them ----------------------------------------------------------------------
_CONV = """version 1.0;
extension tract_registry tract_core;
graph g(x) -> (y)
{{
    x = tract_core_external(shape = [2, 4, 9], datum_type = 'f32');
    q = tract_core_cast(x);
    w = variable<scalar>(label = 'w', shape = {shape});
    b = variable<scalar>(label = 'b', shape = [4]);
    c = conv(q, w, {bias}, dilation = [1], stride = [{stride}], border = 'constant', groups = {groups},
        padding = [{padding}]);
    y = tract_core_cast(c, to = 'f32');
}}
"""


def _write_conv(folder: Path, chance: Any, bias: str, bias_scale: float | None = None) -> Any:
    """Write a model with random codes, types and attributes; return an input."""
    signed, groups = [bool(each) for each in chance.integers(0, 2, 3)], int(chance.integers(1, 3))
    scales = [float(np.float32(chance.uniform(*each))) for each in ((0.01, 0.1), (0.005, 0.02), (0.05, 0.5))]
    lows, dtypes = [-50 if each else 80 for each in signed], [np.int8 if each else np.uint8 for each in signed]
    weights = chance.integers(-128, 128, (4, 4 // groups, 3)) + (0 if signed[1] else 128)
    (folder / "w.dat").write_bytes(write_tensor(weights.astype(dtypes[1])))
    (folder / "b.dat").write_bytes(write_tensor(chance.integers(-3000, 3000, 4).astype(np.int32)))
    stride, padding = int(chance.integers(1, 3)), (int(chance.integers(0, 3)), int(chance.integers(0, 3)))
    shape = [*weights.shape]
    text = _CONV.format(shape=shape, bias=bias, stride=stride, groups=groups, padding=padding)
    (folder / "graph.nnef").write_text(text)
    lines = [
        _line(name, int(chance.integers(low, low + 80)), scale, 8, is_signed)
        for name, low, scale, is_signed in zip("qwc", lows, scales, signed, strict=True)
    ]
    lines.append(_line("b", 0, bias_scale or scales[0] * scales[1], 32, signed=True))
    (folder / "graph.quant").write_text("".join(lines))
    return chance.standard_normal((2, 4, 9)).astype(np.float32) * 3


@pytest.mark.parametrize("bias", ["b", "0.0"])
@pytest.mark.parametrize("seed", range(4))
def test_convolutions_of_quantized_tensors_are_those_of_tract(tmp_path: Path, seed: int, bias: str):
    x = _write_conv(tmp_path, np.random.default_rng(seed), bias)
    expected = tract.nnef().load(str(tmp_path)).into_runnable().run([x])[0].to_numpy()
    np.testing.assert_array_equal(np.asarray(snd.load(tmp_path).run(x=x)["y"]), expected)
    snd.convert(tmp_path, tmp_path / "converted")
    np.testing.assert_array_equal(np.asarray(snd.load(tmp_path / "converted").run(x=x)["y"]), expected)


def test_a_bias_of_another_scale_leaves_a_shape_only(tmp_path: Path):
    x = _write_conv(tmp_path, np.random.default_rng(0), "b", bias_scale=0.5)
    with pytest.raises(snd.ModelError, match="snd knows the shape of this operation only"):
        snd.load(tmp_path).run(x=x)
