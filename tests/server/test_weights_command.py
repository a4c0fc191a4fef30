"""``snd weights``: the tensors of a file, with their ranges."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from snd_runtime.files import write_npy, write_npz, write_safetensors, write_tensor

ARRAYS = {
    "conv.weight": np.array([[1.0, -2.5], [np.nan, 4.0]], np.float32),
    "steps": np.array([3, 9], np.int64),
    "scale": np.array(0.5, np.float32),
}
PROGRAM = Path(__file__).parents[1] / "fixtures" / "torch" / "running_mean.pt2"


@pytest.mark.parametrize(("suffix", "write"), [("npz", write_npz), ("safetensors", write_safetensors)])
def test_all_tensors_are_listed(real: Any, tmp_path: Path, suffix: str, write: Any) -> None:
    path = tmp_path / f"w.{suffix}"
    path.write_bytes(write(ARRAYS))
    result = real("weights", str(path))
    assert result.status == 0
    lines = result.stdout.splitlines()
    assert lines[0].startswith("conv.weight  real[2,2]")
    assert "nan=1" in lines[0]
    assert "[-2.5, 4]" in lines[0]
    assert lines[1].startswith("steps        int[2]")
    assert lines[-1] == "3 tensors, 7 elements, 1 with NaN or infinities"


def test_json_has_the_same(real: Any, tmp_path: Path) -> None:
    path = tmp_path / "w.npz"
    path.write_bytes(write_npz(ARRAYS))
    first, second, _ = json.loads(real("weights", str(path), "--format", "json").stdout)
    assert (first["name"], first["shape"], first["min"], first["max"], first["nan"]) == (
        "conv.weight", [2, 2], -2.5, 4.0, 1,
    )  # fmt: skip
    assert (second["dtype"], second["min"], second["max"]) == ("int", 3, 9)


@pytest.mark.parametrize(("suffix", "write"), [("dat", write_tensor), ("npy", write_npy)])
def test_a_single_tensor_has_the_name_of_its_file(real: Any, tmp_path: Path, suffix: str, write: Any) -> None:
    path = tmp_path / f"filter.{suffix}"
    path.write_bytes(write(ARRAYS["conv.weight"]))
    assert real("weights", str(path)).stdout.startswith("filter  real[2,2]")


def test_programs_have_the_names_of_pytorch(real: Any) -> None:
    lines = real("weights", str(PROGRAM)).stdout.splitlines()
    assert [line.split()[0] for line in lines[:-1]] == ["linear.weight", "linear.bias", "mean", "window"]


def test_onnx_models_have_their_initializers(real: Any, tmp_path: Path) -> None:
    onnx = pytest.importorskip("onnx")
    text = "m (float[2] x) => (float[2] y) <float[2] w = {1, 2}> { y = Add(x, w) }"
    onnx.save(onnx.parser.parse_model(f'<ir_version: 9, opset_import: ["" : 20]> {text}'), tmp_path / "m.onnx")
    assert real("weights", str(tmp_path / "m.onnx")).stdout.startswith("w  real[2]")


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("w.txt", b"", "no file of weights by the ending"),
        ("w.npz", b"PK", "not an .npz file"),
        ("w.safetensors", b"", "ends within the header"),
        ("w.safetensors", b"\xff" * 16, "header"),
        ("w.pt2", b"PK\3\4", "no archive of torch.export.save"),
        ("w.dat", b"x" * 200, "not a tensor file"),
    ],
)
def test_broken_files_cost_a_message(real: Any, tmp_path: Path, name: str, content: bytes, message: str) -> None:
    (tmp_path / name).write_bytes(content)
    result = real("weights", str(tmp_path / name))
    assert result.status == 2
    assert message in result.stderr
