"""Ages of values: decided by what is shown, for one state of the texts, whatever happened in which order.

Invariant 17 of ARCHITECTURE.md.
"""

from __future__ import annotations

import random

from snd_analysis import rules
from snd_analysis.ide.samples import SampleName
from snd_runtime.rules import LIMIT_EXCEEDED
from snd_runtime.samples import SampleOutcome, Status
from snd_server.lsp.ages import Age, ValueKey, Values
from snd_server.lsp.evaluation_options import EvaluationOptions, evaluation_options

KEY = ValueKey("a.sknd", SampleName("# >>> f(1)"))
OTHER = ValueKey("a.sknd", SampleName("# >>> f(1)", 1))
GOOD = SampleOutcome(Status.UNRECORDED)


def test_from_pending_to_fresh_to_stale_and_back():
    values = Values()
    assert values.of(KEY, "1").age is Age.NONE
    values.wait(KEY, "1")
    assert values.of(KEY, "1").age is Age.PENDING
    assert values.of(KEY, "2").age is Age.NONE, "another state is not what is waited for"
    values.begin(KEY, "1")
    assert values.of(KEY, "1").age is Age.RUNNING
    assert values.of(OTHER, "1").age is Age.NONE
    values.end(KEY, "1", GOOD, 0.1)
    fresh = values.of(KEY, "1")
    assert (fresh.age, fresh.settled, fresh.outcome) == (Age.FRESH, True, GOOD)
    stale = values.of(KEY, "2")
    assert (stale.age, stale.settled, stale.outcome) == (Age.STALE, False, GOOD)
    values.wait(KEY, "2")
    waiting = values.of(KEY, "2")
    assert (waiting.age, waiting.outcome) == (Age.PENDING, GOOD)
    assert values.of(KEY, "1").age is Age.FRESH, "an edit that is undone leaves the value as fresh as it was"


def test_a_result_that_comes_too_late_is_stale():
    values = Values()
    values.begin(KEY, "1")
    values.end(KEY, "1", GOOD, 0.1)
    assert values.of(KEY, "2").age is Age.STALE


def test_what_went_wrong():
    values = Values()
    for outcome, age in (
        (SampleOutcome(Status.FAILED, rule=rules.DIVISION_BY_ZERO, message="…"), Age.FAILED),
        (SampleOutcome(Status.FAILED, rule=LIMIT_EXCEEDED, message="…"), Age.OVER_LIMIT),
        (
            SampleOutcome(Status.DIFFERS, rule=rules.SAMPLE_DIFFERS, message="another error than the one recorded"),
            Age.FAILED,
        ),
        (SampleOutcome(Status.AS_EXPECTED, rule=LIMIT_EXCEEDED, message="…"), Age.FRESH),
        (SampleOutcome(Status.DIFFERS), Age.FRESH),
        (SampleOutcome(Status.OK), Age.FRESH),
    ):
        values.end(KEY, "1", outcome, 0.1)
        assert values.of(KEY, "1").age is age
        assert values.of(KEY, "2").age is Age.STALE


def test_what_is_given_up_leaves_what_was_there():
    values = Values()
    values.end(KEY, "1", GOOD, 0.1)
    values.wait(KEY, "2")
    values.begin(KEY, "2")
    values.give_up(KEY, "2")
    assert values.of(KEY, "2").age is Age.STALE
    values.wait(KEY, "3")
    values.give_up(KEY, "3")
    assert values.of(KEY, "3").age is Age.STALE
    assert values.seconds(KEY) == 0.1


def test_samples_that_are_gone_are_forgotten():
    values = Values()
    elsewhere = ValueKey("b.sknd", KEY.name)
    for key in (KEY, OTHER, elsewhere):
        values.end(key, "1", GOOD, 0.1)
    values.keep("a.sknd", {OTHER.name})
    assert [values.of(key, "1").age for key in (KEY, OTHER, elsewhere)] == [Age.NONE, Age.FRESH, Age.FRESH]


def test_no_order_of_events_makes_another_state_fresh():
    chance = random.Random(0)
    for _ in range(300):
        values, found = Values(), None
        for _ in range(20):
            digest = chance.choice("123")
            event = chance.choice((values.wait, values.begin, values.give_up, values.end))
            if event == values.end:
                values.end(KEY, digest, GOOD, 0.1)
                found = digest
            else:
                event(KEY, digest)  # type: ignore[call-arg, arg-type]
            for state in "123":
                assert values.of(KEY, state).settled <= (state == found)


def test_options_decide_about_values_as_far_as_they_matter():
    default = EvaluationOptions()
    assert evaluation_options({}) == default
    assert evaluation_options({"evaluation": False}).enabled is False
    assert evaluation_options({"evaluation": {"timeout": -1, "memory": "much", "automatic": 0}}) == default
    other = evaluation_options({"evaluation": {"seed": 3, "real": "f64", "timeout": 2, "automatic": False}})
    assert (other.seed, other.real, other.timeout, other.automatic) == (3, "f64", 2, False)
    assert other.digest("x") != default.digest("x") != default.digest("y")
    assert evaluation_options({"evaluation": {"budget": 3, "automatic": False}}).digest("x") == default.digest("x")
