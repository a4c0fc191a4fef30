"""Random formulas give the same by plan and element by element, in chunks of any size (invariant 13)."""

from __future__ import annotations

from hypothesis import HealthCheck, event, given, note, settings

from generators.random_contractions import contractions
from generators.random_formulas import Program, programs
from oracles.agreement import assert_agreement
from snd_runtime.errors import EvaluationFailed
from support.runtime.operators import InvalidError, compiled
from support.sampling import examples

_SLOW = [HealthCheck.too_slow, HealthCheck.data_too_large]


@settings(max_examples=examples(120), deadline=None, suppress_health_check=_SLOW)
@given(programs())
def test_plan_and_oracle_agree(program: Program):
    _agree(program)


@settings(max_examples=examples(120), deadline=None, suppress_health_check=_SLOW)
@given(contractions())
def test_sums_of_products(program: Program):
    _agree(program)


def _agree(program: Program) -> None:
    note(program.text)
    try:
        lowered = compiled(program.text, program.inputs)
    except InvalidError:
        return
    except EvaluationFailed as failed:
        assert failed.rule.name in ("division-by-zero", "index-out-of-range"), failed  # noqa: PT017
        return
    rule = assert_agreement(lowered, program.inputs)
    event(f"fails by {rule}" if rule else "has values")
