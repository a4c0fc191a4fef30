"""Results never replace the text of a model, whatever path the user names."""

from __future__ import annotations

import numpy as np
import pytest

_MODEL = "graph main {\n    @input { x: real[2]; }\n    @output { y: real[2]; }\n    @compose { y = x; }\n}\n"


@pytest.mark.parametrize(
    "command",
    [
        ("graph", "m.sknd", "-o", "m.sknd", "--format", "svg"),
        ("check", "m.sknd", "--output-file", "m.sknd"),
        ("run", "m.sknd", "--weights", "w.npz", "--no-strict", "--write-map", "m.sknd"),
        ("export", "m.sknd", "-o", "m.sknd"),
    ],
    ids=lambda command: command[0],
)
def test_the_text_of_a_model_is_not_replaced(real, tmp_path, monkeypatch, command):
    monkeypatch.chdir(tmp_path)
    if command[0] == "export":
        pytest.importorskip("onnx", reason="exports need the extra snd[onnx]")
    (tmp_path / "m.sknd").write_text(_MODEL)
    np.savez(tmp_path / "w.npz", other=np.zeros(2))
    outcome = real(*command)
    assert outcome.status == 2, outcome
    assert "it is the text of a model, and is not replaced by a result" in outcome.stderr
    assert (tmp_path / "m.sknd").read_text() == _MODEL
