"""The documents that say what the code does (invariant 9)."""

from __future__ import annotations

import ast
import os
import re
from pathlib import Path

import pytest

from snd_server.render.rule_page import rule_pages

ROOT = Path(__file__).parents[2]
RULES = ROOT / "docs" / "rules.md"
ARCHITECTURE = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")


def test_the_pages_of_the_rules_are_current(request: pytest.FixtureRequest):
    """``pytest --update-goldens`` and ``make docs`` write them."""
    pages = rule_pages()
    if request.config.getoption("--update-goldens"):
        RULES.write_bytes(pages.encode())
    assert RULES.read_bytes().decode() == pages


def test_invariants_and_their_tests_name_each_other():
    _, *rows = re.split(
        r"^(\d+)\. ", ARCHITECTURE.partition("## Invariants")[2].partition("\n## ")[0], flags=re.MULTILINE
    )
    numbers = [int(each) for each in rows[::2]]
    assert numbers == [*range(1, len(numbers) + 1)]
    tests: dict[str, set[int]] = {}
    for number, invariant in zip(numbers, rows[1::2], strict=True):
        named = re.findall(r"`(tests/[\w/.]+\.py)`", invariant)
        assert named, invariant
        for test in named:
            tests.setdefault(test, set()).add(number)
    for test, held in tests.items():
        said = ast.get_docstring(ast.parse((ROOT / test).read_text(encoding="utf-8"))) or ""
        (listed,) = re.findall(r"[Ii]nvariants? ((?:\d+|, | and )+)", said) or [""]
        assert {int(each) for each in re.findall(r"\d+", listed)} == held, test


def test_what_architecture_names_exists():
    known = _paths()
    for path in re.findall(r"`([\w][\w./-]*(?:/|\.(?:py|lark|md|json|ts|lua)))`", ARCHITECTURE):
        name = path.rstrip("/")
        assert any(re.search(rf"(^|/){re.escape(name)}(/|$)", each) for each in known), path


@pytest.mark.parametrize("package", ["analysis/snd_analysis", "runtime/snd_runtime"])
def test_architecture_tells_of_every_room(package: str):
    for entry in (ROOT / package).iterdir():
        if entry.suffix == ".py" and not entry.name.startswith("_"):
            assert f"`{entry.name}`" in ARCHITECTURE, entry.name
        elif (entry / "__init__.py").exists():
            assert f"`{entry.name}/`" in ARCHITECTURE, entry.name


def _paths() -> list[str]:
    """The files of the repository, without what only a machine has."""
    left_out = {"node_modules", "out", "dist", "__pycache__"}
    found = []
    for top in ("analysis", "runtime", "server", "tests", "docs", "editors", "vscode-extension"):
        for folder, folders, files in os.walk(ROOT / top):
            folders[:] = [each for each in folders if each not in left_out]
            found += [(Path(folder) / each).relative_to(ROOT).as_posix() for each in files]
    return found
