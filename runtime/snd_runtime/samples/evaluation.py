"""One sample: its run, and the comparison with the recorded results."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

import numpy as np

from snd_analysis import rules
from snd_analysis.base import Rule
from snd_analysis.compose import Session, Site, Specialization, specialization_of
from snd_analysis.model import Operation
from snd_analysis.skriptnd.samples import Sample
from snd_analysis.workspace import CheckedSample
from snd_runtime.errors import EvaluationFailed
from snd_runtime.evaluation.answer import shown
from snd_runtime.execution import Execution, execute
from snd_runtime.limits import Budget, Limits
from snd_runtime.lowering.coverage import check_coverage
from snd_runtime.lowering.lowered import FLOAT32, Argument
from snd_runtime.picture import picture
from snd_runtime.samples.arguments import ArrayFactory
from snd_runtime.samples.comparison import difference
from snd_runtime.samples.outcome import SampleOutcome, SampleResult, Status
from snd_runtime.samples.recording import recorded_text


def evaluate_sample(
    session: Session,
    checked: CheckedSample,
    limits: Limits,
    real: np.dtype[Any] = FLOAT32,
    seed: int = 0,
    pictures: bool = False,
) -> SampleOutcome:
    """Run a sample and compare its results. Exceptions of the evaluation become the outcome."""
    started = time.monotonic()

    def outcome(status: Status, results: tuple[SampleResult, ...] = ()) -> SampleOutcome:
        return SampleOutcome(status, results, seconds=time.monotonic() - started)

    def failure(rule: Rule | None, message: str, sites: tuple[Site, ...] = ()) -> SampleOutcome:
        error = checked.sample.error
        status = Status.FAILED if error is None else Status.DIFFERS
        if error is not None and error.matches(message):
            status = Status.AS_EXPECTED
        return SampleOutcome(status, (), rule, message, sites, time.monotonic() - started)

    if checked.failure is not None:
        return failure(None, checked.failure)
    operation = checked.operation
    callee = None if operation is None else specialization_of(operation)
    if checked.has_errors or operation is None or callee is None or not callee.valid:
        return outcome(Status.INVALID)
    sample = checked.sample
    try:
        specialization, inputs = arguments_of(checked, operation, limits, real, seed)
        execution = Execution(real=real, seed=seed, limits=limits, compare=True)
        outputs = execute(session, specialization, inputs, execution).outputs
        results = tuple(_results(sample, operation, outputs, pictures))
        if not sample.has_results and sample.error is None:
            check_coverage(specialization)
    except EvaluationFailed as inner:
        failed = inner.outside_of_library()
        return failure(failed.rule, failed.message, _sites(failed))
    except Exception as error:  # a fault of ours must cost this sample only
        return failure(rules.INTERNAL_ERROR, f"snd itself failed ({type(error).__name__}: {error})")
    if not sample.has_results:
        return outcome(Status.UNRECORDED, results)
    is_complete = {each.name for each in sample.results} == {each.name for each in results if each.recorded}
    agrees = sample.error is None and is_complete and all(each.recorded and not each.difference for each in results)
    return outcome(Status.OK if agrees else Status.DIFFERS, results)


def arguments_of(
    checked: CheckedSample, operation: Operation, limits: Limits, real: np.dtype[Any], seed: int
) -> tuple[Specialization, list[Argument]]:
    """Return the specialization of a sample, and its arguments.

    Raise EvaluationFailed for an argument without a value.
    """
    specialization = specialization_of(operation)
    assert specialization is not None
    arguments = ArrayFactory(dict(checked.generators), seed, real, Budget(limits))
    inputs = [arguments.array(value) for value in operation.inputs]
    return specialization, inputs + [None] * (len(specialization.template.inputs) - len(inputs))


def _sites(failed: EvaluationFailed) -> tuple[Site, ...]:
    if failed.place is None:
        return ()
    return (Site(failed.place, "it fails here"), *failed.chain)


def _results(
    sample: Sample, operation: Operation, outputs: Mapping[str, Argument], pictures: bool
) -> list[SampleResult]:
    recorded = {each.name: each for each in sample.results}
    callee = specialization_of(operation)
    assert callee is not None
    dtypes = callee.scope.dtypes
    found = []
    for member in callee.template.outputs:
        value = outputs[member.name]
        before = recorded.get(member.name)
        in_full = before is not None and before.value is not None
        dtype = dtypes.get(member.node.type.text, member.node.type.text)
        text = recorded_text(member.name, value, dtype, in_full)
        drawn = picture(value) if pictures and isinstance(value, np.ndarray) else None
        if before is None:
            found.append(SampleResult(member.name, text, False, None, shown(member.name, value), drawn))
            continue
        tolerance = sample.tolerance if before.tolerance is None else before.tolerance
        deviation = difference(before, value, tolerance)
        found.append(SampleResult(member.name, text, True, deviation, shown(member.name, value), drawn))
    return found
