"""A converted model against its source: both are run on the same inputs, and every output is compared."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
from msgspec.structs import replace

from snd_analysis.compose import Session, compose_root
from snd_analysis.convert import Converted
from snd_runtime.errors import EvaluationFailed
from snd_runtime.evaluation import EvaluationAnswer, Evaluator, ShownStep, ShownTensor
from snd_runtime.execution import ComputedTensor, Execution, bind_arrays, execute
from snd_runtime.limits import Limits
from snd_runtime.lowering.lowered import Argument
from snd_runtime.summary import Summary, summarize
from snd_runtime.worker import ProcessLimits
from snd_server.checking.checker import Checker
from snd_server.console.terminal import say
from snd_server.exchange.conditioning import DifferenceVerdict, Runs, moved, verdict, verdict_of_two_models
from snd_server.exchange.conversion_request import CLEAN, PROBLEMS, ConvertRequest
from snd_server.exchange.inference import Inference, InferenceLimitError
from snd_server.exchange.onnx_import import ConvertedModel, tensor_array
from snd_server.exchange.onnx_import.judge import RuntimeFailedError, run_onnxruntime
from snd_server.exchange.special_values import is_open_in_source, with_special_values
from snd_server.exchange.trials import Comparison, TrialFailed, Trials, compare_on_trials, shown_inputs
from snd_server.limits import LONGEST_VERIFICATION_RUN
from snd_server.running.arguments import ArgumentError
from snd_server.running.chosen_graph import chosen_graph
from snd_server.running.deviation import TOLERANCE, difference, special_difference
from snd_server.running.evaluate import Observer, RunRequest, answer_of, prepare
from snd_server.running.weights import loaded, stored_weights
from snd_server.settings.config import Configurations
from snd_server.settings.rule_selection import RuleSettings

Array: TypeAlias = np.ndarray[Any, Any]
_Arrays: TypeAlias = "Mapping[str, Array]"

_TOLERANCE_OF_HALVES = 2e-2
"""Allowed difference of elements if the source computes with 16-bit reals, relative to the greatest element."""


def verify(request: ConvertRequest, converted: Converted, main: str) -> int:
    """Run a model in NNEF 1.0 and its conversion; return the exit status. Raise ArgumentError if neither runs."""
    drawn = _drawn(request, converted)
    sources = {new: name for name, new in converted.names.items()}
    weights = {
        each.name: drawn[each.source].reshape(each.shape) for each in converted.variables if each.source in drawn
    }

    def compared(evaluator: Evaluator, inputs: _Arrays) -> tuple[Comparison, int]:
        given = {sources.get(name, name): array for name, array in inputs.items()}
        try:
            source, before = _run(evaluator, request, request.path, given, drawn)
        except ArgumentError as failed:
            raise TrialFailed(str(failed).removeprefix("--verify: ")) from None
        target, after = _run(evaluator, request, main, inputs, weights)
        name, differs = _difference(source, target, converted.names)
        if name is None:
            return Comparison(), len(source)
        found = verdict_of_two_models(
            converted.names.get(name, name),
            (source[name], target.get(converted.names.get(name, name))),
            lambda: _run(evaluator, request, request.path, given, drawn, double=True)[0].get(name),
            lambda seed: _run(evaluator, request, main, inputs, weights, double=True, move=seed)[0],
        )
        return _comparison(name, differs + _first_difference(before, after, converted.names), found), len(source)

    def special(evaluator: Evaluator, inputs: _Arrays) -> str | None:
        given = {sources.get(name, name): array for name, array in inputs.items()}
        try:
            source, _ = _run(evaluator, request, request.path, given, drawn)
            target, _ = _run(evaluator, request, main, inputs, weights)
        except ArgumentError:
            return None  # one of the two refuses such inputs
        differs = _first_special(source, target, converted.names)
        return None if differs is None else f"'{differs[0]}' differs: {differs[1]}"

    return _on_trials(request, main, compared, special)


def verify_onnx(request: ConvertRequest, converted: ConvertedModel, main: str, fixed: _Arrays) -> int:
    """Run a model by onnxruntime and its conversion by snd; return the exit status.

    Raise ArgumentError if onnxruntime is missing, or one of the two does not run.
    """
    with Inference(request.memory_bytes) as inference:

        def run(given: _Arrays, tensors: Sequence[str]) -> dict[str, Array]:
            return run_onnxruntime(inference, request.path, given, tensors)

        return _verify_graph(request, converted, main, fixed, run)


def verify_program(request: ConvertRequest, converted: ConvertedModel, main: str, fixed: _Arrays) -> int:
    """Run an exported program by PyTorch and its conversion by snd; return the exit status.

    Raise ArgumentError if PyTorch is missing, or one of the two does not run.
    """
    from snd_server.exchange.torch_import.engine import LoadedProgram

    return _verify_graph(request, converted, main, fixed, LoadedProgram(request.path, converted.source).run)


def _verify_graph(
    request: ConvertRequest,
    converted: ConvertedModel,
    main: str,
    fixed: _Arrays,
    run: Callable[[_Arrays, Sequence[str]], dict[str, Array]],
) -> int:
    """Compare a conversion with its source, which ``run`` evaluates: its outputs, or these tensors."""
    # snd computes in 32 bits where the source rounds to 16 bits after every node.
    tolerance = _TOLERANCE_OF_HALVES if converted.has_halves else TOLERANCE

    def compared(evaluator: Evaluator, inputs: _Arrays) -> tuple[Comparison, int]:
        given = {**{name: inputs[new] for name, new in converted.inputs.items() if new in inputs}, **fixed}
        try:
            source = run(given, ())
        except RuntimeFailedError as failed:
            raise TrialFailed(str(failed)) from None
        except InferenceLimitError as failed:  # with other inputs, too
            raise ArgumentError(f"--verify: {failed}") from None
        target, after = _run(evaluator, request, main, inputs, {})
        name, differs = _difference(source, target, converted.outputs, tolerance)
        if name is None:
            return Comparison(), len(source)
        every = run(given, tuple(converted.tensors))
        before = {name: summarize(array) for name, array in every.items()}
        found = DifferenceVerdict(False) if converted.has_halves else _verdict(request, converted, main, inputs, every)
        return _comparison(name, differs + _first_difference(before, after, converted.tensors), found), len(source)

    def special(evaluator: Evaluator, inputs: _Arrays) -> str | None:
        given = {**{name: inputs[new] for name, new in converted.inputs.items() if new in inputs}, **fixed}
        try:
            source = run(given, ())
            target, after = _run(evaluator, request, main, inputs, {})
            differs = _first_special(source, target, converted.outputs)
            if differs is None:
                return None
            every = run(given, tuple(converted.tensors))
        except (ArgumentError, RuntimeFailedError, InferenceLimitError):
            return None  # one of the two refuses such inputs
        before = {name: summarize(array) for name, array in every.items()}
        alike = {
            name: _equally_special(summary, after[converted.tensors[name]])
            for name, summary in before.items()
            if converted.tensors.get(name) in after
        }
        output, words = differs
        differing, equal = ({name for name, each in alike.items() if each is wanted} for wanted in (False, True))
        is_open = is_open_in_source(converted.source, differing | {output}, equal)
        return None if is_open else f"'{output}' differs: {words}"

    return _on_trials(request, main, compared, special)


def _comparison(name: str, differs: str, found: DifferenceVerdict) -> Comparison:
    if found.is_rounding:
        return Comparison(note=found.words)
    return Comparison(wrong=f"'{name}' differs on random inputs ({{inputs}}): {differs}{found.words}")


def _verdict(
    request: ConvertRequest, converted: ConvertedModel, main: str, inputs: _Arrays, source: _Arrays
) -> DifferenceVerdict:
    """Return whether rounding explains a difference. ``source`` are all tensors of the source."""
    trials = _trials(request, main)
    arguments = [inputs.get(member.name) for member in trials.template.inputs]
    variables = {name: tensor_array(array) for name, array in converted.weights.items()}
    seen: dict[str, Array] = dict(inputs)

    def watch(step: ComputedTensor) -> None:
        if not step.iterations and isinstance(step.value, np.ndarray):
            seen.setdefault(step.name, step.value)

    try:
        specialization = bind_arrays(trials.session, trials.template, arguments, {})
        execution = Execution(seed=request.seed, variables=variables, limits=trials.limits, watch=watch)
        execute(trials.session, specialization, arguments, execution)
    except EvaluationFailed:
        return DifferenceVerdict(False)
    names = {**converted.outputs, **converted.tensors}
    found = {**inputs, **{names.get(name, name): array for name, array in source.items()}}
    differing = [name for name in seen if name in found and difference(found[name], seen[name]) is not None]
    runs = Runs(
        trials.session, specialization, arguments, variables, found, seen, seed=request.seed, limits=trials.limits
    )
    return verdict(runs, differing) if differing else DifferenceVerdict(False)


def _on_trials(
    request: ConvertRequest,
    main: str,
    compared: Callable[[Evaluator, _Arrays], tuple[Comparison, int]],
    special: Callable[[Evaluator, _Arrays], str | None],
) -> int:
    """Compare with small dynamic extents and, as far as the model allows, with large ones; return the exit status.

    A difference for NaN and infinities among the inputs, which ``special`` returns, is a warning.
    """
    trials, count = _trials(request, main), 0
    with Evaluator(ProcessLimits(memory_bytes=request.memory_bytes)) as evaluator:

        def by_name(arguments: Any) -> dict[str, Array]:
            members = zip(trials.template.inputs, arguments, strict=True)
            return {member.name: value for member, value in members if isinstance(value, np.ndarray)}

        def compare(arguments: Any) -> Comparison:
            nonlocal count
            found, count = compared(evaluator, by_name(arguments))
            return found

        tried, found = compare_on_trials(trials, compare)
        changed = with_special_values(tried[0], request.seed) if found.wrong is None else None
        differs = None if changed is None else special(evaluator, by_name(changed))
    if found.wrong is not None:
        say(found.wrong.replace("{inputs}", shown_inputs(trials, tried[-1])), err=True)
        return PROBLEMS
    if not request.quiet:
        plural = "" if count == 1 else "s"
        shown = "; ".join(shown_inputs(trials, each) for each in tried)
        say(found.note or f"{count} output{plural} equal on random inputs ({shown})")
    if differs is not None:
        say(f"warning: for NaN and infinities among the inputs, {differs} (the source and the new model)", err=True)
    return CLEAN


def _trials(request: ConvertRequest, main: str) -> Trials:
    snapshot, _, template = chosen_graph(Checker(Configurations(request.config), RuleSettings()), main, None)
    session, limits = Session(snapshot), Limits(seconds=LONGEST_VERIFICATION_RUN, tensor_bytes=request.memory_bytes)
    return Trials(session, template, compose_root(session, template, {}, {}, {}), seed=request.seed, limits=limits)


def _difference(
    expected: _Arrays, target: _Arrays, names: Mapping[str, str], tolerance: float = TOLERANCE
) -> tuple[str | None, str]:
    """Return the first output that differs, by its name in the source, and by how much; None for equal outputs."""
    for name, array in expected.items():
        found = target.get(names.get(name, name))
        differs = "it is missing" if found is None else difference(found, array, tolerance)
        if differs is not None:
            return name, differs
    return None, ""


def _run(
    evaluator: Evaluator,
    request: ConvertRequest,
    path: str,
    inputs: _Arrays,
    weights: _Arrays,
    double: bool = False,
    move: int | None = None,
) -> tuple[dict[str, Array], dict[str, Summary]]:
    """Return the outputs of a model, and a summary of every tensor. Raise ArgumentError if the model does not run.

    With the seed ``move``, inputs and weights are moved by one unit in the last place.
    """
    checker = Checker(Configurations(request.config, pulse=request.pulse), RuleSettings())
    snapshot = checker.snapshot(path)
    run = RunRequest(path, seed=request.seed, double=double, memory_bytes=request.memory_bytes, trace=not double)
    run = replace(run, seconds=LONGEST_VERIFICATION_RUN)
    prepared = prepare(snapshot, run, checker.configurations.of_file(path).weights)
    values: dict[str, Any] = {**weights, **prepared.evaluation.weights}
    if move is not None:
        inputs, values = moved(inputs, move), moved(loaded(values), move)
    evaluation = replace(prepared.evaluation, inputs=dict(inputs), weights=values, keep=True)
    seen: dict[str, Summary] = {}

    def step(content: ShownStep) -> None:
        for each in content.tensors:
            _note(seen, each)

    answer, _ = answer_of(evaluator, checker, snapshot, evaluation, Observer(step, lambda done, total: None), path)
    if answer.failures:
        raise ArgumentError(f"--verify: {path} can't be run: {answer.failures[0].message}")
    return _outputs(answer), seen


def _outputs(answer: EvaluationAnswer) -> dict[str, Array]:
    arrays: Mapping[str, Argument] = answer.arrays or {}
    return {name: np.asarray(value) for name, value in arrays.items() if value is not None}


def _drawn(request: ConvertRequest, converted: Converted) -> dict[str, Array]:
    """Random values for the variables of the source that have no file: numbers around 1, as variances have to be."""
    snapshot = Checker(Configurations(request.config, pulse=request.pulse), RuleSettings()).snapshot(request.path)
    stored = stored_weights(snapshot, request.path, request.memory_bytes)
    shapes = {each.name: each.shape for each in snapshot.stored_variables(request.path)}
    chance = np.random.default_rng(request.seed)
    return {
        each.source: chance.uniform(0.5, 1.5, shapes[each.source]).astype(np.float32)
        for each in converted.variables
        if each.source not in stored and each.dtype == "real"
    }


def _note(seen: dict[str, Summary], tensor: ShownTensor) -> None:
    if tensor.summary is not None and tensor.item is None:
        seen[tensor.name] = tensor.summary


def _first_difference(before: Mapping[str, Summary], after: Mapping[str, Summary], names: Mapping[str, str]) -> str:
    """Return the first tensor on the way whose statistics differ, as the end of a message."""
    for name, summary in before.items():
        found = after.get(names.get(name, name))
        if found is not None and not _alike(summary, found):
            return f"; the first tensor that differs is '{name}'"
    return ""


def _first_special(expected: _Arrays, target: _Arrays, names: Mapping[str, str]) -> tuple[str, str] | None:
    """Return the first output that differs in NaN or infinities, with the difference in words."""
    for name, array in expected.items():
        found = target.get(names.get(name, name))
        words = None if found is None else special_difference(array, found)
        if words is not None:
            return name, words
    return None


def _equally_special(one: Summary, other: Summary) -> bool:
    return (one.nan, one.infinite) == (other.nan, other.infinite)


def _alike(one: Summary, other: Summary) -> bool:
    if one.shape != other.shape:
        return False
    return np.allclose(_statistics(one), _statistics(other), rtol=TOLERANCE, atol=TOLERANCE, equal_nan=True)


def _statistics(summary: Summary) -> list[float]:
    found = (summary.least, summary.greatest, summary.mean, summary.deviation, summary.nan, summary.true)
    return [np.nan if each is None else float(each) for each in found]
