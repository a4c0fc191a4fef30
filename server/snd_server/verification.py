"""A converted model against its source: both are run on the same inputs, and every output is compared."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

import numpy as np
from msgspec.structs import replace

from snd_analysis.convert import Converted
from snd_runtime.evaluation import EvaluationAnswer, Evaluator, ShownStep, ShownTensor
from snd_runtime.summary import Summary, summarize
from snd_runtime.worker import ProcessLimits
from snd_server.arguments import ArgumentError
from snd_server.checking import Checker
from snd_server.config import Configurations
from snd_server.conversion import CLEAN, PROBLEMS, ConvertRequest
from snd_server.deviation import TOLERANCE, difference
from snd_server.onnx_import import ConvertedModel
from snd_server.onnx_import.judge import RuntimeFailedError, run_onnxruntime
from snd_server.running import Observer, RunRequest, answer_of, prepare
from snd_server.selection import RuleSettings
from snd_server.terminal import say
from snd_server.weights import stored_weights

Array: TypeAlias = np.ndarray[Any, Any]


def verify(request: ConvertRequest, converted: Converted, main: str) -> int:
    """Run the source and what it was converted to; return the exit status. Raises ArgumentError if neither runs."""
    with Evaluator(ProcessLimits(memory_bytes=request.memory_bytes)) as evaluator:
        drawn = _drawn(request, converted)
        first, _ = _run(evaluator, request, request.path, None, drawn)
        try:
            inputs = _inputs(first, request.seed)
            source, before = _run(evaluator, request, request.path, inputs, drawn)
        except ArgumentError:  # something is divided by one of them
            inputs = _inputs(first, request.seed, least=1)
            source, before = _run(evaluator, request, request.path, inputs, drawn)
        renamed = {converted.names.get(name, name): array for name, array in inputs.items()}
        weights = {
            each.name: drawn[each.source].reshape(each.shape) for each in converted.variables if each.source in drawn
        }
        target, after = _run(evaluator, request, main, renamed, weights)
    expected = {name: np.asarray(array) for name, array in (source.arrays or {}).items()}
    names = converted.names
    return _compared(request, first, expected, target, lambda: _first_difference(before, after, names), names)


def verify_onnx(request: ConvertRequest, converted: ConvertedModel, main: str, fixed: Mapping[str, Array]) -> int:
    """Run a model by onnxruntime and what it was converted to; return the exit status.

    Raises ArgumentError if onnxruntime is missing, or one of the two does not run.
    """
    with Evaluator(ProcessLimits(memory_bytes=request.memory_bytes)) as evaluator:
        first, _ = _run(evaluator, request, main, None, {})
        inputs = _inputs(first, request.seed)
        target, after = _run(evaluator, request, main, inputs, {})
    given = {name: inputs[new] for name, new in converted.inputs.items() if new in inputs}
    try:
        expected = run_onnxruntime(request.path, {**given, **fixed})
    except RuntimeFailedError as problem:
        raise ArgumentError(f"--verify: {problem}") from None

    def first_difference() -> str:
        every = run_onnxruntime(request.path, {**given, **fixed}, tuple(converted.tensors))
        before = {name: summarize(array) for name, array in every.items()}
        return _first_difference(before, after, converted.tensors)

    return _compared(request, first, expected, target, first_difference, converted.outputs)


def _compared(
    request: ConvertRequest,
    first: EvaluationAnswer,
    expected: Mapping[str, Array],
    target: EvaluationAnswer,
    first_difference: Callable[[], str],
    names: Mapping[str, str],
) -> int:
    """Say whether the outputs of both models agree; return the exit status."""
    sizes = ", ".join(f"{each.name}[{','.join(map(str, each.summary.shape))}]" for each in first.inputs if each.summary)
    for name, array in expected.items():
        found = (target.arrays or {}).get(names.get(name, name))
        differs = "it is missing" if found is None else difference(np.asarray(found), array)
        if differs is not None:
            say(f"'{name}' differs on random inputs ({sizes}): {differs}{first_difference()}", err=True)
            return PROBLEMS
    if not request.quiet:
        count = len(expected)
        say(f"{count} output{'' if count == 1 else 's'} equal on random inputs ({sizes})")
    return CLEAN


def _run(
    evaluator: Evaluator,
    request: ConvertRequest,
    path: str,
    inputs: Mapping[str, Array] | None,
    weights: Mapping[str, Array],
) -> tuple[EvaluationAnswer, dict[str, Summary]]:
    """Return the outputs of a model, and what there is to say about every tensor. Raises ArgumentError if it fails."""
    checker = Checker(Configurations(request.config), RuleSettings())
    snapshot = checker.snapshot(path)
    run = RunRequest(path, seed=request.seed, memory_bytes=request.memory_bytes, trace=inputs is not None)
    prepared = prepare(snapshot, run, checker.configurations.of_file(path).weights)
    evaluation = replace(prepared.evaluation, inputs=dict(inputs or {}), keep=inputs is not None)
    evaluation = replace(evaluation, weights={**weights, **evaluation.weights})
    seen: dict[str, Summary] = {}

    def step(content: ShownStep) -> None:
        for each in content.tensors:
            _note(seen, each)

    answer, _ = answer_of(evaluator, checker, snapshot, evaluation, Observer(step, lambda done, total: None), path)
    if answer.failures and (inputs is not None or not answer.inputs):  # else the shapes that were tried are known
        raise ArgumentError(f"--verify: {path} can't be run: {answer.failures[0].message}")
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


def _inputs(answer: EvaluationAnswer, seed: int, least: int = 0) -> dict[str, Array]:
    """Random inputs of the shapes that were found. Integers are ``least`` or one more: they are often indices."""
    chance = np.random.default_rng(seed)
    found: dict[str, Array] = {}
    for each in answer.inputs:
        assert each.summary is not None
        match each.summary.dtype:
            case "real":
                found[each.name] = chance.standard_normal(each.summary.shape, np.float32)
            case "bool":
                found[each.name] = chance.integers(0, 2, each.summary.shape).astype(bool)
            case _:
                found[each.name] = chance.integers(least, least + 2, each.summary.shape)
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
