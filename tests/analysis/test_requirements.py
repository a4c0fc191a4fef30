"""Every sentence of chapter 2 that demands something is kept by a rule, or a note says why none can keep it.

``docs/requirements.json`` is the table; ``pytest --update-goldens`` writes ``docs/requirements.md`` from it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from itertools import groupby
from pathlib import Path

import pytest

from snd_analysis.base import Diagnostic, Severity
from snd_analysis.rules import catalogue
from support.annotations import parse_annotations
from support.memory import check, read_program, shown, split_files

ROOT = Path(__file__).parents[2]
FIXTURES = ROOT / "tests" / "fixtures"
PAGE = ROOT / "docs" / "requirements.md"
_MARK = re.compile(r"# <-- (?:error|warning)\b")

Requirement = dict[str, str | None]
REQUIREMENTS: list[Requirement] = json.loads((ROOT / "docs" / "requirements.json").read_text(encoding="utf-8"))
IDS = [requirement["id"] for requirement in REQUIREMENTS]


def test_every_requirement_is_listed_once():
    assert sorted(set(IDS)) == sorted(IDS)
    sentences = [requirement["requirement"] for requirement in REQUIREMENTS]
    assert sorted(set(sentences)) == sorted(sentences)


@pytest.mark.parametrize("requirement", REQUIREMENTS, ids=IDS)
def test_requirement(requirement: Requirement):
    assert requirement.keys() == {"id", "section", "requirement", "rule", "fixture", "note"}
    if requirement["rule"] is None:
        assert requirement["note"], "without a rule, a note says why there is none"
        assert requirement["fixture"] is None
        return
    assert requirement["rule"] in catalogue.names()
    assert requirement["fixture"], "a rule is shown by a fixture"


KEPT = [requirement for requirement in REQUIREMENTS if requirement["rule"] is not None]


@pytest.mark.parametrize("requirement", KEPT, ids=[requirement["id"] for requirement in KEPT])
def test_requirement_is_kept(requirement: Requirement):
    """The fixture breaks the requirement in one place, and its rule reports exactly that."""
    files, places = _program(FIXTURES / str(requirement["fixture"]))
    found = check(files)
    reported = [
        (*_place(files, name, item), item.rule.name)
        for name, items in found.items()
        for item in items
        if item.severity in (Severity.ERROR, Severity.WARNING) or item.rule.name == requirement["rule"]
    ]
    expected = [(name, line, requirement["rule"]) for name, line in places]
    assert reported == expected, shown(found, files) or "nothing is reported"


def _program(path: Path) -> tuple[dict[str, str], list[tuple[str, int]]]:
    """The files of a fixture, and the lines where it says that something is wrong."""
    if FIXTURES / "rules" in path.parents:
        parsed = {name: parse_annotations(text) for name, text in split_files(path.read_bytes().decode()).items()}
        files = {name: text for name, (text, _) in parsed.items()}
        places = [
            (name, files[name].count("\n", 0, expected.span.start) + 1)
            for name, (_, announced) in parsed.items()
            for expected in announced
        ]
        return files, places
    whole = path.parent if path.parent.parent.name == "invalid" and path.parent.name != "compose" else path
    files = read_program(whole)
    marked = [
        (name, number)
        for name, text in files.items()
        for number, line in enumerate(text.split("\n"), 1)
        if _MARK.search(line)
    ]
    assert whole == path or [name for name, _ in marked] == [path.name], "the file that is named is the wrong one"
    return files, marked


def _place(files: Mapping[str, str], name: str, item: Diagnostic) -> tuple[str, int]:
    return name, files[name].count("\n", 0, item.location.span.start) + 1


def test_the_page_of_the_requirements_is_current(request: pytest.FixtureRequest):
    """``pytest --update-goldens`` writes it."""
    if request.config.getoption("--update-goldens"):
        PAGE.write_bytes(_page().encode())
    assert PAGE.read_bytes().decode() == _page()


def _page() -> str:
    kept = len(KEPT)
    parts = [
        "# What chapter 2 requires\n",
        "Every sentence of chapter 2 of the NNEF 2.0 draft that demands something of a program, in our own words, with "
        "the [rule](rules.md) that keeps it and a program that breaks it, below `tests/fixtures/`. "
        f"Of {len(REQUIREMENTS)} requirements {kept} are kept by a rule; for the others the table says why none can.\n",
        "This page is made from `requirements.json` by `pytest --update-goldens tests/analysis/test_requirements.py`, "
        "which also checks that every program is reported by its rule, at the line that is wrong, and by no other.\n",
    ]
    for section, requirements in groupby(REQUIREMENTS, key=lambda requirement: requirement["section"]):
        parts.append(f"## {section}\n")
        parts.append("| requirement | rule | shown by |\n|---|---|---|")
        parts.extend(map(_row, requirements))
        parts.append("")
    return "\n".join(parts)


def _row(requirement: Requirement) -> str:
    rule, fixture, note = requirement["rule"], requirement["fixture"], requirement["note"]
    sentence = str(requirement["requirement"]).replace("|", "\\|")
    kept = f"[{rule}](rules.md#{rule})" if rule else "none"
    shown_by = f"`{fixture}`" if fixture else ""
    cells = [sentence, kept, ": ".join(part for part in (shown_by, note) if part)]
    return f"| {' | '.join(cells)} |"
