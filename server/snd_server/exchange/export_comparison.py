"""An exported graph against its file: both are run on the same random inputs, and every output is compared."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Protocol

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from snd_analysis.compose import AS_DECLARED, GivenInput, Session, Specialization, Template, compose_root
from snd_analysis.model import Tensor, tensors_of
from snd_analysis.symbolic.values import NULL, Value
from snd_runtime.errors import EvaluationFailed
from snd_runtime.execution import ComputedTensor, Execution, bind_arrays, execute
from snd_runtime.execution.plain import plain
from snd_runtime.limits import Limits
from snd_runtime.lowering.lowered import Argument
from snd_server.console.terminal import say
from snd_server.exchange.conditioning import DifferenceVerdict, Runs, verdict
from snd_server.exchange.engine_process import InferenceError, InferenceLimitError
from snd_server.exchange.export_request import CLEAN, PROBLEMS
from snd_server.exchange.graph_export.root_graph import flat_graph, undecided_inputs
from snd_server.exchange.special_values import with_special_values
from snd_server.exchange.ties import operator_of_rounding, operator_of_tie
from snd_server.exchange.trials import Comparison, TrialArguments, Trials, arrays_of, compare_on_trials
from snd_server.limits import LONGEST_VERIFICATION_RUN
from snd_server.running.arguments import ArgumentError
from snd_server.running.deviation import TOLERANCE, difference, special_difference

_QUANTIZED_TOLERANCE = 0.02
"""Rounding decides which of two steps a value between them gets; 8 bits have 256."""

_TIE = (
    "'{}' stands in another order in {}: '{}' chooses among elements that are equal but for rounding; "
    "what depends on it was not compared"
)
_OPTIMIZED = "'{}' differs in {} {}, but not where {} shows all tensors on the way: its optimizations differ"
_ROUNDED = (
    "'{}' differs in {}: '{}' rounds values half way between two numbers, which are equal but for rounding; "
    "what depends on it was not compared"
)


_OPEN = (
    "'{}' has NaN or infinities, for which the format leaves the results of {} open; "
    "what depends on it was not compared"
)


class Chosen(Struct, frozen=True):
    """A composed graph with its arguments."""

    session: Session
    template: Template
    specialization: Specialization
    attributes: Mapping[str, Value]
    dtypes: Mapping[str, str]
    inputs: Mapping[str, GivenInput] = {}
    """Shapes of inputs, and null ones."""
    is_quantized: bool = False
    """True if the file quantizes the tensors named in ``@quantize``."""
    labels: Mapping[str, str] = {}
    """The labels of variables of a graph in NNEF 1.0, by name."""


class ExportedFile(Protocol):
    """A file that was written for a graph, with the engine that runs it."""

    @property
    def engine(self) -> str:
        """The name of the engine."""

    @property
    def inputs(self) -> Sequence[str]:
        """The names of the inputs in the file, in order."""

    @property
    def outputs(self) -> Sequence[str]:
        """The names of the outputs in the file: those of the graph, then the new values of variables."""

    @property
    def has_few_bits(self) -> bool:
        """True if the file stores values in few bits: the engine computes with the integers, then."""

    def run(self, feed: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the outputs by name. Raise InferenceError, InferenceLimitError."""

    def trace(self, feed: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the tensors on the way too, by their names in the graph. Raise as ``run``."""

    def state(self, name: str) -> str:
        """Return the name of the output with the new value of a variable."""

    def is_open(self, tensor: str) -> bool:
        """Return whether the format leaves open how a tensor is computed from NaN and infinities."""


def verify(
    chosen: Chosen, variables: Mapping[str, Argument], file: ExportedFile, seed: int, memory_bytes: int
) -> Comparison:
    """Run the graph and the file on the same random inputs; return the difference.

    Dynamic extents are small in one run and larger in another one, as far as the graph allows. Raise ArgumentError if
    the graph can't be run, or if the engine goes beyond a limit.
    """
    attributes = {name: plain(value) for name, value in chosen.attributes.items()}
    root, undecided = chosen.specialization, undecided_inputs(chosen.specialization)
    if undecided:  # they are inputs of the file
        declared = {**chosen.inputs, **dict.fromkeys(undecided, AS_DECLARED)}
        root = compose_root(chosen.session, chosen.template, chosen.attributes, chosen.dtypes, declared)
    trials = Trials(
        chosen.session, chosen.template, root, attributes, chosen.dtypes, seed,
        Limits(seconds=LONGEST_VERIFICATION_RUN, tensor_bytes=memory_bytes),
    )  # fmt: skip

    def compare(given: TrialArguments) -> Comparison:
        try:
            return _compared(chosen, variables, file, given, trials)
        except InferenceError as error:
            return Comparison(f"{file.engine} fails where snd runs: {error}")
        except InferenceLimitError as limit:
            raise ArgumentError(f"--verify: {limit}") from None

    tried, found = compare_on_trials(trials, compare)
    if found.wrong is not None:
        return found
    return replace(found, special=_special(chosen, variables, file, tried[0], trials))


def shown_comparison(found: Comparison, engine: str, is_quiet: bool) -> int:
    """Show the result of a comparison, and return the exit status."""
    if found.wrong is not None:
        say(found.wrong, err=True)
        return PROBLEMS
    if not is_quiet:
        say(found.note or f"{engine} computes the same outputs on random inputs")
    if found.special is not None:
        say(f"warning: for NaN and infinities among the inputs, {found.special} ({engine} and snd)", err=True)
    return CLEAN


def _special(
    chosen: Chosen, variables: Mapping[str, Argument], file: ExportedFile, tried: TrialArguments, trials: Trials
) -> str | None:
    """Return a difference for NaN and infinities among the inputs, unless the format leaves the first open."""
    given = with_special_values(tried, trials.seed)
    if given is None:
        return None
    try:
        ran = _run(chosen, variables, file, given, trials)
        differs = _first_special(ran.outputs, ran.results, ran.expected)
        if differs is None:
            return None
        traces = file.trace(ran.feed)
    except EvaluationFailed:
        return None  # snd refuses such inputs
    except (InferenceError, InferenceLimitError) as error:
        return f"{file.engine} fails where snd runs: {error}"
    seen = {name: value for name, value in ran.seen.items() if name in traces and isinstance(value, np.ndarray)}
    output, words = differs
    unlike = (name for name, value in seen.items() if special_difference(traces[name], value) is not None)
    first = next(unlike, output)
    if file.is_open(first):
        return None
    return (
        f"'{output}' differs: {words}" if first == output else f"'{output}' differs: {words}, and '{first}' before it"
    )


def _first_special(outputs: Sequence[str], found: Mapping[str, Any], expected: Sequence[Any]) -> tuple[str, str] | None:
    """Return the first output that differs in NaN or infinities, with the difference in words."""
    for output, value in zip(outputs, expected, strict=True):
        words = special_difference(found[output], value)
        if words is not None:
            return output, words
    return None


class _Ran(Struct, frozen=True):
    """Two runs of a graph on the same inputs, in snd and from its file."""

    specialization: Specialization
    feed: Mapping[str, Any]
    outputs: Sequence[str]
    results: Mapping[str, Any]
    expected: Sequence[Any]
    seen: Mapping[str, Argument]


def _run(
    chosen: Chosen, variables: Mapping[str, Argument], file: ExportedFile, given: TrialArguments, trials: Trials
) -> _Ran:
    """Run the graph and the file on inputs. Raise EvaluationFailed if the graph does not run with these."""
    seen: dict[str, Argument] = {}

    def watch(step: ComputedTensor) -> None:
        if not step.iterations:
            seen.setdefault(step.name, step.value)

    execution = Execution(
        seed=trials.seed, variables=variables, limits=trials.limits, watch=watch, quantize=chosen.is_quantized
    )
    dtypes = [chosen.dtypes[each.name.text] for each in chosen.template.generics if each.name.text in chosen.dtypes]
    specialization = bind_arrays(chosen.session, chosen.template, given, chosen.attributes, dtypes)
    outcome = execute(chosen.session, specialization, given, execution)
    feed = _feed(specialization, given, file.inputs)
    expected = [array for value in outcome.outputs.values() for array in arrays_of(value)]
    states = {file.state(name): array for name, array in _named_arrays(outcome.variables)}
    expected += [states[name] for name in file.outputs[len(expected) :]]
    return _Ran(specialization, feed, file.outputs, file.run(feed), expected, seen)


def _compared(
    chosen: Chosen, variables: Mapping[str, Argument], file: ExportedFile, given: TrialArguments, trials: Trials
) -> Comparison:
    """Run the graph and the file on inputs. Raise EvaluationFailed if the graph does not run with these."""
    ran = _run(chosen, variables, file, given, trials)
    seen, feed = ran.seen, ran.feed
    tolerance = _QUANTIZED_TOLERANCE if chosen.is_quantized or file.has_few_bits else TOLERANCE
    for output, other in zip(ran.outputs, ran.expected, strict=True):
        one = ran.results[output]
        differs = difference(one, other, tolerance)
        if differs is None:
            continue
        traces = file.trace(feed)
        differing = _differing(traces, seen, tolerance)
        if differing and _is_left_open(file, differing[0], traces, seen):
            return Comparison(note=_OPEN.format(differing[0], file.engine))
        if differing:
            found, known = {**traces, **feed}, {**seen, **feed}
            runs = Runs(
                chosen.session, ran.specialization, given, variables, found, known, file.engine, f"in {file.engine}",
                trials.seed, trials.limits,
            )  # fmt: skip
            words = _explained(chosen, file.engine, runs, differing)
            if words.is_rounding:
                return Comparison(note=words.words)
            first = f"; the first tensor that differs is '{differing[0]}'"
            return Comparison(f"'{output}' differs in {file.engine}: {differs}{first}{words.words}")
        if output in traces and difference(traces[output], other, tolerance) is None:
            return Comparison(note=_OPTIMIZED.format(output, file.engine, differs, file.engine))
        return Comparison(f"'{output}' differs in {file.engine}: {differs}")
    return Comparison()


def _is_left_open(file: ExportedFile, name: str, traces: Mapping[str, Any], seen: Mapping[str, Argument]) -> bool:
    """Return whether only NaN and infinities differ in a tensor, which an open operation computes."""
    one, other = np.asarray(traces[name]), np.asarray(seen[name])
    if one.shape != other.shape or one.dtype.kind != "f" or not file.is_open(name):
        return False
    finite = np.isfinite(other)
    return not finite.all() and difference(one[finite], other[finite]) is None


def _explained(chosen: Chosen, engine: str, runs: Runs, differing: Sequence[str]) -> DifferenceVerdict:
    """Return whether rounding explains that tensors differ between an engine and snd."""
    inputs = zip((each.name for each in chosen.template.inputs), runs.arguments, strict=True)
    known, name = {**runs.expected, **dict(inputs)}, differing[0]
    graph, versions = flat_graph(runs.specialization), (np.asarray(runs.found[name]), np.asarray(known[name]))
    tie = operator_of_tie(graph, name, *versions, known)
    if tie is not None:
        return DifferenceVerdict(True, _TIE.format(name, engine, tie))
    rounding = operator_of_rounding(graph, name, *versions, runs.found, known)
    if rounding is not None:
        return DifferenceVerdict(True, _ROUNDED.format(name, engine, rounding))
    return DifferenceVerdict(False) if chosen.is_quantized else verdict(replace(runs, expected=known), differing)


def _named_arrays(variables: Mapping[str, Argument]) -> Iterator[tuple[str, np.ndarray[Any, Any]]]:
    """Yield the tensors of variables by name, items of packs as ``NAME[AT]``."""
    for name, value in variables.items():
        if isinstance(value, np.ndarray):
            yield name, value
        else:
            yield from ((f"{name}[{at}]", array) for at, array in enumerate(value or ()))


def _feed(specialization: Specialization, arguments: Any, names: Sequence[str]) -> dict[str, Any]:
    """Return the arguments by the names of the inputs of the file, in whose order they are; null ones are left out."""
    given: list[Any] = []
    for formal, value in zip(specialization.inputs, arguments, strict=True):
        if formal is not NULL and not (isinstance(formal, Tensor) and formal.value is not None):
            given += [None for _ in tensors_of(formal)] if value is None else arrays_of(value)
    return {name: value for name, value in zip(names, given, strict=False) if value is not None}


def _differing(found: Mapping[str, Any], seen: Mapping[str, Argument], tolerance: float) -> list[str]:
    """Return the names of the tensors on the way that differ, in the order in which they are computed."""
    return [
        name
        for name, value in seen.items()
        if name in found and isinstance(value, np.ndarray) and difference(found[name], value, tolerance) is not None
    ]
