"""Results replace no input of their command and no file of another kind, whatever path the user names."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

_MODEL = """graph main {
    @input { x: real[2]; }
    @variable { w: real[2]; }
    @output { x2: real[2]; }
    @compose { x2 = id(w); }
}
operator id { @input { a: real[n]; } @output { b: real[n]; } @lower { b[i,] = a[i,], i < n; } }
"""
_SOURCE = "it is the text of a model, and is not replaced by a result"
_INPUT = "this command has read it as an input, and does not replace it by a result"
_KIND = "it is a file of another kind"


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, bytes]:
    monkeypatch.chdir(tmp_path)
    Path("m.sknd").write_text(_MODEL)
    Path("snd.toml").write_text("line-width = 100\n")
    Path("other.onnx").write_bytes(b"another model")
    for name in ("w.npz", "other.npz"):
        np.savez(name, w=np.ones(2, np.float32))
    np.save("x2.npy", np.ones(2, np.float32))
    return {path.name: path.read_bytes() for path in Path().iterdir()}


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("graph m.sknd -o m.sknd --format svg", _SOURCE),
        ("check m.sknd --output-file m.sknd", _SOURCE),
        ("export m.sknd -o m.sknd", _SOURCE),
        ("run m.sknd --weights w.npz --write-map m.sknd", "the name of a map ends in .toml"),
        ("run m.sknd --weights w.npz --write-map w.npz", "the name of a map ends in .toml"),
        ("run m.sknd --weights w.npz --write-map snd.toml", "this file exists and is no map, and is not replaced"),
        ("run m.sknd --weights w.npz --save-weights w.npz", _INPUT),
        ("run m.sknd --weights w.npz --save-weights ./w.npz", _INPUT),
        ("run m.sknd --weights w.npz --input x=@x2.npy --output .", _INPUT),
        ("graph m.sknd -o w.npz --format svg", _KIND),
        ("graph m.sknd -o snd.toml --format svg", _KIND),
        ("check m.sknd --output-file other.npz", _KIND),
        ("test m.sknd --output-file snd.toml", _KIND),
        ("export m.sknd -o other.npz", _KIND),
        ("export m.sknd --weights w.npz -o w.npz", _KIND),
        ("graph m.sknd -o other.onnx --format svg", _KIND),
        ("run m.sknd --output -", "--output names a folder; - is standard output"),
        ("run m.sknd --state -", "--state names a file that is read, too; - is standard output"),
        ("convert m.sknd -o -", "--output names a folder; - is standard output"),
    ],
)
def test_no_result_replaces_it(real: Any, files: dict[str, bytes], command: str, message: str) -> None:
    if command.startswith("export"):
        pytest.importorskip("onnx", reason="exports need the extra snd[onnx]")
    outcome = real(*command.split())
    assert outcome.status == 2, outcome
    assert message in outcome.stderr
    assert {path.name: path.read_bytes() for path in Path().iterdir() if path.is_file()} == files


def test_results_replace_files_of_their_kind(real: Any, files: dict[str, bytes]) -> None:
    assert real("run", "m.sknd", "--weights", "w.npz", "--save-weights", "other.npz", "--output", ".").status == 0
    assert Path("other.npz").read_bytes() != files["other.npz"]
    for _ in range(2):
        assert real("run", "m.sknd", "--weights", "w.npz", "--write-map", "map.toml").status == 0
        assert real("graph", "m.sknd", "-o", "m.svg").status == 0


@pytest.mark.parametrize(
    ("command", "start"),
    [
        ("check m.sknd --output-file -", b"1 file is clean"),
        ("run m.sknd --weights w.npz --write-map -", b"# Proposed by name and shape"),
        ("export m.sknd --weights w.npz -o -", b"\x08"),
        ("graph m.sknd -o - --format json", b"{"),
    ],
)
def test_a_hyphen_is_standard_output(files: dict[str, bytes], command: str, start: bytes) -> None:
    if command.startswith("export"):
        pytest.importorskip("onnx", reason="exports need the extra snd[onnx]")
    found = subprocess.run([sys.executable, "-m", "snd_server", *command.split()], capture_output=True, check=True)
    assert found.stdout.startswith(start)
    assert not Path("-").exists()
