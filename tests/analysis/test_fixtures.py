"""Every annotated file below tests/fixtures/rules gives exactly the diagnostics that it announces (invariant 6)."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from snd_analysis.skriptnd.lints.catalogue import catalogue
from support.annotations import annotate, parse_annotations
from support.memory import check, split_files

ROOT = Path(__file__).parents[1] / "fixtures" / "rules"
FIXTURES = sorted(ROOT.rglob("*.sknd"))
NO_TEXT = {"file-too-large", "invalid-encoding", "unreadable-file"}
"""Rules about files that have no text: tests/server/test_check_files.py breaks them."""

NOT_YET: dict[str, str] = {}
"""Fixtures that say what is right, with what is wrong about the answer. They fail when they are answered rightly."""


@pytest.mark.parametrize("path", FIXTURES, ids=[path.relative_to(ROOT).as_posix() for path in FIXTURES])
def test_fixture(path: Path, request: pytest.FixtureRequest):
    written = path.read_bytes().decode()
    parsed = {name: parse_annotations(text) for name, text in split_files(written).items()}
    files = {name: text for name, (text, _) in parsed.items()}
    found = check(files)
    right = all(_one_to_one(found[name], expected) for name, (_, expected) in parsed.items())
    name = path.relative_to(ROOT).as_posix()
    if name in NOT_YET:
        assert not right, f"{name} is right now: take it out of NOT_YET"
        pytest.xfail(NOT_YET[name])
    if right:
        return
    actual = "".join(
        ("" if at == 0 and not written.startswith("# file:") else f"# file: {name}\n")
        + annotate(text, found[name], expected)
        for at, (name, (text, expected)) in enumerate(parsed.items())
    )
    if request.config.getoption("--update-fixtures"):
        path.write_bytes(actual.encode())
        return
    pytest.fail(f"{path.name} should be (pytest --update-fixtures writes it):\n\n{actual}", pytrace=False)


def _one_to_one(found, expected) -> bool:
    left = list(expected)
    for item in found:
        match = next((each for each in left if each.matches(item)), None)
        if match is None:
            return False
        left.remove(match)
    return not left


def test_every_rule_is_broken_by_some_fixture_of_its_folder():
    broken = Counter()
    for path in FIXTURES:
        rule = path.parent.relative_to(ROOT).parts[0]
        parsed = [parse_annotations(text) for text in split_files(path.read_bytes().decode()).values()]
        broken[rule] += rule in {expected.rule for _, announced in parsed for expected in announced}
    assert broken.keys() <= catalogue().keys(), "a folder that is named like no rule"
    assert sorted(catalogue().keys() - NO_TEXT - {rule for rule in broken if broken[rule]}) == []


def test_annotations_survive_a_round_trip():
    text = "graph g {\n    @compose {\n        y = sqt(x);\n    }\n}\n"
    found = check({"main.sknd": text})["main.sknd"]
    assert found
    annotated = annotate(text, found)
    stripped, expected = parse_annotations(annotated)
    assert stripped == text
    assert _one_to_one(found, expected)
    assert not _one_to_one(found, expected[1:])
    assert not _one_to_one(found[1:], expected)
