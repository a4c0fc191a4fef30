"""Differences that rounding explains: an evaluation with 64 bits tells an ill-conditioned graph from a wrong one.

A difference between two runs with 32 bits is rounding if both are as far from the run with 64 bits as one unit in the
last place of the inputs and weights, or 32 bits in snd itself, move it. Each operation whose result differs is
evaluated with 64 bits on the inputs that it had in either run, too: a wrong one shows in an ill-conditioned graph.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
from msgspec import Struct

from snd_analysis.compose import Session, Specialization, specialization_of
from snd_analysis.model import Operation, Tensor, tensors_of
from snd_analysis.symbolic.values import NULL
from snd_runtime.errors import EvaluationFailed
from snd_runtime.execution import ComputedTensor, Execution, execute
from snd_runtime.limits import Limits
from snd_runtime.lowering.lowered import Argument
from snd_server.running.arguments import ArgumentError
from snd_server.running.deviation import TOLERANCE, difference

Array: TypeAlias = np.ndarray[Any, Any]
_EXACT = np.dtype(np.float64)

_MARGIN = 8.0
"""Factor by which a rounding error may exceed the effect of one unit in the last place."""
_MOVES = 2
"""Number of runs in which all inputs and weights are moved by one unit in the last place, up or down at random."""
_SECONDS = 60.0
"""Time for evaluating the operations whose results differ, one by one."""
_ROUNDING = (
    "'{name}' differs {where}: {differs}, but the graph is ill-conditioned there and rounding explains the difference: "
    "evaluated with 64 bits, {effect}; with 32 bits, snd is off by {own:.2g} and {engine} by {other:.2g}; {rest}"
)
_OF_GRAPH = "one unit in the last place of the inputs and weights changes it by {ulp:.2g}"
_OF_OPERATOR = (
    "'{operator}' gives both results from inputs that are equal but for rounding (they differ by {inputs:.2g} of their "
    "largest element; one unit in their last place changes the result by {ulp:.2g})"
)
_WRONG = (
    "; rounding does not explain the difference: evaluated with 64 bits, one unit in the last place of the inputs and "
    "weights changes '{name}' by {ulp:.2g}; with 32 bits, snd is off by {own:.2g} and {engine} by {other:.2g}"
)
_WRONG_OPERATION = (
    "; rounding does not explain the difference: evaluated with 64 bits, one unit in the last place of the inputs of "
    "'{operator}' changes its result '{name}' by {ulp:.2g}, but it is off by {off:.2g} in {engine}"
)
_ROUNDING_OF_TWO = (
    "'{name}' differs: {differs}, but the graph is ill-conditioned there and rounding explains the difference: "
    "evaluated with 64 bits, both models agree, and one unit in the last place of the inputs and weights changes it by "
    "{ulp:.2g}; with 32 bits, the model is off by {source:.2g} and its conversion by {target:.2g}"
)
_WRONG_OF_TWO = (
    "; rounding does not explain the difference: evaluated with 64 bits, the models differ by {exact:.2g}, and one "
    "unit in the last place of the inputs and weights changes '{name}' by {ulp:.2g}"
)
_ALL_COMPARED = "each operation after it gives, with its own inputs, what 64 bits give"
_REST = "what depends on it was not compared"


class Runs(Struct, frozen=True):
    """Two runs of a graph with 32 bits, on the same inputs: of another engine (``found``) and of snd (``expected``).

    Both have the tensors of a run by the names in the graph.
    """

    session: Session
    specialization: Specialization
    arguments: Sequence[Argument]
    variables: Mapping[str, Argument]
    found: Mapping[str, Any]
    expected: Mapping[str, Any]
    engine: str = "onnxruntime"
    where: str = "in onnxruntime"
    seed: int = 0
    limits: Limits = Limits()


class DifferenceVerdict(Struct, frozen=True):
    """The verdict about a difference. If it is rounding, ``words`` is the whole message, otherwise the end of one."""

    is_rounding: bool
    words: str = ""


class _Effect(Struct, frozen=True):
    """Distances of a tensor from its value with 64 bits: by a move of the inputs, in snd, and in the other engine."""

    ulp: float
    own: float
    other: float

    @property
    def is_rounding(self) -> bool:
        """Return whether the other engine is as far off as rounding moves the tensor."""
        return self.other <= _MARGIN * max(self.ulp, self.own)


class _Local(Struct, frozen=True):
    """Verdict about one operation, with the distances that decide it."""

    is_rounding: bool
    operator: str
    name: str
    inputs: float
    ulp: float
    off: float


def verdict(runs: Runs, differing: Sequence[str]) -> DifferenceVerdict:
    """Return whether rounding explains that tensors differ, in the order in which they are computed."""
    name = differing[0]
    operation, _ = _maker(runs.specialization, name)
    inputs = [] if operation is None else [each.name for value in operation.inputs for each in tensors_of(value)]
    effects = _effects(runs, {name, *inputs})
    if name not in effects:
        return DifferenceVerdict(False)
    effect = effects[name]
    end = time.monotonic() + _SECONDS
    first, rest = None, _ALL_COMPARED
    for each in differing:
        local = _local(runs, each) if time.monotonic() < end else None
        if local is not None and not local.is_rounding:
            words = {"operator": local.operator, "name": each, "ulp": local.ulp, "off": local.off}
            return DifferenceVerdict(False, _WRONG_OPERATION.format(engine=runs.engine, **words))
        rest = _REST if local is None else rest
        first = local if each == name else first
    is_amplified = first is not None and first.inputs <= TOLERANCE
    is_amplified &= all(effects[each].is_rounding for each in inputs if each in effects)
    words = {"name": name, "engine": runs.engine, "ulp": effect.ulp, "own": effect.own, "other": effect.other}
    if not effect.is_rounding and not is_amplified:
        return DifferenceVerdict(False, _WRONG.format(**words))
    shown = _OF_GRAPH.format(ulp=effect.ulp)
    if first is not None and is_amplified:
        shown = _OF_OPERATOR.format(operator=first.operator, inputs=first.inputs, ulp=first.ulp)
    differs = difference(np.asarray(runs.found[name]), np.asarray(runs.expected[name]))
    return DifferenceVerdict(
        True, _ROUNDING.format(where=runs.where, differs=differs, effect=shown, rest=rest, **words)
    )


def verdict_of_two_models(
    name: str,
    results: tuple[Array, Array | None],
    exact_source: Callable[[], Array | None],
    exact_target: Callable[[int | None], Mapping[str, Array]],
) -> DifferenceVerdict:
    """Return whether rounding explains that an output of a model differs from the output of its conversion.

    ``exact_source`` runs the model with 64 bits, and ``exact_target`` its conversion, with inputs and weights that are
    moved by one unit in the last place if it gets a seed. Both raise ArgumentError.
    """
    source, target = results
    try:
        first, second = exact_source(), exact_target(None).get(name)
        moves = [exact_target(seed).get(name) for seed in range(_MOVES)]
    except ArgumentError:
        return DifferenceVerdict(False)
    if target is None or first is None or second is None or source.shape != target.shape:
        return DifferenceVerdict(False)
    ulp = max(_distance(each, second) for each in moves if each is not None)
    words = {
        "name": name, "differs": difference(target, source), "exact": _distance(first, second), "ulp": ulp,
        "source": _distance(source, second), "target": _distance(target, second),
    }  # fmt: skip
    is_rounding = difference(first, second) is None
    return DifferenceVerdict(is_rounding, (_ROUNDING_OF_TWO if is_rounding else _WRONG_OF_TWO).format(**words))


# ---- the graph -------------------------------------------------------------------------------------------------------
def _effects(runs: Runs, names: Collection[str]) -> dict[str, _Effect]:
    """Return the distances of tensors from their values with 64 bits; of none if the graph can't be evaluated."""
    try:
        exact = _tensors(runs, runs.arguments, runs.variables, names)
        moves = []
        for number in range(_MOVES):
            chance = np.random.default_rng(number)
            arguments = [_moved(each, chance) for each in runs.arguments]
            moves.append(_tensors(runs, arguments, moved(runs.variables, number), names))
    except EvaluationFailed:
        return {}
    return {
        name: _Effect(
            max(_distance(each[name], exact[name]) for each in moves),
            _distance(np.asarray(runs.expected[name]), exact[name]),
            _distance(np.asarray(runs.found[name]), exact[name]),
        )
        for name in names
        if name in runs.found and name in runs.expected and all(name in each for each in (exact, *moves))
    }


def _tensors(
    runs: Runs, arguments: Sequence[Argument], variables: Mapping[str, Argument], names: Collection[str]
) -> dict[str, Array]:
    """Return tensors of a run with 64 bits. Raise EvaluationFailed."""
    members = zip(runs.specialization.template.inputs, arguments, strict=True)
    seen = {member.name: value for member, value in members if isinstance(value, np.ndarray) and member.name in names}

    def watch(step: ComputedTensor) -> None:
        if step.name in names and not step.iterations and isinstance(step.value, np.ndarray):
            seen.setdefault(step.name, step.value)

    execution = Execution(real=_EXACT, seed=runs.seed, variables=variables, limits=runs.limits, watch=watch)
    outcome = execute(runs.session, runs.specialization, [_widened(each) for each in arguments], execution)
    for name, value in outcome.outputs.items():
        if name in names and isinstance(value, np.ndarray):
            seen.setdefault(name, value)
    return seen


# ---- one operation ---------------------------------------------------------------------------------------------------
def _local(runs: Runs, name: str) -> _Local | None:
    """Return whether the operation of a tensor repeats its results of both runs, given its inputs in them.

    None if that is not known, or if inputs differ by more than rounding.
    """
    operation, at = _maker(runs.specialization, name)
    if operation is None:
        return None
    one, other = (_inputs(operation, run, runs.variables) for run in (runs.found, runs.expected))
    if one is None or other is None:
        return None

    def exact(inputs: Sequence[Argument]) -> Array:
        return _computed(runs, operation, inputs, at)

    try:
        first, second = exact(one), exact(other)
        chance = np.random.default_rng(0)
        ulp = max(
            _distance(exact([_moved(each, chance) for each in inputs]), result)
            for inputs, result in ((one, first), (other, second))
        )
    except EvaluationFailed:
        return None
    result, reference = np.asarray(runs.found[name]), np.asarray(runs.expected[name])
    bound = _MARGIN * max(ulp, _distance(reference, second))
    is_rounding = difference(result, _as(first, result)) is None or _distance(result, first) <= bound
    inputs = max((_relative(*pair) for pair in zip(_flat(one), _flat(other), strict=True)), default=0.0)
    operator = operation.callee.template.shown  # type: ignore[union-attr]
    return _Local(is_rounding, operator, name, inputs, ulp, _distance(result, first))


def _maker(specialization: Specialization, name: str) -> tuple[Operation | None, int]:
    """Return the invocation that computes a tensor, and the number of the tensor among its results."""
    body = specialization.body
    for operation in () if body is None else body.operations:
        names = [each.name for value in operation.outputs for each in tensors_of(value)]
        if name in names and specialization_of(operation) is not None:
            return operation, names.index(name)
    return None, 0


def _inputs(operation: Operation, run: Mapping[str, Any], variables: Mapping[str, Argument]) -> list[Argument] | None:
    """Return the inputs of an invocation in a run; None if one of them is not known."""
    known = {**variables, **run}
    given: list[Argument] = []
    for value in operation.inputs:
        if value is NULL:
            given.append(None)
            continue
        tensors = [*tensors_of(value)]
        arrays = [_array(each, known) for each in tensors]
        if any(each is None for each in arrays):
            return None
        given.append(arrays[0] if isinstance(value, Tensor) else tuple(each for each in arrays if each is not None))
    return given


def _array(tensor: Tensor, known: Mapping[str, Any]) -> Array | None:
    from snd_server.exchange.graph_export.errors import Unsuitable
    from snd_server.exchange.graph_export.tensors import constant_array

    if tensor.value is not None:
        try:
            return constant_array(tensor)
        except Unsuitable:
            return None
    found = known.get(tensor.name)
    return found if isinstance(found, np.ndarray) else None


def _computed(runs: Runs, operation: Operation, inputs: Sequence[Argument], at: int) -> Array:
    """Return a result of an invocation, computed with 64 bits. Raise EvaluationFailed."""
    callee = specialization_of(operation)
    assert callee is not None
    scope = f"{operation.label}." if operation.label else ""
    own = {name.removeprefix(scope): value for name, value in runs.variables.items() if name.startswith(scope)}
    execution = Execution(real=_EXACT, seed=runs.seed, variables=own, limits=runs.limits)
    outcome = execute(runs.session, callee, [_widened(each) for each in inputs], execution)
    return _flat([*outcome.outputs.values()])[at]


def _widened(value: Argument) -> Argument:
    if isinstance(value, np.ndarray):
        return value.astype(_EXACT) if value.dtype.kind == "f" else value
    return None if value is None else tuple(_widened(each) for each in value)  # type: ignore[misc]


def moved(values: Mapping[str, Any], seed: int) -> dict[str, Any]:
    """Return tensors whose reals are by one unit in the last place of 32 bits greater or less, at random."""
    chance = np.random.default_rng(seed)
    return {name: _moved(value, chance) for name, value in values.items()}


def _moved(value: Argument, chance: np.random.Generator) -> Argument:
    """Return reals by one unit in the last place of 32 bits greater or less, at random."""
    if isinstance(value, np.ndarray):
        if value.dtype.kind != "f":
            return value
        narrow = value.astype(np.float32)
        signs = np.where(chance.integers(0, 2, narrow.shape, np.int8), np.float32(np.inf), np.float32(-np.inf))
        return np.nextafter(narrow, signs, dtype=np.float32)
    return None if value is None else tuple(_moved(each, chance) for each in value)  # type: ignore[misc]


def _flat(values: Sequence[Argument]) -> list[Array]:
    found: list[Array] = []
    for value in values:
        found += [] if value is None else [value] if isinstance(value, np.ndarray) else list(value)
    return found


def _relative(one: Array, other: Array) -> float:
    """Return by how much two tensors differ, relative to the greatest element; ints must be equal."""
    if one.shape != other.shape:
        return float("inf")
    if other.dtype.kind != "f":
        return 0.0 if np.array_equal(one, other) else float("inf")
    return _distance(one, other) / max(float(np.abs(other).max(initial=0.0)), 1e-30)


def _distance(one: Array, other: Array) -> float:
    """Return the greatest difference of two elements; infinity for other shapes, and for a number beside none."""
    if one.shape != other.shape:
        return float("inf")
    if other.dtype.kind not in "fiu":
        return float((one != other).any())
    first, second = one.astype(_EXACT), other.astype(_EXACT)
    with np.errstate(invalid="ignore"):
        differing = np.where((first == second) | (np.isnan(first) & np.isnan(second)), 0.0, np.abs(first - second))
    return float(np.nan_to_num(differing, nan=np.inf).max(initial=0.0))


def _as(array: Array, like: Array) -> Array:
    return array.astype(like.dtype) if like.dtype.kind == "f" else array
