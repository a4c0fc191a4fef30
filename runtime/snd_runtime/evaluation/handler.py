"""The handler of a worker process: it keeps the received texts, and composes and runs definitions on request."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Set
from difflib import SequenceMatcher
from typing import Any, TypeAlias

import numpy as np
from msgspec.structs import replace

from snd_analysis import rules
from snd_analysis.base import ProjectSettings
from snd_analysis.compose import Failure, Session, Template, variables_below
from snd_analysis.workspace import Snapshot, Workspace
from snd_runtime.errors import EvaluationFailed
from snd_runtime.evaluation.answer import EvaluationAnswer, Progress, ShownStep, ShownTensor, shown
from snd_runtime.evaluation.binding import Bound, FoundShapes, bound
from snd_runtime.evaluation.request import EvaluationRequest, InputValue, Texts, WorkOrder, weight_arrays
from snd_runtime.evaluation.tensors import InvalidRequest
from snd_runtime.execution import (
    ComputedTensor,
    Execution,
    RunResult,
    WeightUse,
    execute,
    variable_tensors,
    weight_use,
)
from snd_runtime.execution.factors import Factors
from snd_runtime.execution.failing import failed, failure_of
from snd_runtime.execution.plain import bytes_of, static_shape
from snd_runtime.execution.variables import FittedVariables, Variables
from snd_runtime.limits import Budget, Limits
from snd_runtime.lowering.lowered import Argument

_NOTE_SECONDS = 0.05
"""Minimum seconds between two progress notes: there may be thousands of operations in a second."""


def make() -> Callable[[WorkOrder, Callable[[Any], None]], EvaluationAnswer]:
    """Return the handler of a worker, see ``snd_runtime.worker.child``."""
    files, found = KnownFiles(), FoundShapes()

    def handle(order: WorkOrder, note: Callable[[Any], None]) -> EvaluationAnswer:
        return evaluate(files.snapshot(order.texts), order.request, note, found)

    return handle


Runner: TypeAlias = "Callable[[Session, Bound, Execution, int], RunResult]"
"""A function that runs a bound definition a number of times; see ``run_repeatedly``."""


class KnownFiles:
    """The texts that a process knows, with their analysis (``Workspace``)."""

    def __init__(self) -> None:
        self._existing: frozenset[str] = frozenset()
        self._workspaces: dict[ProjectSettings, Workspace] = {}
        self._texts: dict[str, str] = {}

    def read(self, path: str) -> str:
        """Return the reader that the analysis is given."""
        if path not in self._texts:
            raise FileNotFoundError(path)
        return self._texts[path]

    def exists(self, path: str) -> bool:
        """Return whether there is a file, even if its text was never needed."""
        return path in self._texts or path in self._existing

    def snapshot(self, texts: Texts) -> Snapshot:
        """Return the files after a change."""
        self._existing = texts.existing
        for path in texts.gone:
            self._texts.pop(path, None)
        self._texts.update(texts.changed)
        workspace = self._workspaces.get(texts.settings)
        if workspace is None:
            workspace = self._workspaces[texts.settings] = Workspace(self, texts.settings)
        for each in self._workspaces.values():
            for path in texts.gone:
                each.close(path)
            for path, text in texts.changed.items():
                each.open(path, text)
        return workspace.snapshot()


def evaluate(
    snapshot: Snapshot,
    request: EvaluationRequest,
    note: Callable[[Any], None],
    found: FoundShapes | None = None,
    run: Runner | None = None,
) -> EvaluationAnswer:
    """Compose and run a graph or operator. The answer has all failures; steps and progress are noted on the way.

    Generated ints are 0 or 1; after a division by 0, they are 1 or 2.
    """
    session = Session(snapshot)
    template = session.template(request.name)
    if template is None:
        return EvaluationAnswer(failures=(Failure(rules.UNKNOWN_OPERATOR, f"there is no '{request.name.name}'"),))
    found, run = found or FoundShapes(), run or run_repeatedly
    if all(each.name in request.inputs or each.node.type.text == "real" for each in template.inputs):
        return _evaluated(session, template, request, note, found, run)
    steps: list[ShownStep] = []

    def hold(content: Any) -> None:
        if isinstance(content, ShownStep):
            steps.append(content)  # only the steps of one run are reported
        else:
            note(content)

    answer = _evaluated(session, template, request, hold, found, run)
    if _divides_by_made_int(answer):
        first = steps.copy()
        steps.clear()
        again = _evaluated(session, template, request, hold, found, run, least=1)
        if again.failures:
            steps = first
        else:
            answer = again
    for step in steps:
        note(step)
    return answer


def _divides_by_made_int(answer: EvaluationAnswer) -> bool:
    """Return whether a run stopped at a division by 0 that other inputs may prevent."""
    is_division = any(each.rule == rules.DIVISION_BY_ZERO for each in answer.failures)
    return is_division and any(each.summary is not None and each.summary.dtype == "int" for each in answer.inputs)


def _evaluated(
    session: Session,
    template: Template,
    request: EvaluationRequest,
    note: Callable[[Any], None],
    found: FoundShapes,
    run: Runner,
    least: int = 0,
) -> EvaluationAnswer:
    begin = time.monotonic()
    real = np.dtype(np.float64 if request.double else np.float32)
    answer = EvaluationAnswer()
    try:
        given = bound(session, template, request, real, Budget(request.limits), found, least=least)
        named = zip((member.name for member in template.inputs), given.arguments, strict=True)
        made = [
            tensor
            for name, value in named
            if name in given.made
            for tensor in shown(name, value)
            if not _is_given(tensor, request.inputs.get(name))
        ]
        answer = replace(answer, inputs=tuple(made), composing_seconds=time.monotonic() - begin)
        use = _weight_use(given, request)
        if request.strict and (use.drawn or use.unused):
            return replace(answer, drawn=use.drawn, unused=use.unused, suggestions=_suggestions(given, request, use))
        weights = weight_arrays(request)
        limits = replace(
            request.limits,
            spent_seconds=time.monotonic() - begin,
            spent_bytes=sum(map(bytes_of, (*given.arguments, *weights.values()))),
        )
        execution = replace(_execution(request, limits, real, note), variables=weights)
        outcome = run(session, given, execution, request.steps)
        variables = dict(outcome.variables)
        if request.keep_variables:
            variables.update(_variables_left(session, given, execution, {*use.drawn, *use.loaded}, variables))
    except InvalidRequest as invalid:
        failures = tuple(failure_of(failed(each)) if each.sites else each for each in invalid.failures)
        return replace(answer, failures=failures, composing_seconds=time.monotonic() - begin)
    except EvaluationFailed as stopped:
        return replace(answer, failures=(failure_of(stopped),), running_seconds=time.monotonic() - begin)
    outputs = [tensor for name, value in outcome.outputs.items() for tensor in shown(name, value)]
    return replace(
        answer,
        outputs=tuple(outputs),
        drawn=outcome.drawn,
        unused=use.unused,
        quantized=outcome.quantized,
        suggestions=_suggestions(given, request, replace(use, drawn=outcome.drawn)),
        arrays=dict(outcome.outputs) if request.keep else None,
        variables=variables if request.keep_variables else None,
        updated=outcome.updated,
        notes=outcome.notes,
        running_seconds=time.monotonic() - begin - answer.composing_seconds,
    )


def _execution(
    request: EvaluationRequest, limits: Limits, real: np.dtype[Any], note: Callable[[Any], None]
) -> Execution:
    return Execution(
        real=real,
        seed=request.seed,
        limits=limits,
        watch=(lambda step: note(_shown_step(step))) if request.trace else None,
        compare=request.trace,
        progress=_throttled(note),
        quantize=request.quantize,
        compiles=request.steps > 1,
    )


def run_repeatedly(session: Session, given: Bound, execution: Execution, steps: int) -> RunResult:
    """Run one or more times, each with the variables of the run before. Notifications cover all runs."""
    checked: FittedVariables = {}
    outcome = execute(session, given.specialization, given.arguments, execution, checked)
    drawn, unused = outcome.drawn, outcome.unused
    for number in range(1, steps):
        following = replace(execution, variables={**execution.variables, **outcome.variables}, number=number)
        outcome = execute(session, given.specialization, given.arguments, following, checked)
    return replace(outcome, drawn=drawn, unused=unused)


def _variables_left(
    session: Session, given: Bound, execution: Execution, names: Set[str], known: Mapping[str, Argument]
) -> Iterator[tuple[str, Argument]]:
    """Yield the variables of branches that did not run: a file of all variables must fit the model."""
    real = np.dtype(execution.real)
    drawing = Variables(execution.variables, execution.seed, real, Budget(execution.limits), Factors(session))
    for name, declared in variables_below(given.specialization):
        if name not in known and (name in names or f"{name}[0]" in names):
            yield name, drawing.value(name, declared)


def _weight_use(given: Bound, request: EvaluationRequest) -> WeightUse:
    use = weight_use([given.specialization], request.weights)
    return weight_use([given.specialization, given.root()], request.weights) if use.unused else use


def _suggestions(given: Bound, request: EvaluationRequest, use: WeightUse) -> dict[str, str]:
    """Return the drawn variable of the same shape whose name is most like that of each weight that nothing takes."""
    if not (use.drawn and use.unused):
        return {}
    found: dict[str, str] = {}
    declared = variable_tensors(given.specialization)
    left = {name: static_shape(declared[name]) for name in use.drawn if name in declared}
    for name in use.unused:
        value = request.weights[name]
        alike = [] if isinstance(value, tuple) else [each for each, shape in left.items() if shape == value.shape]
        if alike:
            found[name] = max(alike, key=lambda each: SequenceMatcher(None, name.lower(), each.lower()).ratio())
            del left[found[name]]
    return found


def _throttled(note: Callable[[Any], None]) -> Callable[[int, int], None]:
    last = time.monotonic()

    def progress(done: int, total: int) -> None:
        nonlocal last
        now = time.monotonic()
        if now - last >= _NOTE_SECONDS:
            last = now
            note(Progress(done, total))

    return progress


def _shown_step(step: ComputedTensor) -> ShownStep:
    return ShownStep(shown(step.name, step.value), step.place, step.iterations)


def _is_given(tensor: ShownTensor, value: InputValue) -> bool:
    """Return whether a tensor of a pack was given."""
    return isinstance(value, Mapping) and tensor.item is not None and value.get(tensor.item) is not None
