"""Each operator of the library runs with the inputs that it accepts: no internal error, and no late refusal of shapes.

Attributes and sizes are those that the declarations and assertions accept; values are random, so that a run may refuse
them with a message.
"""

from __future__ import annotations

import pytest

from snd_analysis.compose import Session
from snd_analysis.model import tensors_of
from snd_analysis.skriptnd.names import OperatorName
from snd_runtime.errors import EvaluationFailed
from snd_runtime.execution import Execution, execute
from snd_runtime.execution.plain import static_shape
from snd_runtime.limits import Limits
from snd_runtime.samples import SampleRequest
from snd_runtime.samples.trials import Trial, arrays_in, trials_of
from support.memory import snapshot_of
from support.runtime.library_operators import library_operators
from support.sampling import sample, tries

_SNAPSHOT = snapshot_of({})
_SESSION = Session(_SNAPSHOT)
_OPERATORS = [*library_operators(_SNAPSHOT)]
_FOUND = [OperatorName("snd:tract", "max_pool_with_index")]
"""Operators that refused inputs late: here those without spatial dimensions."""
_SAMPLE = [*dict.fromkeys((*_FOUND, *sample(_OPERATORS, 20)))]
_LIMITS = Limits(seconds=20, tensor_bytes=1 << 28)
_DECIDED_BY_VALUES = {
    "division-by-zero", "index-out-of-range", "limit-exceeded", "negative-extent", "no-evaluation", "unpredictable",
    "assertion-failed", "int-overflow", "invalid-value",
}  # fmt: skip
"""Rules that data, or the limits of this test, break. The operator accepts the shapes."""
_WITHOUT_TRIALS = {
    "padding_conv2d", "padding_conv2d_bias", "conv2d", "conv3d", "depthwise_conv2d", "tract_core_einsum",
    "tract_core_einsum_q",
}  # fmt: skip
"""Operators for which no attributes and inputs are found."""


def _trials(name: OperatorName) -> list[Trial]:
    template = _SESSION.template(name)
    assert template is not None
    return [*trials_of(_SESSION, template, SampleRequest(name.path, {})).found]


@pytest.mark.parametrize("name", _SAMPLE, ids=[f"{each.path.removeprefix('snd:')}.{each.name}" for each in _SAMPLE])
def test_an_operator_of_the_library_runs_with_what_it_accepts(name: OperatorName):
    found = _trials(name)
    assert found or name.name in _WITHOUT_TRIALS
    for trial in found[: tries(4, len(found))]:
        given = trial.bound.specialization
        rule, computed = _computed(trial)
        assert rule is None or rule in _DECIDED_BY_VALUES, dict(trial.attributes)
        composed = [static_shape(tensor) for value in given.outputs for tensor in tensors_of(value)]
        assert all(one in (None, other) for one, other in zip(composed, computed, strict=False)), trial.attributes


def _computed(trial: Trial) -> tuple[str | None, list[tuple[int, ...]]]:
    """The rule that stops a run, or the shapes of its results."""
    try:
        outcome = execute(_SESSION, trial.bound.specialization, trial.bound.arguments, Execution(limits=_LIMITS))
    except EvaluationFailed as failed:
        return failed.rule.name, []
    return None, [array.shape for value in outcome.outputs.values() for array in arrays_in(value)]


def test_every_operator_is_tried():
    assert len(_OPERATORS) > 500
