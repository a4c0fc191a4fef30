"""A run of a graph that traces each tensor: with the arguments of a sample, or as ``snd run`` runs it."""

from __future__ import annotations

import time
from collections.abc import Mapping

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from snd_analysis import rules
from snd_analysis.compose import Session, Specialization, Template, specialization_of
from snd_analysis.skriptnd.names import OperatorName
from snd_analysis.workspace import Snapshot
from snd_runtime.errors import EvaluationFailed
from snd_runtime.evaluation.binding import FoundShapes, bound
from snd_runtime.evaluation.request import EvaluationRequest, weight_arrays
from snd_runtime.evaluation.tensors import InvalidRequest
from snd_runtime.execution import Execution, RunResult, execute
from snd_runtime.execution.plain import bytes_of
from snd_runtime.limits import Budget
from snd_runtime.lowering.lowered import Argument
from snd_runtime.samples.evaluation import arguments_of
from snd_runtime.samples.request import SampleRequest
from snd_runtime.samples.trace import GraphTrace, Tracer


class TraceRequest(Struct, frozen=True):
    """A request to trace a graph.

    ``around`` has the texts, and the options of their evaluation: its limits hold for the run. The graph is invoked by
    a sample of the same file, the ``sample``-th from 0, or evaluated as ``given``.
    """

    around: SampleRequest
    name: OperatorName
    sample: int | None = None
    given: EvaluationRequest | None = None


class _Run(Struct, frozen=True):
    specialization: Specialization
    arguments: list[Argument]
    made: tuple[str, ...] = ()


def trace_graph(snapshot: Snapshot, request: TraceRequest, found: FoundShapes) -> GraphTrace:
    """Run a graph. The trace has all failures, with the values computed before."""
    session = snapshot.session()
    template = session.template(request.name)
    if template is None:
        return GraphTrace(rule=rules.UNKNOWN_OPERATOR, message=f"there is no '{request.name.name}'")
    tracer = Tracer(template, request.around.pictures)
    trace, begin = GraphTrace(), time.monotonic()
    try:
        run = _bound(snapshot, session, template, request, found)
        begin = time.monotonic()  # composing is cached for the next run
        tracer.begin(run.specialization, run.arguments)
        shapes = {member.name: _shapes(each) for member, each in zip(template.inputs, run.arguments, strict=True)}
        trace = replace(trace, made=run.made, dtypes=run.specialization.scope.dtypes, shapes=shapes)
        outcome = _run(session, run, request, tracer)
        trace = replace(trace, drawn=outcome.drawn, quantized=outcome.quantized)
    except InvalidRequest as invalid:
        trace = replace(trace, rule=invalid.failures[0].rule, message=invalid.failures[0].message)
    except EvaluationFailed as failed:
        trace = replace(trace, rule=failed.rule, message=failed.message, failed_at=tracer.failed_at(failed))
    values, seconds = tracer.values(), time.monotonic() - begin
    return replace(trace, values=values, left_out=tracer.left_out, seconds=seconds)


def _bound(snapshot: Snapshot, session: Session, template: Template, request: TraceRequest, found: FoundShapes) -> _Run:
    around = request.around
    if request.sample is None:
        given = request.given or EvaluationRequest(request.name)
        binding = bound(session, template, given, around.real, Budget(around.limits), found)
        return _Run(binding.specialization, list(binding.arguments), binding.made)
    sample = snapshot.samples(around.path)[request.sample].sample
    checked = snapshot.checked_sample(around.path, sample)
    operation = checked.operation
    if checked.failure is not None:
        raise EvaluationFailed(rules.SAMPLE_FAILS, checked.failure)
    callee = None if operation is None else specialization_of(operation)
    if checked.has_errors or operation is None or callee is None or not callee.valid:
        raise EvaluationFailed(rules.SAMPLE_FAILS, "the sample that is chosen for it can't be composed")
    return _Run(*arguments_of(checked, operation, around.limits, around.real, around.seed))


def _shapes(argument: Argument) -> tuple[tuple[int, ...], ...] | None:
    if argument is None:
        return None
    return tuple(each.shape for each in ([argument] if isinstance(argument, np.ndarray) else argument))


def _run(session: Session, run: _Run, request: TraceRequest, tracer: Tracer) -> RunResult:
    around = request.around
    weights: Mapping[str, Argument] = {} if request.given is None else weight_arrays(request.given)
    taken = sum(map(bytes_of, run.arguments))
    execution = Execution(
        around.real,
        around.seed,
        weights,
        replace(around.limits, spent_bytes=taken),
        tracer.watch,
        tracer.watch_names,
        compare=True,
        quantize=around.quantize,
    )
    outcome = execute(session, run.specialization, run.arguments, execution)
    tracer.end(outcome)
    return outcome
