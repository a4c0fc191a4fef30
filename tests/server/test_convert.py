"""``snd convert``: models of other formats as SkriptND models on disk."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from msgspec.structs import replace

from snd_analysis.convert import Converted, convert_nnef1
from snd_runtime.files import read_tensor, write_tensor
from snd_server.exchange import conversion, verification

pytestmark = pytest.mark.usefixtures("evaluated_here")

Run = Callable[..., Any]

GRAPH = """version 1.0;

graph net(x) -> (y)
{
    x = external(shape = [1, 2, 6]);
    filter = variable(shape = [3, 2, 3], label = 'conv/filter');
    bias = variable(shape = [1, 3], label = 'conv/bias');
    z = conv(x, filter, bias);
    y = relu(z);
}
"""


@pytest.fixture
def model(tmp_path: Path) -> Path:
    chance = np.random.default_rng(0)
    folder = tmp_path / "model"
    (folder / "conv").mkdir(parents=True)
    (folder / "graph.nnef").write_text(GRAPH)
    for name, shape in (("filter", (3, 2, 3)), ("bias", (1, 3))):
        (folder / f"conv/{name}.dat").write_bytes(write_tensor(chance.standard_normal(shape, np.float32)))
    return folder


def test_a_model_is_converted_and_runs_without_options(model: Path, tmp_path: Path, real: Run):
    out = tmp_path / "new"
    outcome = real("convert", str(model), "-o", str(out), "--verify")
    assert outcome.status == 0, outcome.stderr
    assert "2 statements (2 of the standard library), 2 variables" in outcome.stdout
    assert "1 output equal" in outcome.stdout
    assert real("check", str(out)).status == 0
    assert real("fmt", "--check", str(out)).status == 0
    assert read_tensor((out / "weights/filter.dat").read_bytes()).shape == (3, 2, 3)
    assert read_tensor((out / "weights/bias.dat").read_bytes()).shape == (3,)
    for folder in (model, out):
        assert real("run", str(folder), "--input", "x=iota[1,2,6]", "--output", str(folder / "o")).status == 0
    np.testing.assert_allclose(np.load(model / "o/y.npy"), np.load(out / "o/y.npy"), rtol=1e-5)


@pytest.mark.parametrize("form", ["dat", "npz", "safetensors"])
def test_weights_are_written_in_every_form_and_found(model: Path, tmp_path: Path, real: Run, form: str):
    out = tmp_path / "new"
    assert real("convert", str(model), "-o", str(out), "--weights", form, "--verify").status == 0
    assert sorted(each.name for each in out.iterdir()) == [
        "main.sknd",
        "weights" if form == "dat" else f"weights.{form}",
    ]
    assert "drawn at random" not in real("run", str(out)).stdout


def test_folders_are_not_overwritten_without_force(model: Path, tmp_path: Path, real: Run):
    out = tmp_path / "new"
    out.mkdir()
    (out / "main.sknd").write_text("# mine\n")
    assert real("convert", str(model), "-o", str(out)).status == 2
    assert (out / "main.sknd").read_text() == "# mine\n"
    assert real("convert", str(model), "-o", str(out), "--force").status == 0
    assert "nn.conv" in (out / "main.sknd").read_text()
    assert real("convert", str(model), "-o", str(out / "main.sknd"), "--force").status == 2


def test_models_with_mistakes_are_not_converted(model: Path, tmp_path: Path, real: Run):
    (model / "graph.nnef").write_text(GRAPH.replace("[3, 2, 3]", "[3, 1, 3]"))
    outcome = real("convert", str(model), "-o", str(tmp_path / "new"))
    assert outcome.status == 1
    assert "error[" in outcome.stdout
    assert not (tmp_path / "new").exists()
    assert real("convert", str(tmp_path), "-o", str(tmp_path / "new")).status == 2


def test_variables_without_files_are_told_and_drawn_alike(model: Path, tmp_path: Path, real: Run):
    (model / "conv/bias.dat").unlink()
    (model / "conv/filter.dat").unlink()
    outcome = real("convert", str(model), "-o", str(tmp_path / "new"), "--verify")
    assert outcome.status == 0, outcome.stderr
    assert "warning: 'filter', and 1 more: there is no tensor file" in outcome.stderr
    assert "1 output equal" in outcome.stdout


def test_a_difference_is_told_with_the_first_tensor(model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    def other(*arguments: Any) -> Converted:
        found = convert_nnef1(*arguments)
        return replace(
            found, text=found.text.replace("nn.conv{", "nn.conv{dilation=2, ").replace("padding=1", "padding=2")
        )

    monkeypatch.setattr(conversion, "convert_nnef1", other)
    said: list[str] = []
    monkeypatch.setattr(verification, "say", lambda message, err=False: said.append(message))
    request = conversion.ConvertRequest(str(model / "graph.nnef"), str(tmp_path / "new"), verify=True)
    assert conversion.run_convert(request) == 1
    assert "'y' differs" in said[0]
    assert "the first tensor that differs is 'z'" in said[0]


def test_verification_tries_integers_that_can_be_divided_by(tmp_path: Path, real: Run):
    (tmp_path / "model").mkdir()
    (tmp_path / "model/graph.nnef").write_text(
        """version 1.0;
extension tract_registry tract_core;
graph net(x, z) -> (y)
{
    x = tract_core_external(shape = [4, 4], datum_type = 'i64');
    z = tract_core_external(shape = [4, 4], datum_type = 'i64');
    y = div(x, z);
}
"""
    )
    outcome = real("convert", str(tmp_path / "model"), "-o", str(tmp_path / "new"), "--verify")
    assert outcome.status == 0, outcome.stderr
    assert "1 output equal" in outcome.stdout


def test_weights_are_found_where_the_configuration_says(model: Path, tmp_path: Path, real: Run):
    out = tmp_path / "new"
    assert real("convert", str(model), "-o", str(out)).status == 0
    (out / "weights").rename(out / "trained")
    assert "drawn at random" in real("run", str(out)).stdout
    (out / "snd.toml").write_text('weights = "trained"\n')
    assert "drawn at random" not in real("run", str(out)).stdout
    (out / "snd.toml").write_text('weights = "lost"\n')
    assert real("run", str(out)).status == 2
