"""Every program that is right, broken in many ways: nothing crashes, nothing illegal passes, one mistake is one error.

``pytest tests/analysis/mutations --all-mutations`` tries all of them, which takes an hour.
"""

from __future__ import annotations

import pytest

from generators.mutations.mutation import Verdict
from generators.mutations.run import OPERATORS, Tally, programs, run
from generators.mutations.subject import subjects

MOST_CASCADES = 0.01
"""The share of rejected mutations that may give more errors than places were broken: 0.5 % of one in forty of all."""


@pytest.fixture(scope="module")
def tally(request: pytest.FixtureRequest) -> Tally:
    return run() if request.config.getoption("--all-mutations") else run(every=60, definitions=14)


def _shown(outcomes) -> str:
    return "\n".join(map(str, outcomes[:20]))


def test_nothing_crashes(tally: Tally):
    assert not tally.crashed, _shown(tally.crashed)


def test_nothing_illegal_passes(tally: Tally):
    assert not tally.silent, _shown(tally.silent)


def test_nothing_legal_is_rejected(tally: Tally):
    assert not tally.wrong, _shown(tally.wrong)


def test_one_mistake_is_one_error(tally: Tally):
    assert tally.cascade_rate <= MOST_CASCADES, _shown(tally.cascades)


def test_mutations_are_tried(tally: Tally):
    assert tally.illegal > 100
    assert len(tally.tried) > 50


def test_programs_are_right_before():
    title, files = next((title, files) for title, files in programs() if title == "lstm")
    found = list(subjects(title, files))
    assert len(found) > 3
    assert [subject.title for subject in found if subject.errors()] == []


def test_every_operator_of_mutation_mutates_something():
    subject = next(each for title, files in programs() if title == "2_2_all_blocks" for each in subjects(title, files))
    kinds = {mutation.kind: mutation.verdict for operator in OPERATORS for mutation in operator(subject)}
    assert len(kinds) > 20
    assert set(kinds.values()) == set(Verdict)
