"""Operators that people write, each with a planted mistake: how many are proved, refuted, and how fast.

The files ``rearranging``, ``networks``, ``indices`` and ``selections`` in ``proofs`` have them. A right operator is
proved as a whole; a mistake has a counterexample that fails when it is evaluated. ``make test`` looks at a sample,
``--exhaustive`` at all.
"""

from __future__ import annotations

import re
from pathlib import Path
from random import Random
from statistics import median
from time import process_time, thread_time

import pytest

from support import sampling

pytest.importorskip("z3", reason="proofs need z3-solver, the extra snd[proofs]")

from snd_analysis.base import Severity
from snd_analysis.proofs import Proof, Verdict, proofs_of_operator
from snd_analysis.skriptnd.names import OperatorName
from support.memory import snapshot_of
from support.proofs.agreement import CERTAIN, confirmed, outcomes_of
from support.proofs.reading import read_operator

HERE = Path(__file__).parent / "proofs"
FILES = ("rearranging.sknd", "networks.sknd", "indices.sknd", "selections.sknd")
TEXT = "".join((HERE / name).read_text() for name in FILES)
OPERATORS = {
    match[4]: (match[3], match[1], match[2])
    for match in re.finditer(r"^# mistake: (.*) => (.*)\n(operator (\w+) \{\n(?:.*\n)*?\}\n)", TEXT, re.MULTILINE)
}
SAMPLE = sampling.sample(OPERATORS, 12)
NOT_YET = {"swizzle"}
"""Right operators with conditions that are unknown."""
MOST_SECONDS = 5.0
USUAL_SECONDS = 0.1


def proofs(name: str, text: str) -> list[Proof]:
    """Return the verdicts about conditions; a certain error is a refutation, too."""
    snapshot = snapshot_of({"m.sknd": text})
    errors = [each for each in snapshot.diagnostics("m.sknd") if each.severity is Severity.ERROR]
    assert {each.rule.name for each in errors} <= CERTAIN, errors
    found = proofs_of_operator(snapshot, OperatorName("m.sknd", name), thread_time)
    refuted = [Proof("m.sknd", name, each.location.span, each.message, Verdict.REFUTED) for each in errors]
    return refuted or [confirmed(each, snapshot) for each in found if not each.condition.startswith("the assertion")]


def test_most_are_decided():
    assert len(OPERATORS) >= 220
    assert TEXT.count("\noperator ") == len(OPERATORS)
    assert len(NOT_YET) <= len(OPERATORS) * 0.05


@pytest.mark.parametrize("name", SAMPLE)
def test_a_right_operator_is_proved(name):
    text, _, _ = OPERATORS[name]
    verdicts = {each.condition: (each.verdict, each.reason) for each in proofs(name, text)}
    assert verdicts
    expected = {Verdict.PROVED, Verdict.UNKNOWN} if name in NOT_YET else {Verdict.PROVED}
    assert {verdict for verdict, _ in verdicts.values()} == expected, verdicts


@pytest.mark.parametrize("name", SAMPLE)
def test_a_mistake_is_refuted(name):
    text, right, wrong = OPERATORS[name]
    assert text.count(right) == 1
    found = proofs(name, text.replace(right, wrong))
    assert Verdict.REFUTED in {each.verdict for each in found}, [(each.condition, each.verdict) for each in found]


@pytest.mark.parametrize("name", SAMPLE)
def test_enumeration_says_the_same(name):
    """The evaluator that shares no code with snd finds nothing wrong with a right operator, whatever the sizes."""
    try:
        operator = read_operator(OPERATORS[name][0]).operator
        outcomes = [outcome for _, outcome in outcomes_of(operator, Random(1), 100)]
    except (AssertionError, KeyError, TypeError):
        pytest.skip("the evaluator has no form for something in it")
    allowed = [each for each in outcomes if not each.is_refused]
    assert allowed
    assert [each.broken for each in allowed if each.broken] == []


def test_verdicts_are_fast():
    seconds = []
    for name in SAMPLE:
        text, right, wrong = OPERATORS[name]
        for each in (text, text.replace(right, wrong)):
            snapshot = snapshot_of({"m.sknd": each})
            snapshot.diagnostics("m.sknd")
            before = process_time()
            list(proofs_of_operator(snapshot, OperatorName("m.sknd", name), thread_time))
            seconds.append(process_time() - before)
    assert median(seconds) < USUAL_SECONDS
    assert max(seconds) < MOST_SECONDS
