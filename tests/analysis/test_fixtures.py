"""Every annotated file below tests/fixtures/rules gives exactly the diagnostics that it announces (invariant 6)."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from support.annotations import annotate, as_found, one_to_one, parse_annotations, remarks
from support.memory import check, split_files
from support.rules import checked_rules

ROOT = Path(__file__).parents[1] / "fixtures" / "rules"
FIXTURES = sorted(path for suffix in ("sknd", "nnef") for path in ROOT.rglob(f"*.{suffix}"))
NO_TEXT = {"file-too-large", "invalid-encoding", "unreadable-file"}
"""Rules about files that have no text: tests/server/test_check_files.py breaks them."""

NOT_YET: dict[str, str] = {}
"""Fixtures with the right expectation and the current wrong answer. They fail when the answer becomes right."""


@pytest.mark.parametrize("path", FIXTURES, ids=[path.relative_to(ROOT).as_posix() for path in FIXTURES])
def test_fixture(path: Path, request: pytest.FixtureRequest):
    right = as_found(path.read_bytes().decode())
    name = path.relative_to(ROOT).as_posix()
    if name in NOT_YET:
        assert right is not None, f"{name} is right now: take it out of NOT_YET"
        pytest.xfail(NOT_YET[name])
    if right is not None and request.config.getoption("--update-goldens"):
        path.write_bytes(right.encode())
    elif right is not None:
        pytest.fail(f"{path.name} should be (pytest --update-goldens writes it):\n\n{right}", pytrace=False)


def test_every_rule_is_broken_by_some_fixture_of_its_folder():
    broken = Counter()
    for path in FIXTURES:
        rule = path.parent.relative_to(ROOT).parts[0]
        parsed = [parse_annotations(text) for text in split_files(path.read_bytes().decode()).values()]
        broken[rule] += rule in {expected.rule for _, announced in parsed for expected in announced}
    assert broken.keys() <= checked_rules().keys(), "a folder that is named like no rule"
    assert sorted(checked_rules().keys() - NO_TEXT - {rule for rule in broken if broken[rule]}) == []


def test_annotations_survive_a_round_trip():
    text = "graph g {\n    @compose {\n        y = sqt(x);\n    }\n}\n"
    found = remarks(check({"main.sknd": text}))["main.sknd"]
    assert found
    annotated = annotate(text, found)
    stripped, expected = parse_annotations(annotated)
    assert stripped == text
    assert one_to_one(found, expected)
    assert not one_to_one(found, expected[1:])
    assert not one_to_one(found[1:], expected)
