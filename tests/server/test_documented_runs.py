"""The README and the guides: their commands do what they say, and the model at the top has the mistake that is shown.

The tutorial has a test of its own (``test_tutorial.py``).
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from support.server.processes import ROOT

README = (ROOT / "README.md").read_text(encoding="utf-8")
_FENCE = re.compile(r"^ *```(\w*)\n(.*?)^ *```$", re.MULTILINE | re.DOTALL)
_WRITTEN = {"cli.md", "converted.md", "rules.md"}
"""Pages that are made of the code, or by a test that runs their commands."""
_SLOW = {"export.md", "convert.md", "graph.md"}
"""Pages with large models or drawings: tests of their commands run smaller ones with every change."""


def _pages() -> Iterator[Path]:
    yield ROOT / "README.md"
    yield from (path for path in sorted((ROOT / "docs").glob("*.md")) if path.name not in _WRITTEN)


def commands(page: Path) -> list[tuple[str, str]]:
    """Return each command of a page with the output that is shown below it (none: it is not shown)."""
    found = []
    for language, block in _FENCE.findall(page.read_text(encoding="utf-8")):
        if language == "console" or re.search(r"^\$ snd ", block, re.MULTILINE):
            found += re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", block, re.MULTILINE)
        else:
            lines = re.findall(r"^(?:\$ )?(snd (?!.*[…<]).*?)(?:  +#.*)?$", block, re.MULTILINE)
            found += [(line, "") for line in lines if language in {"", "sh"}]
    return found


RUN = [page for page in _pages() if commands(page)]


@pytest.fixture
def checkout(project: Path, evaluated_here: None) -> Path:
    """The current folder, with what the pages have of a checkout; what they write stays in it."""
    shutil.copytree(ROOT / "docs" / "tutorial" / "programs", project / "docs" / "tutorial" / "programs")
    (project / "examples").symlink_to(ROOT / "examples")
    return project


@pytest.mark.parametrize(
    "page",
    [pytest.param(page, id=page.name, marks=[pytest.mark.exhaustive] * (page.name in _SLOW)) for page in RUN],
)
def test_commands_of_a_page(page: Path, checkout: Path, real, monkeypatch: pytest.MonkeyPatch):
    if page.name in {"export.md", "convert.md"}:
        _fetch_models(checkout)
    for command, output in commands(page):
        if command.startswith("cd "):
            monkeypatch.chdir(command.removeprefix("cd "))
            continue
        before, _, snd = command.rpartition("| ")
        stdin = subprocess.run(before, shell=True, capture_output=True, check=True).stdout if before else b""
        words = [os.path.expanduser(word) for word in shlex.split(snd)]
        if words[0] != "snd":
            continue
        outcome = real(*words[1:], stdin=stdin)
        assert outcome.status == 0, (command, outcome)
        if output:
            assert outcome.stdout == output, command


def _fetch_models(folder: Path) -> None:
    """Put the models of others that pages name beside the examples."""
    onnx = pytest.importorskip("onnx", reason="the development package onnx is not installed")
    pytest.importorskip("onnxruntime", reason="the development package onnxruntime is not installed")
    light = Path(onnx.__file__).parent / "backend" / "test" / "data" / "light" / "light_resnet50.onnx"
    if light.is_file():
        shutil.copy(light, folder / "resnet50.onnx")


def test_there_are_commands():
    assert sum(len(commands(page)) for page in RUN) > 40
    assert {"README.md", "check.md", "run.md", "shapes.md", "nnef1.md"} <= {page.name for page in RUN}


@pytest.mark.parametrize(
    "option", ["--format", "--fix", "--diff", "--unsafe-fixes", "--watch", "--statistics", "--no-cache", "--color"]
)
def test_every_important_option_of_check_is_in_its_guide(option):
    assert option in (ROOT / "docs" / "check.md").read_text(encoding="utf-8")


def test_the_first_screen_has_a_model_its_mistake_and_the_message(real, project):
    """In this order: two sentences, a model of about ten lines, what ``snd check`` prints, installing, a picture."""
    screen = README.partition("\n## ")[0]
    introduction, model, message, installing = re.fullmatch(
        r"# snd\n\n(.*?)\n\n[^\n]*\n\n```sknd\n(.*?)```.*?```text\n(.*?)```.*?```sh\n(.*?)```.*?!\[.*",
        screen,
        re.DOTALL,
    ).groups()
    assert len(re.findall(r"\.(?:\s|$)", introduction)) == 2
    assert model.count("\n") <= 12
    assert "pip install" in installing
    assert "snd init" in installing
    (project / "classifier.sknd").write_text(model)
    outcome = real("check", "classifier.sknd", "--no-cache")
    assert outcome.status == 1
    assert outcome.stdout.startswith(message.rstrip("\n"))
    assert "Found 1 error" in outcome.stdout


def test_configuration_of_the_guide_is_valid(snd):
    from snd_server.settings.config_schema import parse_settings

    page = (ROOT / "docs" / "check.md").read_text(encoding="utf-8")
    (shown,) = re.findall(r"^```toml\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    assert parse_settings(shown.replace("unused-import", "odd"), "check.md", ()) is not None


@pytest.mark.parametrize("page", ["README.md", "CONTRIBUTING.md", "ARCHITECTURE.md", "SECURITY.md"])
def test_links_lead_somewhere(page):
    text = (ROOT / page).read_text(encoding="utf-8")
    for link in re.findall(r"(?<!\\)\]\((?!https?:)([^)\s#]+)(?:#[^)]*)?\)", re.sub(r"`[^`\n]+`", "", text)):
        assert (ROOT / link).exists(), link
