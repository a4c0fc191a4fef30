"""Promises of the commands for models in NNEF 1.0 to other tools (issue 15), a test for each sentence."""

from __future__ import annotations

import io
import json
import tarfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from snd_runtime.files import write_safetensors, write_tensor
from support.nnef1.corpus import folder_of, models

pytestmark = pytest.mark.usefixtures("evaluated_here")

Run = Callable[..., Any]

GRAPH = """version 1.0;

extension tract_registry tract_core;
extension tract_symbol B;

# Scales by column, as here:
#
# >>> mul([[1.0, 2.0]], [[2.0], [3.0]])
# z: real[2,2] = [[2.0, 4.0], [3.0, 6.0]]
graph net(i"in/put.0") -> (i"out/put:0", sum)
{
    i"in/put.0" = tract_core_external(shape = [B, 3], datum_type = 'f32');
    w = variable<scalar>(shape = [1, 3], label = 'layer.0/w');
    i"out/put:0" = mul(i"in/put.0", w);
    sum = sum_reduce(i"out/put:0", axes = [1]);
}
"""
WEIGHT = np.array([[1.0, 10.0, 100.0]], np.float32)
INPUT = np.array([[1.0, 1.0, 1.0], [2.0, 0.0, -1.0]], np.float32)
FORMS = ("folder", "file", "model.nnef.tgz", "model.nnef.tar")


@pytest.fixture
def model(tmp_path: Path) -> Callable[[str], Path]:
    """The model in one of its forms."""
    files = {"graph.nnef": GRAPH.encode(), "layer.0/w.dat": write_tensor(WEIGHT)}

    def make(form: str) -> Path:
        if form in ("folder", "file"):
            folder = tmp_path / "model"
            for name, content in files.items():
                (folder / name).parent.mkdir(parents=True, exist_ok=True)
                (folder / name).write_bytes(content)
            return folder if form == "folder" else folder / "graph.nnef"
        with tarfile.open(tmp_path / form, "w:gz" if form.endswith("tgz") else "w") as archive:
            for name, content in files.items():
                info = tarfile.TarInfo(name)
                info.size = len(content)
                archive.addfile(info, io.BytesIO(content))
        return tmp_path / form

    return make


def _json(real: Run, *arguments: str | Path) -> Any:
    outcome = real(*map(str, arguments))
    assert outcome.status == 0, outcome.stdout + outcome.stderr
    return json.loads(outcome.stdout)


@pytest.mark.parametrize("form", FORMS)
def test_commands_take_a_folder_a_file_and_an_archive(
    model: Callable[[str], Path], form: str, tmp_path: Path, real: Run
):
    path = str(model(form))
    for arguments in (
        ("check", "--no-cache", path),
        ("shapes", path),
        ("run", path),
        ("graph", path, "-o", str(tmp_path / "graph.dot")),
        ("fmt", "--check", path),
        ("test", path),
        ("convert", path, "-o", str(tmp_path / "new"), "--verify"),
    ):
        outcome = real(*arguments)
        assert outcome.status == 0, (arguments, outcome.stdout, outcome.stderr)
    assert (tmp_path / "graph.dot").read_text().startswith("digraph")
    assert (tmp_path / "new" / "main.sknd").exists()


@pytest.mark.parametrize("form", FORMS)
def test_json_counts_checked_graphs(model: Callable[[str], Path], form: str, real: Run):
    found = _json(real, "check", "--no-cache", "--format", "json", model(form))
    assert found["summary"]["files"] == 1


def test_a_symbolic_extent_is_its_text(model: Callable[[str], Path], real: Run):
    found = _json(real, "shapes", "--format", "json", model("folder"))
    shapes = {each["name"]: each["shape"] for each in found["tensors"]}
    assert shapes["in/put.0"] == ["B", 3]
    assert shapes["sum"] == ["B", 1]


@pytest.mark.parametrize("form", FORMS)
def test_run_takes_variables_from_the_model_and_writes_outputs_by_name(
    model: Callable[[str], Path], form: str, tmp_path: Path, real: Run
):
    np.save(tmp_path / "x.npy", INPUT)
    outcome = real(
        "run", str(model(form)), "--input", f"in/put.0=@{tmp_path / 'x.npy'}", "--output", str(tmp_path / "out")
    )
    assert outcome.status == 0, outcome.stdout + outcome.stderr
    assert "drawn" not in outcome.stdout
    np.testing.assert_array_equal(np.load(tmp_path / "out" / "out%2Fput%3A0.npy"), INPUT * WEIGHT)
    np.testing.assert_array_equal(np.load(tmp_path / "out" / "sum.npy"), (INPUT * WEIGHT).sum(1, keepdims=True))


@pytest.mark.parametrize("written", ["in:0", 'i"in:0"', "i'in:0'"])
def test_names_of_inputs_may_have_colons(written: str, model: Callable[[str], Path], tmp_path: Path, real: Run):
    folder = model("folder")
    (folder / "graph.nnef").write_text(GRAPH.replace("in/put.0", "in:0"))
    np.save(tmp_path / "x.npy", INPUT)
    np.save(tmp_path / "y.npy", INPUT * WEIGHT)
    given = ("--input", f"{written}=@{tmp_path / 'x.npy'}", "--expect", f"out/put:0=@{tmp_path / 'y.npy'}")
    outcome = real("run", str(folder), *given)
    assert outcome.status == 0, outcome.stdout + outcome.stderr
    outcome = real("shapes", str(folder), "--input", f"{written}=[2,3]")
    assert outcome.status == 0, outcome.stdout + outcome.stderr
    assert "real[2,3]" in outcome.stdout


@pytest.mark.parametrize("is_configured", [True, False])
def test_run_takes_variables_from_elsewhere_by_their_labels(
    model: Callable[[str], Path], is_configured: bool, tmp_path: Path, real: Run
):
    folder = model("folder")
    (tmp_path / "others" / "layer.0").mkdir(parents=True)
    (tmp_path / "others" / "layer.0" / "w.dat").write_bytes(write_tensor(2 * WEIGHT))
    np.save(tmp_path / "x.npy", INPUT)
    if is_configured:
        (folder / "snd.toml").write_text("weights = '../others'")
    options = () if is_configured else ("--weights", str(tmp_path / "others"))
    given = ("--input", f"in/put.0=@{tmp_path / 'x.npy'}", "--output", str(tmp_path / "out"))
    outcome = real("run", str(folder), *given, *options)
    assert outcome.status == 0, outcome.stdout + outcome.stderr
    assert "drawn" not in outcome.stdout
    np.testing.assert_allclose(np.load(tmp_path / "out" / "sum.npy"), 2 * (INPUT * WEIGHT).sum(1, keepdims=True))


@pytest.mark.parametrize("form", FORMS)
def test_what_convert_writes_is_complete(model: Callable[[str], Path], form: str, tmp_path: Path, real: Run):
    np.save(tmp_path / "x.npy", INPUT)
    new = str(tmp_path / "new")
    assert real("convert", str(model(form)), "-o", new).status == 0
    assert real("check", new).status == 0
    assert real("fmt", "--check", new).status == 0
    outcome = real("run", new, "--input", f"in_put_0=@{tmp_path / 'x.npy'}", "--output", str(tmp_path / "out"))
    assert outcome.status == 0, outcome.stdout + outcome.stderr
    assert "drawn" not in outcome.stdout
    np.testing.assert_array_equal(np.load(tmp_path / "out" / "out_put_0.npy"), INPUT * WEIGHT)


@pytest.mark.parametrize("form", FORMS)
def test_variables_may_lie_together_in_safetensors(model: Callable[[str], Path], form: str, tmp_path: Path, real: Run):
    folder = model("folder")
    (folder / "layer.0/w.dat").unlink()
    weights = write_safetensors({"other": np.zeros(3, np.int8), "layer.0/w": WEIGHT})
    (folder / "a.safetensors").write_bytes(write_safetensors({"other": np.zeros(2, np.int8)}))
    (folder / "b.safetensors").write_bytes(weights)

    def path() -> str:
        if form in ("folder", "file"):
            return str(folder if form == "folder" else folder / "graph.nnef")
        with tarfile.open(tmp_path / form, "w:gz" if form.endswith("tgz") else "w") as archive:
            archive.add(folder, ".")
        return str(tmp_path / form)

    np.save(tmp_path / "x.npy", INPUT)
    given = ("--input", f"in/put.0=@{tmp_path / 'x.npy'}", "--output", str(tmp_path / "out"))
    assert real("check", "--no-cache", path()).status == 0
    outcome = real("run", path(), *given)
    assert "drawn" not in outcome.stdout
    np.testing.assert_array_equal(np.load(tmp_path / "out" / "out%2Fput%3A0.npy"), INPUT * WEIGHT)
    assert real("convert", path(), "-o", str(tmp_path / "new"), "--verify").status == 0

    (folder / "b.safetensors").write_bytes(write_safetensors({"layer.0/w": WEIGHT.T}))
    assert "its file has [3,1]" in real("check", "--no-cache", path()).stdout
    (folder / "b.safetensors").write_bytes(weights[:40])
    assert "'b.safetensors': byte 40: the file ends within the header" in real("check", "--no-cache", path()).stdout


def test_samples_in_comments_are_run(model: Callable[[str], Path], real: Run):
    folder = model("folder")
    assert "1 ok" in real("test", str(folder)).stdout
    graph = folder / "graph.nnef"
    graph.write_text(GRAPH.replace("[2.0, 4.0]", "[2.0, 5.0]"))
    outcome = real("test", str(folder))
    assert outcome.status == 1
    assert real("test", "--update", str(folder)).status == 0
    assert graph.read_text() == GRAPH


@pytest.mark.parametrize("form", FORMS)
def test_files_that_no_variable_reads_are_told(real: Run, model: Callable[[str], Path], form: str, tmp_path: Path):
    folder = model("folder")
    (folder / "graph.quant").write_text("# nothing\n")
    (folder / "meta.json").write_text("{}")
    (folder / "model.safetensors").write_bytes(write_safetensors({"q": WEIGHT}))
    (folder / ".hidden").mkdir()
    (folder / ".hidden/x.dat").write_bytes(b"")
    (folder / "sub").mkdir()
    (folder / "sub/graph.nnef").write_text(GRAPH)
    (folder / "sub/own.dat").write_bytes(write_tensor(WEIGHT))

    def path() -> str:
        if form in ("folder", "file"):
            return str(folder / "graph.nnef")
        with tarfile.open(tmp_path / form, "w:gz" if form.endswith("tgz") else "w") as archive:
            archive.add(folder, ".")
        return str(tmp_path / form)

    def told() -> list[str]:
        found = json.loads(real("check", path(), "--format", "json").stdout)
        return [each["message"] for each in found["diagnostics"] if each["rule"] == "unread-tensor-file"]

    assert told() == []
    (folder / "layer.0/old.dat").write_bytes(write_tensor(WEIGHT))
    assert told() == ["no variable of the graph reads 'layer.0/old.dat'"]
    (folder / "layer.0/old.dat").unlink()
    assert told() == []


_DO_NOT_RUN = {("o_multinomial", command) for command in ("convert", "run")}
"""Random numbers."""


@pytest.mark.exhaustive
def test_the_command_verifies_what_it_converts_of_the_corpus(tmp_path: Path, real: Run):
    failed = {}
    for name in models():
        folder, written = str(folder_of(name)), str(tmp_path / name)
        if "error" in real("check", folder, "--format", "concise").stdout:
            continue
        for command in (
            ("convert", folder, "-o", written, "--verify"),
            ("check", written),
            ("fmt", "--check", written),
            ("run", written, "--output", str(tmp_path / "results")),
        ):
            done = real(*command)
            if done.status:
                failed[name, command[0]] = (done.stdout + done.stderr)[-300:]
    print(failed)
    assert failed.keys() <= _DO_NOT_RUN


COMMANDS = (("shapes",), ("run",), ("graph", "-o", "new.dot"), ("convert", "-o", "new"))


@pytest.mark.parametrize("arguments", COMMANDS, ids=lambda each: each[0])
def test_a_folder_without_a_model_is_told(arguments: tuple[str, ...], tmp_path: Path, real: Run):
    outcome = real(arguments[0], str(tmp_path), *arguments[1:])
    assert outcome.status == 2
    assert f"there is neither main.sknd nor graph.nnef in {tmp_path}" in outcome.stderr


@pytest.mark.parametrize("arguments", COMMANDS, ids=lambda each: each[0])
def test_what_is_not_there_is_told(arguments: tuple[str, ...], tmp_path: Path, real: Run):
    for name in ("model.nnef", "model", "model.nnef.tgz"):
        outcome = real(arguments[0], str(tmp_path / name), *arguments[1:])
        assert outcome.status == 2
        assert f"there is no file {tmp_path / name}" in outcome.stderr


@pytest.mark.parametrize("arguments", COMMANDS, ids=lambda each: each[0])
def test_a_graph_that_is_no_file_is_told(arguments: tuple[str, ...], tmp_path: Path, real: Run):
    (tmp_path / "graph.nnef").symlink_to("graph.nnef")
    outcome = real(arguments[0], str(tmp_path), *arguments[1:])
    assert outcome.status in (1, 2)
    assert "Too many levels of symbolic links" in outcome.stdout + outcome.stderr
