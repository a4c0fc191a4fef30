"""Ages of values: decided when shown, for one state of the texts, whatever the order of events.

Invariant 17 of ARCHITECTURE.md.
"""

from __future__ import annotations

import random

from snd_analysis import rules
from snd_analysis.ide.evaluation import SampleName
from snd_runtime.rules import LIMIT_EXCEEDED
from snd_runtime.samples import SampleOutcome, Status
from snd_server.lsp.session.freshness import Freshness, FreshValues, ValueKey
from snd_server.lsp.values.evaluation_options import EvaluationOptions, evaluation_options

KEY = ValueKey("a.sknd", SampleName("# >>> f(1)"))
OTHER = ValueKey("a.sknd", SampleName("# >>> f(1)", 1))
GOOD = SampleOutcome(Status.UNRECORDED)


def test_from_pending_to_fresh_to_stale_and_back():
    values = FreshValues()
    assert values.of(KEY, "1").freshness is Freshness.NONE
    values.wait(KEY, "1")
    assert values.of(KEY, "1").freshness is Freshness.PENDING
    assert values.of(KEY, "2").freshness is Freshness.NONE, "another state is not what is waited for"
    values.begin(KEY, "1")
    assert values.of(KEY, "1").freshness is Freshness.RUNNING
    assert values.of(OTHER, "1").freshness is Freshness.NONE
    values.end(KEY, "1", GOOD, 0.1)
    fresh = values.of(KEY, "1")
    assert (fresh.freshness, fresh.settled, fresh.outcome) == (Freshness.FRESH, True, GOOD)
    stale = values.of(KEY, "2")
    assert (stale.freshness, stale.settled, stale.outcome) == (Freshness.STALE, False, GOOD)
    values.wait(KEY, "2")
    waiting = values.of(KEY, "2")
    assert (waiting.freshness, waiting.outcome) == (Freshness.PENDING, GOOD)
    assert values.of(KEY, "1").freshness is Freshness.FRESH, (
        "an edit that is undone leaves the value as fresh as it was"
    )


def test_a_result_that_comes_too_late_is_stale():
    values = FreshValues()
    values.begin(KEY, "1")
    values.end(KEY, "1", GOOD, 0.1)
    assert values.of(KEY, "2").freshness is Freshness.STALE


def test_what_went_wrong():
    values = FreshValues()
    for outcome, freshness in (
        (SampleOutcome(Status.FAILED, rule=rules.DIVISION_BY_ZERO, message="…"), Freshness.FAILED),
        (SampleOutcome(Status.FAILED, rule=LIMIT_EXCEEDED, message="…"), Freshness.OVER_LIMIT),
        (
            SampleOutcome(Status.DIFFERS, rule=rules.SAMPLE_DIFFERS, message="another error than the one recorded"),
            Freshness.FAILED,
        ),
        (SampleOutcome(Status.AS_EXPECTED, rule=LIMIT_EXCEEDED, message="…"), Freshness.FRESH),
        (SampleOutcome(Status.DIFFERS), Freshness.FRESH),
        (SampleOutcome(Status.OK), Freshness.FRESH),
    ):
        values.end(KEY, "1", outcome, 0.1)
        assert values.of(KEY, "1").freshness is freshness
        assert values.of(KEY, "2").freshness is Freshness.STALE


def test_what_is_given_up_leaves_what_was_there():
    values = FreshValues()
    values.end(KEY, "1", GOOD, 0.1)
    values.wait(KEY, "2")
    values.begin(KEY, "2")
    values.give_up(KEY, "2")
    assert values.of(KEY, "2").freshness is Freshness.STALE
    values.wait(KEY, "3")
    values.give_up(KEY, "3")
    assert values.of(KEY, "3").freshness is Freshness.STALE
    assert values.seconds(KEY) == 0.1


def test_samples_that_are_gone_are_forgotten():
    values = FreshValues()
    elsewhere = ValueKey("b.sknd", KEY.name)
    for key in (KEY, OTHER, elsewhere):
        values.end(key, "1", GOOD, 0.1)
    values.keep("a.sknd", {OTHER.name})
    assert [values.of(key, "1").freshness for key in (KEY, OTHER, elsewhere)] == [
        Freshness.NONE,
        Freshness.FRESH,
        Freshness.FRESH,
    ]


def test_no_order_of_events_makes_another_state_fresh():
    chance = random.Random(0)
    for _ in range(300):
        values, found = FreshValues(), None
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
