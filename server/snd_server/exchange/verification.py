"""A converted model against its source: both are run on the same inputs, and every output is compared."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from math import prod
from typing import Any, TypeAlias

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from snd_analysis.compose import Session, Specialization, compose_root
from snd_analysis.convert import Converted
from snd_runtime.errors import EvaluationFailed
from snd_runtime.evaluation import EvaluationAnswer, Evaluator, ShownStep, ShownTensor
from snd_runtime.evaluation.trial_inputs import distinct_inputs, summed_inputs
from snd_runtime.execution import ComputedTensor, Execution, bind_arrays, execute
from snd_runtime.generators import Generator
from snd_runtime.summary import Summary, summarize
from snd_runtime.worker import ProcessLimits
from snd_server.checking.checker import Checker
from snd_server.console.terminal import say
from snd_server.exchange.conditioning import explanation
from snd_server.exchange.conversion_request import CLEAN, PROBLEMS, ConvertRequest
from snd_server.exchange.onnx_import import ConvertedModel, tensor_array
from snd_server.exchange.onnx_import.judge import RuntimeFailedError, run_onnxruntime
from snd_server.running.arguments import ArgumentError
from snd_server.running.chosen_graph import chosen_graph
from snd_server.running.deviation import TOLERANCE, difference
from snd_server.running.evaluate import Observer, RunRequest, answer_of, prepare
from snd_server.running.weights import stored_weights
from snd_server.settings.config import Configurations
from snd_server.settings.rule_selection import RuleSettings

Array: TypeAlias = np.ndarray[Any, Any]

_REST = "what depends on it was not compared"
_TOLERANCE_OF_HALVES = 2e-2
"""Allowed difference of elements if the source computes with 16-bit reals, relative to the greatest element."""


def verify(request: ConvertRequest, converted: Converted, main: str) -> int:
    """Run the source and what it was converted to; return the exit status. Raises ArgumentError if neither runs."""
    drawn = _drawn(request, converted)
    names = converted.names
    sources = {new: name for name, new in names.items()}
    weights = {
        each.name: drawn[each.source].reshape(each.shape) for each in converted.variables if each.source in drawn
    }

    def compared(evaluator: Evaluator, inputs: Sequence[_Input]) -> _Comparison:
        def original(drawing: _Drawn) -> tuple[EvaluationAnswer, dict[str, Summary]]:
            given = {sources.get(name, name): array for name, array in _random(inputs, request.seed, drawing).items()}
            try:
                return _run(evaluator, request, request.path, given, drawn)
            except ArgumentError as failed:
                raise _SourceFailed(str(failed)) from None

        drawing = _DRAWN[0]
        try:
            source, before = original(drawing)
        except _SourceFailed:  # something is divided by one of them
            drawing = _DRAWN[1]
            source, before = original(drawing)
        target, after = _run(evaluator, request, main, _random(inputs, request.seed, drawing), weights)
        expected = {name: np.asarray(array) for name, array in (source.arrays or {}).items()}
        return _compared(inputs, expected, target, lambda: _first_difference(before, after, names), names)

    return _on_small_and_large(request, main, weights, compared)


def verify_onnx(request: ConvertRequest, converted: ConvertedModel, main: str, fixed: Mapping[str, Array]) -> int:
    """Run a model by onnxruntime and what it was converted to; return the exit status.

    Raises ArgumentError if onnxruntime is missing, or one of the two does not run.
    """

    def compared(evaluator: Evaluator, inputs: Sequence[_Input]) -> _Comparison:
        failed = ""
        for drawn in _DRAWN:
            arrays = _random(inputs, request.seed, drawn)
            given = {name: arrays[new] for name, new in converted.inputs.items() if new in arrays}
            try:
                expected = run_onnxruntime(request.path, {**given, **fixed})
                break
            except RuntimeFailedError as problem:
                failed = failed or f"--verify: {problem}"
        else:
            raise _SourceFailed(failed)
        target, after = _run(evaluator, request, main, arrays, {})

        def first_difference() -> str:
            every = run_onnxruntime(request.path, {**given, **fixed}, tuple(converted.tensors))
            before = {name: summarize(array) for name, array in every.items()}
            return _first_difference(before, after, converted.tensors)

        # snd computes in 32 bits what the source rounds to 16 after every node.
        tolerance = _TOLERANCE_OF_HALVES if converted.has_halves else TOLERANCE
        found = _compared(inputs, expected, target, first_difference, converted.outputs, tolerance)
        if found.differing and not converted.has_halves:
            every = run_onnxruntime(request.path, {**given, **fixed}, tuple(converted.tensors))
            return _judged(request, converted, main, arrays, every, found)
        return found

    return _on_small_and_large(request, main, {}, compared)


def _judged(
    request: ConvertRequest,
    converted: ConvertedModel,
    main: str,
    inputs: Mapping[str, Array],
    source: Mapping[str, Array],
    comparison: _Comparison,
) -> _Comparison:
    """Return a comparison with what rounding has to do with the difference. ``source`` are tensors of the source."""
    snapshot, _, template = chosen_graph(Checker(Configurations(request.config), RuleSettings()), main, None)
    session = Session(snapshot)
    if any(member.node.pack is not None for member in template.inputs):
        return comparison
    arguments = [inputs.get(member.name) for member in template.inputs]
    variables = {name: tensor_array(array) for name, array in converted.weights.items()}
    seen: dict[str, Array] = dict(inputs)

    def watch(step: ComputedTensor) -> None:
        if not step.iterations and isinstance(step.value, np.ndarray):
            seen.setdefault(step.name, step.value)

    specialization = bind_arrays(session, template, arguments, {})
    try:
        execute(session, specialization, arguments, Execution(variables=variables, watch=watch))
    except EvaluationFailed:
        return comparison
    outputs = {name: converted.outputs.get(name, name) for name in source}
    found = {**inputs, **{converted.tensors.get(name, outputs[name]): array for name, array in source.items()}}
    name = next((each for each in seen if each in found and difference(found[each], seen[each]) is not None), None)
    if name is None:
        return comparison
    is_rounding, words = explanation(session, specialization, variables, name, found, seen, _REST)
    if is_rounding:
        return replace(comparison, note=words)
    return replace(comparison, difference=comparison.difference + words)


class _Drawn(Struct, frozen=True):
    """Range of drawn ints, without ``end``; if ``fractions``, reals are in [0, 1)."""

    least: int = 0
    end: int = 2
    fractions: bool = False


_DRAWN = (_Drawn(), _Drawn(1, 3), _Drawn(0, 1, fractions=True), _Drawn(1, 2, fractions=True))
"""Tried in this order until the source runs. Ints are often indices, some of them into one element, or divisors."""


class _SourceFailed(ArgumentError):  # noqa: N818
    """The source does not run with some inputs."""


class _Input(Struct, frozen=True):
    name: str
    dtype: str
    shape: tuple[int, ...]


class _Comparison(Struct, frozen=True):
    """Results of two models for the same inputs: the number of outputs, the first differing one, and its difference."""

    inputs: str
    outputs: int
    differing: str = ""
    difference: str = ""
    note: str = ""
    """Why rounding explains the difference, if it does."""


def _on_small_and_large(
    request: ConvertRequest,
    main: str,
    weights: Mapping[str, Array],
    compared: Callable[[Evaluator, Sequence[_Input]], _Comparison],
) -> int:
    """Compare with small dynamic extents and, as far as the model allows, with large ones; return the exit status."""
    with Evaluator(ProcessLimits(memory_bytes=request.memory_bytes)) as evaluator:
        small = _smallest(evaluator, request, main, weights)
        small, first = _first_comparison(evaluator, small, _specialization(request, main), compared)
        trials = [first]
        if not trials[0].differing:
            elements = sum(prod(each.shape) for each in small)
            for known in distinct_inputs(_specialization(request, main), elements):
                large = _with_shapes(small, known)
                with suppress(_SourceFailed):  # it demands other extents
                    trials.append(compared(evaluator, large))
                    break
    last = trials[-1]
    if last.note:
        if not request.quiet:
            say(last.note)
        return CLEAN
    if last.differing:
        say(f"'{last.differing}' differs on random inputs ({last.inputs}): {last.difference}", err=True)
        return PROBLEMS
    if not request.quiet:
        plural = "" if last.outputs == 1 else "s"
        say(f"{last.outputs} output{plural} equal on random inputs ({'; '.join(each.inputs for each in trials)})")
    return CLEAN


def _first_comparison(
    evaluator: Evaluator,
    small: tuple[_Input, ...],
    specialization: Specialization,
    compared: Callable[[Evaluator, Sequence[_Input]], _Comparison],
) -> tuple[tuple[_Input, ...], _Comparison]:
    """Compare with the first inputs that the source runs with: an extent may have to be the sum of two others."""
    try:
        return small, compared(evaluator, small)
    except _SourceFailed as failed:
        for known in summed_inputs(specialization):
            inputs = _with_shapes(small, known)
            with suppress(_SourceFailed):
                return inputs, compared(evaluator, inputs)
        raise failed


def _with_shapes(inputs: Sequence[_Input], known: Mapping[str, Generator]) -> tuple[_Input, ...]:
    return tuple(replace(each, shape=known[each.name].shape) if each.name in known else each for each in inputs)


def _specialization(request: ConvertRequest, main: str) -> Specialization:
    snapshot, _, template = chosen_graph(Checker(Configurations(request.config), RuleSettings()), main, None)
    return compose_root(Session(snapshot), template, {}, {}, {})


def _compared(
    inputs: Sequence[_Input],
    expected: Mapping[str, Array],
    target: EvaluationAnswer,
    first_difference: Callable[[], str],
    names: Mapping[str, str],
    tolerance: float = TOLERANCE,
) -> _Comparison:
    shown = ", ".join(f"{each.name}[{','.join(map(str, each.shape))}]" for each in inputs)
    for name, array in expected.items():
        found = (target.arrays or {}).get(names.get(name, name))
        differs = "it is missing" if found is None else difference(np.asarray(found), array, tolerance)
        if differs is not None:
            return _Comparison(shown, len(expected), name, differs + first_difference())
    return _Comparison(shown, len(expected))


def _smallest(
    evaluator: Evaluator, request: ConvertRequest, path: str, weights: Mapping[str, Array]
) -> tuple[_Input, ...]:
    """Return the inputs with the smallest extents. Raises ArgumentError if there are none."""
    answer, _ = _answered(evaluator, request, path, {}, weights, keep=False)
    if answer.failures and not answer.inputs:  # else the shapes that were tried are known
        raise ArgumentError(f"--verify: {path} can't be run: {answer.failures[0].message}")
    return tuple(
        _Input(each.name, each.summary.dtype, each.summary.shape) for each in answer.inputs if each.summary is not None
    )


def _run(
    evaluator: Evaluator, request: ConvertRequest, path: str, inputs: Mapping[str, Array], weights: Mapping[str, Array]
) -> tuple[EvaluationAnswer, dict[str, Summary]]:
    """Return the outputs of a model, and what there is to say about every tensor. Raises ArgumentError if it fails."""
    answer, seen = _answered(evaluator, request, path, inputs, weights, keep=True)
    if answer.failures:
        raise ArgumentError(f"--verify: {path} can't be run: {answer.failures[0].message}")
    return answer, seen


def _answered(
    evaluator: Evaluator,
    request: ConvertRequest,
    path: str,
    inputs: Mapping[str, Array],
    weights: Mapping[str, Array],
    keep: bool,
) -> tuple[EvaluationAnswer, dict[str, Summary]]:
    checker = Checker(Configurations(request.config), RuleSettings())
    snapshot = checker.snapshot(path)
    run = RunRequest(path, seed=request.seed, memory_bytes=request.memory_bytes, trace=keep)
    prepared = prepare(snapshot, run, checker.configurations.of_file(path).weights)
    evaluation = replace(prepared.evaluation, inputs=dict(inputs), keep=keep)
    evaluation = replace(evaluation, weights={**weights, **evaluation.weights})
    seen: dict[str, Summary] = {}

    def step(content: ShownStep) -> None:
        for each in content.tensors:
            _note(seen, each)

    answer, _ = answer_of(evaluator, checker, snapshot, evaluation, Observer(step, lambda done, total: None), path)
    return answer, seen


def _drawn(request: ConvertRequest, converted: Converted) -> dict[str, Array]:
    """Random values for the variables of the source that have no file: numbers around 1, as variances have to be."""
    snapshot = Checker(Configurations(request.config), RuleSettings()).snapshot(request.path)
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


def _random(inputs: Iterable[_Input], seed: int, drawn: _Drawn) -> dict[str, Array]:
    """Return random arrays."""
    chance = np.random.default_rng(seed)
    found: dict[str, Array] = {}
    for each in inputs:
        match each.dtype:
            case "real":
                draw = chance.random if drawn.fractions else chance.standard_normal
                found[each.name] = draw(each.shape, np.float32)
            case "bool":
                found[each.name] = chance.integers(0, 2, each.shape).astype(bool)
            case _:
                found[each.name] = chance.integers(drawn.least, drawn.end, each.shape)
    return found


def _first_difference(before: Mapping[str, Summary], after: Mapping[str, Summary], names: Mapping[str, str]) -> str:
    """Return the first tensor on the way whose statistics differ, as the end of a message."""
    for name, summary in before.items():
        found = after.get(names.get(name, name))
        if found is not None and not _alike(summary, found):
            return f"; the first tensor that differs is '{name}'"
    return ""


def _alike(one: Summary, other: Summary) -> bool:
    if one.shape != other.shape:
        return False
    return np.allclose(_statistics(one), _statistics(other), rtol=TOLERANCE, atol=TOLERANCE, equal_nan=True)


def _statistics(summary: Summary) -> list[float]:
    found = (summary.least, summary.greatest, summary.mean, summary.deviation, summary.nan, summary.true)
    return [np.nan if each is None else float(each) for each in found]
