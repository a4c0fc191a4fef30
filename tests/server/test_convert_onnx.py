"""``snd convert MODEL.onnx``: real models against onnxruntime."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

onnx = pytest.importorskip("onnx")
pytest.importorskip("onnxruntime")

Run = Callable[..., Any]
LIGHT = Path(onnx.__file__).parent / "backend/test/data/light"
_FAST = {"light_squeezenet"}


@pytest.mark.parametrize(
    "path",
    [
        pytest.param(path, id=path.stem, marks=[] if path.stem in _FAST else pytest.mark.exhaustive)
        for path in sorted(LIGHT.glob("*.onnx"))
    ],
)
def test_light_models_give_what_onnxruntime_gives(path: Path, tmp_path: Path, real: Run):
    outcome = real("convert", str(path), "-o", str(tmp_path / "new"), "--verify")
    assert outcome.status == 0, outcome.stderr
    assert "1 output equal" in outcome.stdout
    assert real("check", str(tmp_path / "new")).status == 0
    assert real("fmt", "--check", str(tmp_path / "new")).status == 0


def test_what_is_no_model_is_refused(tmp_path: Path, real: Run):
    file = tmp_path / "x.onnx"
    file.write_bytes(b"\xff" * 40)
    outcome = real("convert", str(file), "-o", str(tmp_path / "new"))
    assert outcome.status == 2
    assert "this is no ONNX model" in outcome.stderr
