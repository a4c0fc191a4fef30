"""From ONNX to SkriptND and back: both files compute the same in onnxruntime, and so does snd, with compiled loops."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import snd
from snd_runtime.lowering.compiled import kernels
from support.server.processes import ROOT

onnx = pytest.importorskip("onnx", reason="the development package onnx is not installed")
onnxruntime = pytest.importorskip("onnxruntime", reason="the development package onnxruntime is not installed")

LIGHT = Path(onnx.__file__).parent / "backend/test/data/light"
EXAMPLES = [
    "lenet", "alexnet", "vgg16", "resnet50", "mobilenet_v2", "unet", "transformer", "lstm", "detection"
]  # fmt: skip
_FAST = {"light_squeezenet"}


@pytest.fixture(autouse=True)
def _compiled_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernels, "WORTH_COMPILING", 0)


def _cases(names: list[str]) -> list[Any]:
    return [pytest.param(each, marks=[] if each in _FAST else pytest.mark.exhaustive) for each in names]


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", [path.stem for path in sorted(LIGHT.glob("*.onnx"))])
def test_light_models(name: str, project: Path, real):
    onnx.save(_with_weights(LIGHT / f"{name}.onnx"), "source.onnx")
    _same_after_the_trip(Path("source.onnx"), real)


@pytest.mark.parametrize("name", _cases([path.stem for path in sorted(LIGHT.glob("*.onnx"))]))
def test_light_models_with_their_own_weights(name: str, project: Path, real):
    """All weights are alike, so that rounding decides the softmax of one model; others have constants of 400 MB."""
    converted = real("convert", str(LIGHT / f"{name}.onnx"), "-o", "model", "-q", "--memory", "8192")
    assert (converted.status, converted.stderr) == (0, "")
    exported = real("export", "model", "-o", "back.onnx", "--verify", "--memory", "8192")
    assert (exported.status, exported.stderr) == (0, "")


@pytest.mark.parametrize("name", _cases(EXAMPLES))
def test_examples(name: str, project: Path, real):
    outcome = real("export", str(ROOT / "examples" / name), "-o", "source.onnx")
    assert outcome.status == 0, outcome.stderr
    _same_after_the_trip(Path("source.onnx"), real)


def _with_weights(path: Path) -> Any:
    """A light model with random weights: all of its own are alike, so that rounding decides its outputs."""
    model, chance = onnx.load(path), np.random.default_rng(11)
    variances = {node.input[4] for node in model.graph.node if node.op_type == "BatchNormalization"}
    shapes = {each.name: onnx.numpy_helper.to_array(each) for each in model.graph.initializer}
    kept = []
    for node in model.graph.node:
        if node.op_type != "ConstantOfShape" or node.input[0] not in shapes:
            kept.append(node)
            continue
        shape = tuple(shapes[node.input[0]].tolist())
        fan_in = max(int(np.prod(shape[1:])), 1) if len(shape) > 1 else 100
        array = chance.standard_normal(shape) / np.sqrt(fan_in)
        if node.output[0] in variances:
            array = chance.uniform(0.5, 1.5, shape)
        model.graph.initializer.append(onnx.numpy_helper.from_array(array.astype(np.float32), node.output[0]))
    del model.graph.node[:]
    model.graph.node.extend(kept)
    return model


def _same_after_the_trip(source: Path, real: Any) -> None:
    converted = real("convert", str(source), "-o", "model", "-q")
    assert converted.status == 0, converted.stderr
    exported = real("export", "model", "-o", "back.onnx", "-q")
    assert exported.status == 0, exported.stderr
    before, after = _session(source), _session(Path("back.onnx"))
    chance = np.random.default_rng(3)
    values = [_value(each, chance) for each in before.get_inputs()]
    first = before.run(None, {each.name: value for each, value in zip(before.get_inputs(), values, strict=True)})
    second = after.run(
        None,
        {
            each.name: value.astype(np.int64) if value.dtype.kind == "i" else value
            for each, value in zip(after.get_inputs(), values, strict=True)
        },
    )
    _assert_same(first, second)
    model = snd.load("model")
    given = dict(zip(model.inputs, values, strict=True))
    for _ in range(2):  # repeated runs are compiled
        _assert_same(first, [*model.run(**given).values()])


def _assert_same(first: Sequence[Any], second: Sequence[Any]) -> None:
    for one, other in zip(first, second, strict=True):
        assert one.shape == other.shape
        scale = float(np.abs(one).max(initial=1e-6)) if one.dtype.kind == "f" else 1.0
        np.testing.assert_allclose(other, one, rtol=1e-3, atol=1e-4 * scale)


def _session(path: Path) -> Any:
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])


def _value(node: Any, chance: np.random.Generator) -> np.ndarray:
    shape = [extent if isinstance(extent, int) else 2 for extent in node.shape]
    if "float" in node.type:
        return chance.standard_normal(shape).astype(np.float32)
    return chance.integers(0, 2, shape).astype(bool if "bool" in node.type else np.int64)
