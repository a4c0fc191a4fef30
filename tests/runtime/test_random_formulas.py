"""Random formulas give the same by plan and element by element, in chunks of any size."""

from __future__ import annotations

from agreement import assert_agreement
from hypothesis import HealthCheck, event, given, note, settings
from operators import InvalidError, compiled
from random_formulas import Program, programs

from snd_runtime.errors import EvaluationFailed


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(programs())
def test_plan_and_oracle_agree(program: Program):
    note(program.text)
    try:
        lowered = compiled(program.text, program.inputs)
    except InvalidError:
        return
    except EvaluationFailed as failed:
        assert failed.rule in ("division-by-zero", "index-out-of-range"), failed  # noqa: PT017
        return
    rule = assert_agreement(lowered, program.inputs)
    event(f"fails by {rule}" if rule else "has values")
