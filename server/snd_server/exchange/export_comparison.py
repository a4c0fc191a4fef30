"""An exported graph against its file: both are run on the same random inputs, and every output is compared."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from itertools import chain
from typing import Any

import numpy as np
from msgspec import Struct

from snd_analysis.compose import Session, Specialization, Template
from snd_analysis.model import Tensor, tensors_of
from snd_analysis.symbolic.values import NULL, Value
from snd_runtime.errors import EvaluationFailed
from snd_runtime.evaluation.binding import Bound, bound
from snd_runtime.evaluation.request import EvaluationRequest
from snd_runtime.evaluation.tensors import InvalidRequest
from snd_runtime.evaluation.trial_inputs import distinct_inputs, equal_ints, random_inputs, summed_inputs
from snd_runtime.execution import ComputedTensor, Execution, execute
from snd_runtime.execution.plain import plain
from snd_runtime.generators import Generator
from snd_runtime.limits import Budget, Limits
from snd_runtime.lowering.lowered import FLOAT32, Argument
from snd_server.exchange.conditioning import explanation
from snd_server.exchange.ties import operator_of_rounding, operator_of_tie
from snd_server.running.arguments import ArgumentError
from snd_server.running.deviation import TOLERANCE, difference

_QUANTIZED_TOLERANCE = 0.02
"""Rounding decides which of two steps a value between them gets; 8 bits have 256."""

_TIE = (
    "'{}' stands in another order in onnxruntime: '{}' chooses among elements that are equal but for rounding; "
    "what depends on it was not compared"
)
_OPTIMIZED = (
    "'{}' differs in onnxruntime {}, but not where onnxruntime shows all tensors on the way: its optimizations differ"
)
_REST = "what depends on it was not compared"
_ROUNDED = (
    "'{}' differs in onnxruntime: '{}' rounds values half way between two numbers, which are equal but for rounding; "
    "what depends on it was not compared"
)


class Chosen(Struct, frozen=True):
    """A graph, composed, with what it was composed with."""

    session: Session
    template: Template
    specialization: Specialization
    attributes: Mapping[str, Value]
    dtypes: Mapping[str, str]
    is_quantized: bool = False
    """True if the file quantizes the tensors named in ``@quantize``."""


class Comparison(Struct, frozen=True):
    """Comparison of a graph and its file: their difference, or the reason not to compare; None for neither."""

    wrong: str | None = None
    note: str | None = None


def verify(chosen: Chosen, variables: Mapping[str, Argument], path: str, seed: int, memory_bytes: int) -> Comparison:
    """Run the graph and the file on the same random inputs; return how they differ.

    Dynamic extents are small in one run and larger in another one, as far as the graph allows. Raises ArgumentError if
    the graph can't be run.
    """
    limits = Limits(tensor_bytes=memory_bytes)
    try:
        small = _bound(chosen, random_inputs(chosen.specialization), seed, limits)
    except InvalidRequest as invalid:
        raise ArgumentError(f"--verify: {invalid.failures[0].message}") from None
    found = _first_comparison(chosen, variables, path, small, seed, limits)
    if found.wrong is not None:
        return found
    elements = sum(array.size for value in small.arguments for array in _arrays_of(value))
    for inputs in distinct_inputs(chosen.specialization, elements):
        with suppress(EvaluationFailed, InvalidRequest):  # it demands other extents
            return _compared(chosen, variables, path, _bound(chosen, inputs, seed, limits), seed, limits)
    return found


def _first_comparison(
    chosen: Chosen, variables: Mapping[str, Argument], path: str, small: Bound, seed: int, limits: Limits
) -> Comparison:
    """Compare with the first inputs that the graph runs with.

    An extent may have to be the sum of two others, and ints may be divisors, or indices into one element.
    """
    try:
        return _compared(chosen, variables, path, small, seed, limits)
    except EvaluationFailed as failed:
        for inputs in chain(summed_inputs(chosen.specialization), equal_ints(chosen.specialization)):
            with suppress(EvaluationFailed, InvalidRequest):
                return _compared(chosen, variables, path, _bound(chosen, inputs, seed, limits), seed, limits)
        raise ArgumentError(f"--verify: {failed.message}") from None


def _bound(chosen: Chosen, inputs: Mapping[str, Generator], seed: int, limits: Limits) -> Bound:
    """Return random inputs, those that are not given with the smallest extents. Raises InvalidRequest."""
    attributes = {name: plain(value) for name, value in chosen.attributes.items()}
    request = EvaluationRequest(chosen.template.name, attributes, chosen.dtypes, inputs, seed=seed)
    return bound(chosen.session, chosen.template, request, FLOAT32, Budget(limits))


def _has_few_bits(model: Any) -> bool:
    """Return whether a model stores values in few bits: onnxruntime computes with the integers, then."""
    nodes = (node for each in (model.graph, *model.functions) for node in each.node)
    return any(node.op_type == "QuantizeLinear" for node in nodes)


def _compared(
    chosen: Chosen, variables: Mapping[str, Argument], path: str, given: Bound, seed: int, limits: Limits
) -> Comparison:
    """Run the graph and the file on inputs. Raises EvaluationFailed if the graph does not run with these."""
    import onnx

    from snd_server.exchange.onnx_export import STATE_SUFFIX, fit_name, flat_graph, write_model

    seen: dict[str, Argument] = {}

    def watch(step: ComputedTensor) -> None:
        if not step.iterations:
            seen.setdefault(step.name, step.value)

    execution = Execution(seed=seed, variables=variables, limits=limits, watch=watch, quantize=chosen.is_quantized)
    outcome = execute(chosen.session, given.specialization, given.arguments, execution)
    judge = _session_of(path)
    model = onnx.load(path, load_external_data=False)
    tolerance = _QUANTIZED_TOLERANCE if chosen.is_quantized or _has_few_bits(model) else TOLERANCE
    names = [each.name for each in model.graph.input]
    feed = _feed(chosen.specialization, given.arguments, names)
    expected = [array for value in outcome.outputs.values() for array in _arrays_of(value)]
    states = {f"{fit_name(name)}{STATE_SUFFIX}": array for name, array in _named_arrays(outcome.variables)}
    outputs = judge.get_outputs()
    expected += [states[node.name] for node in outputs[len(expected) :]]
    for node, one, other in zip(outputs, judge.run(None, feed), expected, strict=True):
        differs = difference(one, other, tolerance)
        if differs is not None:
            quantizing = chosen.session if chosen.is_quantized else None
            traced = write_model(chosen.specialization, variables, traced=True, quantizing=quantizing)
            inner = _session_of(traced.SerializeToString())
            traces = dict(zip((each.name for each in inner.get_outputs()), inner.run(None, feed), strict=True))
            name = _first_difference(traces, seen, tolerance)
            if name is not None:
                known = {
                    **seen,
                    **dict(zip((each.name for each in chosen.template.inputs), given.arguments, strict=True)),
                }
                graph, versions = flat_graph(given.specialization), (traces[name], np.asarray(seen[name]))
                tie = operator_of_tie(graph, name, *versions, known)
                if tie is not None:
                    return Comparison(None, _TIE.format(name, tie))
                rounding = operator_of_rounding(graph, name, *versions, {**traces, **feed}, known)
                if rounding is not None:
                    return Comparison(None, _ROUNDED.format(name, rounding))
                is_rounding, words = explanation(
                    chosen.session, given.specialization, variables, name, {**traces, **feed}, {**known, **feed}, _REST
                )
                if is_rounding:
                    return Comparison(None, words)
                return Comparison(f"'{node.name}' differs in onnxruntime: {differs}{_first(name)}{words}")
            if node.name in traces and difference(traces[node.name], other, tolerance) is None:
                return Comparison(None, _OPTIMIZED.format(node.name, differs))
            return Comparison(f"'{node.name}' differs in onnxruntime: {differs}")
    return Comparison()


def _first(name: str) -> str:
    return f"; the first tensor that differs is '{name}'"


def _session_of(model: str | bytes) -> Any:
    """Return a file, or the content of one, in onnxruntime, on the processor."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    return onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])


def _arrays_of(value: Argument) -> list[np.ndarray[Any, Any]]:
    """Return a tensor, or those of a pack, as a list."""
    return [] if value is None else [value] if isinstance(value, np.ndarray) else list(value)


def _named_arrays(variables: Mapping[str, Argument]) -> Iterator[tuple[str, np.ndarray[Any, Any]]]:
    """Yield the tensors of variables by name, those of packs as ``NAME[AT]``."""
    for name, value in variables.items():
        if isinstance(value, np.ndarray):
            yield name, value
        else:
            yield from ((f"{name}[{at}]", array) for at, array in enumerate(value or ()))


def _feed(specialization: Specialization, arguments: Any, names: list[str]) -> dict[str, Any]:
    """Return the arguments by the names of the inputs of the file, in whose order they are; null ones are left out."""
    given: list[Any] = []
    for formal, value in zip(specialization.inputs, arguments, strict=True):
        if formal is not NULL and not (isinstance(formal, Tensor) and formal.value is not None):
            given += [None for _ in tensors_of(formal)] if value is None else _arrays_of(value)
    return {name: value for name, value in zip(names, given, strict=False) if value is not None}


def _first_difference(found: Mapping[str, Any], seen: Mapping[str, Argument], tolerance: float) -> str | None:
    """Return the name of the first tensor on the way that differs."""
    for name, value in seen.items():
        if name in found and isinstance(value, np.ndarray) and difference(found[name], value, tolerance) is not None:
            return name
    return None
