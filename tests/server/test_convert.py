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
from snd_server.exchange import conversion, conversion_request, nnef1_conversion, verification

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
    assert "warning: 'filter', and 1 more: its tensor file is missing" in outcome.stderr
    assert "1 output equal" in outcome.stdout


def test_a_difference_is_told_with_the_first_tensor(model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    def other(*arguments: Any) -> Converted:
        found = convert_nnef1(*arguments)
        return replace(
            found, text=found.text.replace("nn.conv{", "nn.conv{dilation=2, ").replace("padding=1", "padding=2")
        )

    monkeypatch.setattr(nnef1_conversion, "convert_nnef1", other)
    said: list[str] = []
    monkeypatch.setattr(verification, "say", lambda message, err=False: said.append(message))
    request = conversion_request.ConvertRequest(str(model / "graph.nnef"), str(tmp_path / "new"), verify=True)
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


# ---- weights from another place --------------------------------------------------------------------------------------
def test_a_map_is_proposed_and_followed(model: Path, tmp_path: Path, real: Run):
    """A newer checkpoint of the model names its weights as PyTorch does."""
    chance = np.random.default_rng(1)
    weights = {"net.conv1.weight": chance.standard_normal((3, 2, 3)), "net.conv1.bias": chance.standard_normal(3)}
    place, map_, out = (str(tmp_path / each) for each in ("torch.npz", "map.toml", "new"))
    np.savez(place, **{name: array.astype(np.float32) for name, array in weights.items()})
    outcome = real("convert", str(model), "-o", out, "--weights-from", place)
    assert outcome.status == 2
    message = "2 variables have no weight (bias, filter), and 2 weights have no variable of that name"
    assert message in outcome.stderr
    assert not Path(out).exists()
    outcome = real("convert", str(model), "--weights-from", place, "--write-map", map_)
    assert (outcome.status, outcome.stderr) == (0, "")
    assert outcome.stdout.startswith(f"{map_}: 2 rules; every variable has a weight. Compare each rule, then convert")
    assert not Path(out).exists()
    outcome = real("convert", str(model), "-o", out, "--weights-from", place, "--map", map_)
    assert (outcome.status, outcome.stderr) == (0, "")
    written = read_tensor(Path(out, "weights/filter.dat").read_bytes())
    np.testing.assert_array_equal(written, weights["net.conv1.weight"].astype(np.float32))


def test_weights_from_another_place_may_have_the_labels(model: Path, tmp_path: Path, real: Run):
    place = str(tmp_path / "w.npz")
    np.savez(place, **{"conv/filter": np.ones((3, 2, 3), np.float16), "conv/bias": np.arange(3)})
    outcome = real("convert", str(model), "-o", str(tmp_path / "new"), "--weights-from", place)
    assert (outcome.status, outcome.stderr) == (0, "")
    assert read_tensor((tmp_path / "new/weights/bias.dat").read_bytes()).tolist() == [0, 1, 2]


@pytest.mark.parametrize(
    ("weights", "options", "message"),
    [
        ({"filter": (3, 2, 4), "bias": (3,)}, (), "'filter' is 'float32[3,2,4]', but the variable is 'real[3,2,3]'"),
        ({"filter": (3, 2, 3)}, (), "1 variable has no weight (bias)"),
        ({"filter": (3, 2, 3), "bias": (3,), "x": (1,)}, (), "1 weight has no variable of that name (x)"),
        ({"filter": (3, 2, 3), "bias": (3,)}, ("--verify",), "--verify compares two models with the same weights"),
    ],
)
def test_weights_from_another_place_that_do_not_fit(
    model: Path, tmp_path: Path, real: Run, weights: Any, options: Any, message: str
):
    np.savez(tmp_path / "w.npz", **{name: np.ones(shape, np.float32) for name, shape in weights.items()})
    given = ("convert", str(model), "-o", str(tmp_path / "new"), "--weights-from", str(tmp_path / "w.npz"))
    outcome = real(*given, *options)
    assert outcome.status == 2
    assert message in outcome.stderr
    assert not (tmp_path / "new").exists()


def test_a_part_of_the_weights_with_no_strict(model: Path, tmp_path: Path, real: Run):
    np.savez(tmp_path / "w.npz", bias=np.full(3, 7, np.float32), other=np.ones(2))
    new = tmp_path / "new"
    given = ("convert", str(model), "-o", str(new), "--weights-from", str(tmp_path / "w.npz"), "--no-strict")
    assert real(*given).status == 0
    assert read_tensor((new / "weights/bias.dat").read_bytes()).tolist() == [7, 7, 7]
    stored = read_tensor((model / "conv/filter.dat").read_bytes())
    np.testing.assert_array_equal(read_tensor((new / "weights/filter.dat").read_bytes()), stored)


def test_a_rule_that_renames_nothing_is_an_error(model: Path, tmp_path: Path, real: Run):
    np.savez(tmp_path / "w.npz", filter=np.ones((3, 2, 3), np.float32), bias=np.zeros(3, np.float32))
    (tmp_path / "map.toml").write_text('[[rule]]\nfrom = "net.*"\nto = "*"\n')
    given = ("convert", str(model), "--weights-from", str(tmp_path / "w.npz"), "--map", str(tmp_path / "map.toml"))
    outcome = real(*given, "-o", str(tmp_path / "new"))
    assert (outcome.status, (tmp_path / "new").exists()) == (2, False)
    assert "1 rule of the map renames no weight (from 'net.*'); --no-strict ignores them" in outcome.stderr
    assert real(*given, "-o", str(tmp_path / "new"), "--no-strict").status == 0


@pytest.mark.parametrize("option", ["--map", "--write-map"])
def test_maps_need_weights_from_another_place(model: Path, tmp_path: Path, real: Run, option: str):
    outcome = real("convert", str(model), "-o", str(tmp_path / "new"), option, "map.toml")
    assert outcome.status == 2
    assert f"{option} takes --weights-from PLACE" in outcome.stderr


def test_an_onnx_model_takes_weights_from_another_place(tmp_path: Path, real: Run):
    onnx = pytest.importorskip("onnx", reason="the development package onnx is not installed")
    helper, numpy_helper = onnx.helper, onnx.numpy_helper
    kernel = np.ones((4, 3), np.float32)
    graph = helper.make_graph(
        [helper.make_node("Gemm", ["x", "k", "c"], ["y"], transB=1)],
        "g",
        [helper.make_tensor_value_info("x", 1, [2, 3])],
        [helper.make_tensor_value_info("y", 1, [2, 4])],
        [numpy_helper.from_array(kernel, "k"), numpy_helper.from_array(np.ones(4, np.float32), "c")],
    )
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), tmp_path / "m.onnx")
    newer = {"fc.weight": np.arange(12, dtype=np.float32).reshape(4, 3), "fc.bias": np.zeros(4, np.float32)}
    np.savez(tmp_path / "w.npz", **newer)
    given = ("convert", str(tmp_path / "m.onnx"), "--weights-from", str(tmp_path / "w.npz"))
    outcome = real(*given, "--write-map", str(tmp_path / "map.toml"))
    assert (outcome.status, outcome.stderr) == (0, "")
    outcome = real(*given, "--map", str(tmp_path / "map.toml"), "-o", str(tmp_path / "new"), "-q")
    assert (outcome.status, outcome.stderr) == (0, "")
    assert real("run", str(tmp_path / "new"), "--input", "x=ones[2,3]", "--output", str(tmp_path / "o")).status == 0
    np.testing.assert_array_equal(np.load(tmp_path / "o/y.npy")[0], newer["fc.weight"].sum(axis=1))


def test_python_takes_weights_from_another_place(model: Path, tmp_path: Path):
    import snd

    weights = {"net.conv1.weight": np.ones((3, 2, 3), np.float32), "net.conv1.bias": np.zeros(3, np.float32)}
    np.savez(tmp_path / "w.npz", **weights)
    rules = (("net.conv1.weight", "filter"), ("net.conv1.bias", "bias"))
    (tmp_path / "map.toml").write_text("".join(f'[[rule]]\nfrom = "{old}"\nto = "{new}"\n' for old, new in rules))
    with pytest.raises(snd.ArgumentError, match="2 variables have no weight"):
        snd.convert(model, tmp_path / "new", weights_from=tmp_path / "w.npz")
    with pytest.raises(snd.ArgumentError, match="'map' renames the weights of 'weights_from'"):
        snd.convert(model, tmp_path / "new", map=tmp_path / "map.toml")
    found = snd.convert(model, tmp_path / "new", weights_from=tmp_path / "w.npz", map=tmp_path / "map.toml")
    assert snd.load(found.path).variables["filter"].min() == 1  # type: ignore[union-attr]
