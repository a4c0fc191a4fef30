"""A command that is interrupted leaves no output, and keeps what the output was about to replace."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from support.optional import need
from support.waiting import FAR_SECONDS

_LOOP = "y = with t = x do..(9000000) math.mul(t, 0.5);"
_SLOW = f"""import math;
graph main {{
    @input {{ x: real[300, 300]; }}
    @output {{ y: real[300, 300]; }}
    @compose {{ {_LOOP} }}
}}
"""
_PRODUCTS = "".join(f"    t{at + 1} = matmul(t{at}, t{at});\n" for at in range(400))
_SLOW_NNEF = f"""version 1.0;
graph g(x) -> (y) {{
    x = external<scalar>(shape = [600, 600]);
    t0 = copy(x);
{_PRODUCTS}    y = copy(t400);
}}
"""
_SIGNALS = pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=lambda each: each.name)


def _interrupted(number: signal.Signals, command: str, written: str | None, before: bytes = b"") -> None:
    """Interrupt a command once it has written a file, or else while it runs; assert that it ends as interrupted."""
    process = subprocess.Popen([sys.executable, "-m", "snd_server", *command.split()], stderr=subprocess.PIPE)
    end = time.monotonic() + FAR_SECONDS
    if written is None:
        time.sleep(3)  # the moment does not matter, but the run should have begun
    else:
        while not (Path(written).exists() and Path(written).read_bytes() != before):
            assert process.poll() is None, process.stderr and process.stderr.read()
            assert time.monotonic() < end
            time.sleep(0.01)
    assert process.poll() is None, "the command should be slow"
    process.send_signal(number)
    _, errors = process.communicate(timeout=FAR_SECONDS)
    assert process.returncode == 130, errors


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "m.sknd").write_text(_SLOW)
    (tmp_path / "graph.nnef").write_text(_SLOW_NNEF)
    return tmp_path


@_SIGNALS
def test_a_verified_export_is_withdrawn(folder: Path, number: signal.Signals) -> None:
    need("onnx")
    need("onnxruntime")
    names = sorted(each.name for each in folder.iterdir())
    _interrupted(number, "export m.sknd -o m.onnx --verify", "m.onnx")
    assert sorted(each.name for each in folder.iterdir()) == names
    Path("m.onnx").write_bytes(b"old")
    _interrupted(number, "export m.sknd -o m.onnx --verify", "m.onnx", b"old")
    assert Path("m.onnx").read_bytes() == b"old"
    assert sorted(each.name for each in folder.iterdir()) == sorted([*names, "m.onnx"])


@_SIGNALS
def test_a_verified_conversion_is_withdrawn(folder: Path, number: signal.Signals) -> None:
    names = sorted(each.name for each in folder.iterdir())
    _interrupted(number, "convert graph.nnef -o new/model --verify", "new/model/main.sknd")
    assert sorted(each.name for each in folder.iterdir()) == names


@_SIGNALS
def test_a_run_writes_nothing(folder: Path, number: signal.Signals) -> None:
    names = sorted(each.name for each in folder.iterdir())
    _interrupted(number, "run m.sknd --output out --save-weights w.npz", None)
    assert sorted(each.name for each in folder.iterdir()) == names
