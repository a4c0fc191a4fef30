"""The tutorial: its programs are files, and its outputs are what the commands print."""

from __future__ import annotations

import math
import re
import shlex
import shutil
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest

from support.server.processes import ROOT

TUTORIAL = ROOT / "docs" / "tutorial"
PAGES = sorted(path.name for path in TUTORIAL.glob("[0-9]-*.md"))
_FENCE = re.compile(r'^```(\w+)( title="([^"]+)")?\n(.*?)^```$', re.MULTILINE | re.DOTALL)
_REAL = re.compile(r"-?\d+\.\d+(?:e-?\d+)?")


@pytest.fixture
def programs(project: Path, evaluated_here: None, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder with the programs; what they need is run in this process."""
    shutil.copytree(TUTORIAL / "programs", project, dirs_exist_ok=True)
    monkeypatch.setenv("COLUMNS", "100")
    return project


@pytest.mark.parametrize("name", PAGES)
def test_page(name: str, programs: Path, real, request: pytest.FixtureRequest):
    """``pytest --update-goldens`` writes the programs and outputs into the page."""
    page = TUTORIAL / name
    text = page.read_text(encoding="utf-8")
    if ".[onnx]" in text:
        pytest.importorskip("onnx", reason="the development package onnx is not installed")
        pytest.importorskip("onnxruntime", reason="the development package onnxruntime is not installed")

    def filled(fence: re.Match[str]) -> str:
        language, attributes, title, content = fence.groups()
        if title is not None:
            content = (programs / title).read_text(encoding="utf-8")
        elif language == "console":
            content = "".join(_shown(line, real) for line in content.splitlines() if line.startswith("$ "))
        return f"```{language}{attributes or ''}\n{content}```"

    current = _FENCE.sub(filled, text)
    if request.config.getoption("--update-goldens") and not _agree(text, current):
        page.write_text(current, encoding="utf-8", newline="")
        text = current
    assert _agree(text, current), current


def test_every_program_is_in_a_page_and_right_unless_its_name_says_otherwise(programs: Path, real):
    shown = {title for name in PAGES for title in _titles(TUTORIAL / name)}
    files = {path.relative_to(programs).as_posix() for path in programs.rglob("*") if path.is_file()}
    assert files <= shown
    right = sorted(path for path in files if "wrong" not in path)
    assert real("check", "--error-on-warning", *right).status == 0
    assert real("fmt", "--check", *sorted(files)).status == 0
    for wrong in files - set(right):
        assert real("test" if wrong.startswith("samples") else "check", wrong).status == 1


def test_index_lists_the_pages_in_their_order():
    index = (TUTORIAL / "index.md").read_text(encoding="utf-8")
    assert re.findall(r"\((\d-[\w-]+\.md)\)", index) == PAGES
    for name, following in pairwise(PAGES):
        assert (TUTORIAL / name).read_text(encoding="utf-8").rstrip().endswith(f"({following})")


def _titles(page: Path) -> Iterator[str]:
    return (fence[3] for fence in _FENCE.finditer(page.read_text(encoding="utf-8")) if fence[3])


def _shown(line: str, real) -> str:
    program, *arguments = shlex.split(line.removeprefix("$ "))
    assert program == "snd"
    outcome = real(*arguments)
    return f"{line}\n{outcome.stdout.rstrip()}\n{outcome.stderr}".rstrip() + "\n"


def _agree(text: str, other: str) -> bool:
    """Return whether texts are equal but for the last digits of reals, which differ between machines."""
    reals = zip(_REAL.findall(text), _REAL.findall(other), strict=False)
    return _REAL.sub("_", text) == _REAL.sub("_", other) and all(
        math.isclose(float(a), float(b), rel_tol=1e-3, abs_tol=1e-5) for a, b in reals
    )
