"""The documents that say what the code does."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from memory import check, shown, split_files
from snd_server.render.rule_page import page
from snd_server.rules import known_rules

ROOT = Path(__file__).parents[2]
RULES = ROOT / "docs" / "rules.md"


def test_the_pages_of_the_rules_are_current(request: pytest.FixtureRequest):
    """``pytest --update-goldens`` and ``make docs`` write them."""
    pages = "# Rules\n\n" + "\n".join(map(page, known_rules().values()))
    if request.config.getoption("--update-goldens"):
        RULES.write_bytes(pages.encode())
    assert RULES.read_bytes().decode() == pages


def test_every_invariant_names_a_test_that_exists():
    text = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    invariants = re.split(r"^\d+\. ", text.partition("## Invariants")[2].partition("\n## ")[0], flags=re.MULTILINE)[1:]
    assert len(invariants) > 5
    for invariant in invariants:
        tests = re.findall(r"`(tests/[\w/.]+\.py)`", invariant)
        assert tests, invariant
        for test in tests:
            assert (ROOT / test).is_file(), f"{test} does not exist:\n{invariant}"


def test_architecture_names_rooms_that_exist():
    text = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    for path in re.findall(r"`((?:analysis|runtime|server|tests|docs|examples)/[\w/.-]*)`", text):
        assert (ROOT / path).exists(), path


EXAMPLES = re.findall(
    r"^```sknd\n(.*?)^```", (ROOT / "docs" / "language.md").read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL
)


@pytest.mark.parametrize("example", EXAMPLES, ids=range(len(EXAMPLES)))
def test_examples_about_the_language_are_right(example: str):
    files = split_files(example)
    found = check(files)
    assert not any(found.values()), shown(found, files)
