"""One run of ``snd run``: check, evaluate in a worker process, show."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import quote

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from snd_analysis import rules
from snd_analysis.base import Diagnostic, Elsewhere, Location, Related, Severity, Span, checked_by
from snd_analysis.compose import Composition, Failure, Session, Site, Template, compose_root, shown
from snd_analysis.skriptnd.names import is_format_library, is_library
from snd_analysis.symbolic.integers import Integer
from snd_analysis.symbolic.values import Value
from snd_analysis.workspace import Snapshot, reached_diagnostics
from snd_runtime.evaluation import EvaluationAnswer, EvaluationRequest, Evaluator, Progress, ShownStep
from snd_runtime.execution import variable_tensors, weight_use
from snd_runtime.execution.plain import plain
from snd_runtime.files import write_npy
from snd_runtime.limits import Limits, too_slow
from snd_runtime.rules import LIMIT_EXCEEDED
from snd_runtime.values import PlainValue
from snd_runtime.worker import ProcessLimits, WorkerFailed
from snd_server.checking.checker import Checker
from snd_server.checking.suppressed import unsuppressed
from snd_server.console.tracebacks import show_traceback
from snd_server.extras import demand_onnx
from snd_server.limits import MOST_LISTED_NAMES, MOST_RUN_NOTES
from snd_server.render.evaluated import Evaluated
from snd_server.running.arguments import ArgumentError, parse_arguments, unknown_name
from snd_server.running.definitions import chosen_definition, demand_quantizations
from snd_server.running.expectations import TOLERANCE, compared, expected_tensors
from snd_server.running.specified_names import as_declared, with_reals
from snd_server.running.state_files import demand_suffix, variables_content
from snd_server.running.tensor_inputs import given_tensors
from snd_server.running.weight_maps import MapRule, idle_rules, read_rules, renamed
from snd_server.running.weights import by_variables, loaded, mismatch, read_weights, stored_weights, weights_beside
from snd_server.workspace_files.discovery import NNEF1_SUFFIX
from snd_server.workspace_files.model_folder import no_file
from snd_server.workspace_files.writing import (
    ChangedMeanwhileError,
    FileVersion,
    made_folders,
    replace_version,
    version_of,
    withdrawn_if_interrupted,
    write_file,
    write_together,
)

CLEAN, PROBLEMS, FAULT = 0, 1, 101
_IN_FILE_NAMES = " !#$&'()+,;=@[]^`{}"


class RunRequest(Struct, frozen=True):
    """The command line of ``snd run``. Memory is in bytes; None for time is no limit."""

    path: str
    graph: str | None = None
    operator: str | None = None
    attributes: tuple[str, ...] = ()
    types: tuple[str, ...] = ()
    inputs: tuple[str, ...] = ()
    weights: str | None = None
    seed: int = 0
    double: bool = False
    output: str | None = None
    quantize: bool = False
    trace: bool = False
    seconds: float | None = None
    memory_bytes: int = 4 << 30
    config: str | None = None
    map: str | None = None
    steps: int = 1
    state: str | None = None
    save_weights: str | None = None
    expect: tuple[str, ...] = ()
    tolerance: float = TOLERANCE
    engine: str = "snd"
    strict: bool | None = None
    """True to demand a weight for each variable, and a variable for each weight; None for given ``weights`` only."""
    rules: tuple[MapRule, ...] = ()
    """Rules that rename weights; a file ``map`` has others instead."""
    arrays: Mapping[str, np.ndarray[Any, Any]] | None = None
    """Weights of a model that was no file; ``weights`` goes before them."""
    pulse: tuple[str, int] | None = None
    """The symbol that a graph in NNEF 1.0 sees pulse by pulse, and the number of items of a pulse."""


class Observer(Struct, frozen=True):
    """Callbacks during a run: for the steps, if they are traced, and for the progress."""

    step: Callable[[ShownStep], None]
    progress: Callable[[int, int], None]


def evaluate(checker: Checker, request: RunRequest, observer: Observer) -> tuple[Evaluated, int]:
    """Evaluate the request, and write the outputs; return the data to show, and the exit status.

    The worker may be a copy of this process. Raise ArgumentError for missing items, ConfigError and OSError.
    """
    try:
        with _evaluator(request) as evaluator, checked_by(_time_limit(request.seconds)):
            return _evaluated(evaluator, checker, request, observer)
    except _TookTooLong as error:
        found = Diagnostic(LIMIT_EXCEEDED, Severity.ERROR, str(error), Location(request.path, Span(0, 0)))
        kind, name = ("graph", request.graph) if request.operator is None else ("operator", request.operator)
        return Evaluated(name or "", kind, request.seed, request.double, {}, diagnostics=(found,)), PROBLEMS


def _evaluator(request: RunRequest) -> Evaluator:
    """Return the evaluator of the requested engine.

    Raise ArgumentError for requests beyond the engine, and MissingExtraError if it is not installed.
    """
    limits = ProcessLimits(memory_bytes=request.memory_bytes)
    if request.engine == "snd":
        return Evaluator(limits, forks=True)
    for option, is_given in (
        ("--trace", request.trace),
        ("--quantize", request.quantize),
        ("--real f64", request.double),
    ):
        if is_given:
            raise ArgumentError(f"--engine {request.engine} can't be used with {option}")
    demand_onnx()
    return Evaluator(limits, target="snd_server.exchange.onnx_export.engine:make")


class _TookTooLong(Exception):  # noqa: N818 - it is no fault
    """The texts alone take more time than the run may."""


def _time_limit(seconds: float | None) -> Callable[[], None]:
    """Return a checkpoint that raises ``_TookTooLong`` after so many seconds."""
    if seconds is None:
        return lambda: None
    end = time.monotonic() + seconds

    def checkpoint() -> None:
        if time.monotonic() > end:
            raise _TookTooLong(too_slow(seconds))

    return checkpoint


def _evaluated(
    evaluator: Evaluator, checker: Checker, request: RunRequest, observer: Observer
) -> tuple[Evaluated, int]:
    snapshot = checker.snapshot(request.path)
    if snapshot.file(request.path) is None:
        raise ArgumentError(no_file(request.path))
    if request.output is not None and os.path.exists(request.output) and not os.path.isdir(request.output):
        raise ArgumentError(f"--output {request.output}: this is a file, and outputs are written into a folder")
    before = None if request.state is None else version_of(request.state)
    try:
        prepared = prepare(snapshot, request, checker.configurations.of_file(request.path).weights)
    except UnknownOutputError:
        template = chosen_definition(snapshot, request.path, request.graph, request.operator)
        wrong = _diagnostics(checker, snapshot, template)
        if is_broken(wrong):  # the operation may be known once that is mended
            kind = template.definition.kind
            return Evaluated(template.shown, kind, request.seed, request.double, {}, diagnostics=wrong), PROBLEMS
        raise
    template = prepared.template
    outputs = [member.name for member in template.outputs]
    expected = expected_tensors(request.expect, outputs, request.memory_bytes)
    diagnostics = _diagnostics(checker, snapshot, template)
    evaluated = replace(prepared.shown, diagnostics=diagnostics)
    if is_broken(diagnostics):
        return evaluated, PROBLEMS
    evaluation = prepared.evaluation
    answer, status = answer_of(evaluator, checker, snapshot, evaluation, observer, request.path)
    if evaluation.strict and not answer.failures:
        _demand_weights(request, answer)
    failures = tuple(diagnostic_of(failure, snapshot, template) for failure in answer.failures)
    equal: tuple[str, ...] = ()
    differing: tuple[str, ...] = ()
    if not failures:
        with withdrawn_if_interrupted():
            _write(request, answer, before)
        equal, differing = compared(answer.arrays or {}, expected, request.tolerance)
    evaluated = replace(
        evaluated,
        answer=replace(answer, arrays=None, variables=None),
        diagnostics=(*diagnostics, *failures),
        differing=differing,
        equal=equal,
    )
    return evaluated, status or (PROBLEMS if failures or differing else CLEAN)


class UnknownOutputError(ArgumentError):
    """An output of a graph in NNEF 1.0 depends on unknown or unread parts."""


class PreparedRun(Struct, frozen=True):
    """The definition to run, its request, and its display before the run."""

    template: Template
    evaluation: EvaluationRequest
    shown: Evaluated


def prepare(snapshot: Snapshot, request: RunRequest, configured: str | None = None) -> PreparedRun:
    """Find the requested definition, and read its arguments; ``configured`` is the default place of the weights.

    Raise ArgumentError for missing items, and OSError.
    """
    template = chosen_definition(snapshot, request.path, request.graph, request.operator)
    _demand_known_outputs(snapshot, request)
    attributes, tensors = request.attributes, request.inputs
    if is_format_library(template.name.path):
        attributes, tensors = as_declared(template, attributes, tensors, request.memory_bytes)
    inputs = given_tensors(tensors, request.memory_bytes, names=[member.name for member in template.inputs])
    if is_format_library(template.name.path):
        attributes = with_reals(template, attributes, inputs)
    given = parse_arguments(template, attributes, (), request.types)
    _demand_inputs(template, inputs)
    strict = request.weights is not None if request.strict is None else request.strict
    named, idle = _weights(snapshot, request, configured)
    if idle is not None and strict:
        raise ArgumentError(f"{idle}; --no-strict ignores them" if request.map else idle)
    weights = _with_state(request, named)
    evaluation = EvaluationRequest(
        template.name,
        _plain_attributes(given.attributes),
        given.dtypes,
        inputs,
        weights,
        request.seed,
        request.double,
        Limits(seconds=request.seconds, tensor_bytes=request.memory_bytes),
        quantize=request.quantize,
        trace=request.trace,
        keep=request.output is not None or bool(request.expect),
        steps=request.steps,
        strict=strict,
        keep_variables=request.state is not None or request.save_weights is not None,
    )
    nothing_yet = Evaluated(
        template.shown, template.definition.kind, request.seed, request.double, given.attributes,
        names_labels=names_labels(request), idle_rules=idle,
    )  # fmt: skip
    return PreparedRun(template, evaluation, nothing_yet)


def _demand_known_outputs(snapshot: Snapshot, request: RunRequest) -> None:
    """Raise ArgumentError for a graph in NNEF 1.0 that can't be run as requested, and for its options elsewhere."""
    if not request.path.endswith(NNEF1_SUFFIX) or request.operator is not None:
        if request.pulse is not None:
            raise ArgumentError("--pulse is for graphs in NNEF 1.0")
        return
    from snd_analysis.workspace import elaborated  # SkriptND does without the other language

    read = elaborated(snapshot.db, request.path)
    if read.unknown_results:
        message = f"the output '{read.unknown_results[0]}' depends on an operation that snd does not know"
        if request.pulse is not None:
            option = f"--pulse {request.pulse[0]}={request.pulse[1]}"
            message = (
                f"{option}: the output '{read.unknown_results[0]}' can't be computed; 'snd check {option}' says why"
            )
        raise UnknownOutputError(message)
    if request.quantize:
        demand_quantizations(snapshot, request.path)
    for tensor, fragment in read.quantized_by_fragments.left_out.items() if request.quantize else ():
        message = f"'{fragment}' of graph.quant can't be applied to '{tensor}': it gives no tensor of the same shape"
        raise ArgumentError(f"--quantize: {message}")


def _weights(snapshot: Snapshot, request: RunRequest, configured: str | None) -> tuple[Mapping[str, Any], str | None]:
    """Return the requested weights, else the weights stored with the model, and a note about rules without a weight.

    A run may use stored weights in part.
    """
    place, is_nnef1 = request.weights, request.path.endswith(NNEF1_SUFFIX)
    found: Mapping[str, Any] = {}
    if place is None and request.arrays is not None:
        found = request.arrays
    elif place is None and request.operator is None:
        place = configured if is_nnef1 else weights_beside(request.path, configured)
    if request.weights is None and request.arrays is None:
        found = stored_weights(snapshot, request.path, request.memory_bytes)
    if place is not None:
        given = read_weights(place, request.memory_bytes)
        found = {**found, **(by_variables(snapshot, request.path, given) if is_nnef1 else given)}
    rules = request.rules if request.map is None else read_rules(request.map)
    return renamed(found, rules), idle_rules(found, rules)


def _demand_weights(request: RunRequest, answer: EvaluationAnswer) -> None:
    """Raise ArgumentError unless every variable has a weight and every weight a variable."""
    _demand_own_state(request, answer)
    wrong = mismatch(answer.drawn, answer.unused, "label" if names_labels(request) else "name")
    if wrong is None:
        return
    alike = [f"'{weight}' has the shape of '{variable}'" for weight, variable in answer.suggestions.items()]
    lines = [
        f"weights {request.weights or 'of the model'}: {wrong}",
        *alike[:MOST_LISTED_NAMES],
        "--map FILE renames weights, --write-map FILE proposes such a file, --no-strict draws missing weights",
    ]
    raise ArgumentError("\n  ".join(lines))


def names_labels(request: RunRequest) -> bool:
    """Return whether weights have the labels of variables as names, as in NNEF 1.0."""
    return request.path.endswith(NNEF1_SUFFIX) and request.operator is None


def _with_state(request: RunRequest, weights: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return weights with the variables of the state file in their place, if there is one by now."""
    for option, path in (("--state", request.state), ("--save-weights", request.save_weights)):
        if path is not None:
            demand_suffix(option, path)
    if request.state is None or not os.path.exists(request.state):
        return weights
    # A mapped file may not be replaced meanwhile: this one is written afterwards.
    return {**weights, **loaded(read_weights(request.state, request.memory_bytes))}


def propose_map(checker: Checker, request: RunRequest, path: str) -> str:
    """Write rules that rename the weights of a request to the variables; return a phrase about open cases.

    Raise ArgumentError and OSError.
    """
    from snd_server.running.map_proposal import proposed_rules, write_proposal

    snapshot = checker.snapshot(request.path)
    if snapshot.file(request.path) is None:
        raise ArgumentError(no_file(request.path))
    template = chosen_definition(snapshot, request.path, request.graph, request.operator)
    given = parse_arguments(template, request.attributes, (), request.types)
    weights, _ = _weights(snapshot, request, checker.configurations.of_file(request.path).weights)
    root = compose_root(Session(snapshot), template, given.attributes, given.dtypes)
    if root.failures or is_broken(_diagnostics(checker, snapshot, template)):
        raise ArgumentError(f"{request.path} has errors: 'snd check' shows them")
    variables = {
        name: tuple(each.value if isinstance(each, Integer) else None for each in tensor.shape or ())
        for name, tensor in variable_tensors(root).items()
    }
    shapes = {name: tuple(value.shape) for name, value in weights.items()}
    proposal = proposed_rules(shapes, variables)
    use = weight_use([root], renamed(weights, proposal.rules))
    return write_proposal(path, proposal, mismatch(use.drawn, use.unused), "run")


# ---- evaluation ------------------------------------------------------------------------------------------------------
def _plain_attributes(attributes: Mapping[str, Value]) -> dict[str, PlainValue]:
    found = {}
    for name, value in attributes.items():
        try:
            found[name] = plain(value)
        except ValueError:
            raise ArgumentError(f"--attrib {name}={shown(value)}: this has too many items") from None
    return found


def _demand_inputs(template: Template, inputs: dict[str, Any]) -> None:
    known = [member.name for member in template.inputs]
    for name in inputs:
        if name not in known:
            raise unknown_name(template, "input", name, known)


# ---- diagnostics -----------------------------------------------------------------------------------------------------
def _diagnostics(checker: Checker, snapshot: Snapshot, template: Template) -> tuple[Diagnostic, ...]:
    """Return the problems of the texts. The worker composes, where that is limited."""
    found: list[Diagnostic] = []
    for path, diagnostics in reached_diagnostics(snapshot, template.name, Composition(None, {}, {}, ())).items():
        least = Severity.ERROR if is_library(path) else Severity.WARNING  # users can't change the library
        selected = checker.select(path, unsuppressed(snapshot, path, diagnostics))
        found += (each for each in selected if each.severity in (least, Severity.ERROR))
    return tuple(found)


def is_broken(diagnostics: tuple[Diagnostic, ...]) -> bool:
    """Return whether there are errors, so that nothing is run."""
    return any(each.severity is Severity.ERROR for each in diagnostics)


def diagnostic_of(failure: Failure, snapshot: Snapshot, template: Template) -> Diagnostic:
    """Return a failure of composing or running at its place, with the invocations that led there."""
    sites, related = failure.sites, [*failure.related, *failure.sites[1:]]
    if not sites:  # arguments do not fit: the place is the declaration that states so, or the head
        sites, related = failure.related[:1], related[1:]
        sites = sites or (Site(template.place(0, template.definition.name), ""),)
    if len(related) > MOST_RUN_NOTES:
        related = [*related[: MOST_RUN_NOTES // 2], *related[-MOST_RUN_NOTES // 2 :]]
    notes = tuple(Related(_location(snapshot, site), site.message or "invoked here") for site in related)
    return Diagnostic(failure.rule, Severity.ERROR, failure.message, _location(snapshot, sites[0]), notes)


def _location(snapshot: Snapshot, site: Site) -> Location:
    place = site.place
    return snapshot.locate(Elsewhere(place.path, place.definition, span=place.span))


# ---- the worker ------------------------------------------------------------------------------------------------------
def answer_of(
    evaluator: Evaluator,
    checker: Checker,
    snapshot: Snapshot,
    request: EvaluationRequest,
    observer: Observer,
    configured_by: str,
) -> tuple[EvaluationAnswer, int]:
    """Return the answer; and the exit status, if the worker itself failed. Modules are searched for as by one file."""
    last: Progress | None = None

    def note(content: ShownStep | Progress) -> None:
        nonlocal last
        if isinstance(content, Progress):
            last = content
            observer.progress(content.done, content.total)
        else:
            observer.step(content)

    path = request.name.path
    reached = [path, *snapshot.dependencies(path)]
    texts = {each: snapshot.source(each).text for each in reached if not is_library(each)}
    texts.update(snapshot.tensor_descriptions(path))
    existing = frozenset(each for each, there in checker.reader.looked_for.items() if there)
    settings = checker.configurations.of_file(configured_by).project_settings
    try:
        answer = evaluator.evaluate(texts, request, existing=existing, settings=settings, note=note)
    except WorkerFailed as failed:
        failure = failure_of(failed, last)
        return EvaluationAnswer(failures=(failure,)), CLEAN if failure.rule == LIMIT_EXCEEDED else FAULT
    return answer, CLEAN


def failure_of(failed: WorkerFailed, last: Progress | None) -> Failure:
    """Return the failure of an evaluation whose process was ended; ``last`` is its last report."""
    # A loop may have more operations than could be counted before.
    known = last is not None and last.done < last.total
    progress = f"; {last.done} of {last.total} operations were done" if last is not None and known else ""
    rule = LIMIT_EXCEEDED if failed.reason in ("time", "memory") else rules.INTERNAL_ERROR
    if rule == rules.INTERNAL_ERROR:
        show_traceback(failed.detail)
    return Failure(rule, f"{failed.message}{progress}")


# ---- files ---------------------------------------------------------------------------------------------------------
def _write(request: RunRequest, answer: EvaluationAnswer, before: FileVersion) -> None:
    """Write the state, weights and outputs that are asked for. ``before`` is the version of the state that was read.

    Raise ArgumentError and OSError.
    """
    _demand_own_state(request, answer)
    variables = answer.variables or {}
    if request.state is not None:
        content = variables_content("--state", request.state, variables, answer.updated)
        try:
            replace_version(request.state, content, before)
        except ChangedMeanwhileError:
            raise ArgumentError(
                f"--state {request.state}: another run has changed this file since this run read it, and snd left it "
                "as it is: run again"
            ) from None
    if request.save_weights is not None:
        content = variables_content("--save-weights", request.save_weights, variables, variables)
        write_file(request.save_weights, content, ".npz", ".safetensors")
    if request.output is not None:
        _write_outputs(Path(request.output), answer)


def _demand_own_state(request: RunRequest, answer: EvaluationAnswer) -> None:
    """Raise ArgumentError for the state of another model, which would be lost."""
    if request.state is None or not os.path.exists(request.state):
        return
    strange = sorted(set(answer.unused) & read_weights(request.state, request.memory_bytes).keys())
    if strange:
        raise ArgumentError(
            f"--state {request.state}: this is the state of another model, and stays as it is: "
            f"there is no variable '{strange[0]}'"
        )


def _write_outputs(folder: Path, answer: EvaluationAnswer) -> None:
    """Write ``NAME.npy``, of packs ``NAME.0.npy`` and so on; nothing for null."""
    files: dict[str | os.PathLike[str], Iterable[bytes]] = {}
    for name, value in (answer.arrays or {}).items():
        if isinstance(value, np.ndarray):
            files[folder / f"{_file_name(name)}.npy"] = map(write_npy, (value,))
        elif value is not None:
            for at, item in enumerate(value):
                files[folder / f"{_file_name(name)}.{at}.npy"] = map(write_npy, (np.asarray(item),))
    with made_folders(folder):
        write_together(files)


def _file_name(name: str) -> str:
    """Return the name of a tensor, with characters that file names can't have escaped: ``%2F`` for a slash."""
    return quote(name, safe=_IN_FILE_NAMES) if name.strip(".") else quote(name, safe="").replace(".", "%2E")
