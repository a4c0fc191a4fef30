"""``snd init``, ``snd doc`` and the help: what a new user meets first."""

from __future__ import annotations

import errno
import os
import shlex
from pathlib import Path

import click
import pytest

from snd_analysis.ide import module_page
from snd_analysis.skriptnd.names import library_modules
from snd_analysis.workspace import Workspace
from snd_server.cli.root import snd
from snd_server.workspace_files.files import DiskReader

ROOT = Path(__file__).parents[2]


def test_init_writes_a_model_that_is_right(real, project):
    assert real("init", "net").status == 0
    assert real("check", "net", "--error-on-warning").status == 0
    assert real("fmt", "--check", "net").status == 0
    assert "1 sample: 1 ok" in real("test", "net").stdout
    assert "probabilities: real[" in real("run", "net").stdout


def test_init_overwrites_nothing(real, project):
    (project / "snd.toml").write_text("ignore = []\n")
    outcome = real("init")
    assert outcome.status == 2
    assert "snd.toml exists already" in outcome.stderr
    assert not (project / "main.sknd").exists()


def test_init_that_fails_leaves_nothing(real, project, monkeypatch):
    def full(handle: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    outcome = real("init", "net")
    monkeypatch.undo()
    assert outcome.status == 2
    assert f"{project / 'net' / 'main.sknd'}: No space left on device" in outcome.stderr
    assert not (project / "net").exists()


@pytest.mark.parametrize(
    ("word", "said"),
    [
        ("chek", "there is no command 'chek'; did you mean 'snd check'?"),
        ("lint", "did you mean 'snd check'?"),
        ("import", "did you mean 'snd convert'?"),
        ("help", "did you mean 'snd --help'?"),
        ("frobnicate", "there is no command 'frobnicate'\n"),
    ],
)
def test_an_unknown_command_is_told_the_nearest(real, word, said):
    outcome = real(word)
    assert outcome.status == 2
    assert said in outcome.stderr


@pytest.mark.parametrize("name", snd.list_commands(click.Context(snd)))
def test_the_help_of_each_command_shows_calls_that_it_takes(name):
    command = snd.get_command(click.Context(snd), name)
    assert command is not None
    assert command.epilog is not None
    calls = [shlex.split(line) for line in command.epilog.splitlines() if line.startswith("  ")]
    assert calls
    for program, called, *arguments in calls:
        assert (program, called) == ("snd", name)
        arguments = ["." if each == "models/" and name == "mcp" else each for each in arguments]
        command.make_context(name, arguments)


def test_doc_of_an_operator_has_signature_samples_and_formula(real):
    text = real("doc", "nn.linear").stdout
    assert text.startswith("## nn.linear\n")
    assert "input: real[b, c];" in text
    assert ">>> linear(" in text
    assert "output[bi, ni] = (bias[ni] or 0) + Σ_{ci < c} input[bi, ci]·filter[ni, ci]  for bi < b, ni < n" in text
    assert "output[bi, ni] += input[bi, ci] * filter[ni, ci]," in text
    assert "Counterparts: ONNX `Gemm` · PyTorch `F.linear` · NNEF 1.0 `linear`" in text


def test_doc_lists_modules_and_operators(real):
    assert {"nn", "math", "tosa", "tract"} <= set(real("doc").stdout.split())
    assert "nn.conv  Convolution" in real("doc", "nn").stdout


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("nn.linea", "did you mean 'linear'?"),
        ("matth", "did you mean 'math'?"),
        ("nosuch", "there is no module called 'nosuch'"),
    ],
)
def test_doc_says_what_is_close(real, name, said):
    outcome = real("doc", name)
    assert outcome.status == 2
    assert said in outcome.stderr


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("softmax", "nn.softmax"), ("Conv2d", "layer.conv"), ("F.conv2d", "nn.conv"), ("torch.cat", "layout.concat"),
        ("torch.nn.functional.layer_norm", "nn.mean_variance_norm"), ("nn.layer_norm", "nn.mean_variance_norm"),
        ("LayerNorm", "nn.mean_variance_norm"), ("MatMul", "linalg.matmul"), ("nn.Embedding", "layout.gather"),
    ],
)  # fmt: skip
def test_doc_finds_operators_by_their_names_elsewhere(real, name, found):
    assert real("doc", name).stdout.startswith(f"## {found}\n")


def test_doc_lists_several_counterparts(real):
    lines = real("doc", "Resize").stdout.splitlines()
    assert lines[0] == "image.resize  Resizing to given extents, by any of the methods. (ONNX Resize)"
    assert [line.split()[0] for line in lines[1:]] == [
        "image.nearest_resize", "image.linear_resize", "image.cubic_resize", "image.rescale",
    ]  # fmt: skip


def test_doc_lists_all_formats_with_an_operator(real):
    names = {line.split()[0] for line in real("doc", "depthwise_conv2d").stdout.splitlines()}
    assert names == {"tennis.depthwise_conv2d", "tosa.depthwise_conv2d"}


@pytest.mark.parametrize("module", library_modules())
def test_pages_of_the_library_are_those_of_its_sources(module):
    """``make docs`` writes them."""
    page = (ROOT / "docs" / "library" / f"{module}.md").read_text(encoding="utf-8")
    assert page == module_page(Workspace(DiskReader()).snapshot(), module)


def test_check_without_files_says_what_to_do(real, project):
    outcome = real("check")
    assert outcome.status == 0
    assert "'snd init' begins a model, 'snd check PATH' checks another folder" in outcome.stderr


@pytest.mark.parametrize("command", ["check", "test", "fmt", "run", "shapes", "graph"])
def test_an_onnx_model_is_to_be_converted_first(real, project, command):
    (project / "model.onnx").write_bytes(b"\x08\x08\x12\x07pytorch\x9b")
    outcome = real(command, "model.onnx")
    assert outcome.status != 0
    said = " ".join((outcome.stdout + outcome.stderr).split())
    assert "model.onnx is an ONNX model: 'snd convert model.onnx -o FOLDER' writes it in SkriptND" in said
    assert "UTF-8" not in said
    assert "--operator" not in said
