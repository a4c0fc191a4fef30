"""Random inputs on which a model and its counterpart in another format are compared.

A first comparison has small extents, a second one extents that are greater than 1 and pairwise different, as far as the
model accepts them.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, TypeAlias

import numpy as np
from msgspec import Struct, field

from snd_analysis.compose import Session, Specialization, Template
from snd_analysis.model import tensors_of
from snd_analysis.symbolic.values import Value
from snd_runtime.errors import EvaluationFailed
from snd_runtime.evaluation.binding import bound
from snd_runtime.evaluation.request import EvaluationRequest, InputValue
from snd_runtime.evaluation.tensors import InvalidRequest
from snd_runtime.evaluation.trial_inputs import different_inputs, random_inputs, summed_inputs
from snd_runtime.generators import Generator, generate, source_of
from snd_runtime.limits import Budget, Limits
from snd_runtime.lowering.lowered import FLOAT32, Argument
from snd_runtime.values import PlainValue
from snd_server.limits import MOST_TRIED_SIZES, MOST_VERIFICATION_SECONDS
from snd_server.running.arguments import ArgumentError

Array: TypeAlias = np.ndarray[Any, Any]


class Trials(Struct, frozen=True):
    """A graph, composed for any sizes, and the settings of its random inputs."""

    session: Session
    template: Template
    root: Specialization
    attributes: Mapping[str, PlainValue] = field(default_factory=dict)
    dtypes: Mapping[str, str] = field(default_factory=dict)
    seed: int = 0
    limits: Limits = Limits()


class Comparison(Struct, frozen=True):
    """Result of a comparison: the difference of two models, or the reason why it is rounding; None for neither."""

    wrong: str | None = None
    note: str | None = None
    special: str | None = None
    """Difference for inputs with NaN and infinities, where no note of ``special_values`` covers it."""


class TrialFailed(Exception):  # noqa: N818
    """A model does not run with some inputs: the caller should try others."""


class _Draw(Struct, frozen=True):
    """Range of drawn ints, without ``end``; if ``fractions``, reals are in [0, 1)."""

    least: int = 0
    end: int = 2
    fractions: bool = False


_DRAWS = (_Draw(), _Draw(1, 3), _Draw(0, 1, fractions=True), _Draw(1, 2, fractions=True))
"""Ranges in the order of trial, until the model runs.

Ints are often indices, some of them into one element, or divisors.
"""


TrialArguments: TypeAlias = "Sequence[Argument]"
"""A value for each input of a graph."""


def compare_on_trials(
    trials: Trials, compare: Callable[[TrialArguments], Comparison]
) -> tuple[list[TrialArguments], Comparison]:
    """Return the inputs that were compared, and the last comparison.

    ``compare`` raises TrialFailed or EvaluationFailed for inputs with which the model does not run. Raises
    ArgumentError if there are no others.
    """
    first: Exception | None = None
    end = time.monotonic() + MOST_VERIFICATION_SECONDS
    for sizes in _first_sizes(trials.root):
        if time.monotonic() > end:
            raise ArgumentError(
                f"--verify: no inputs were found in {MOST_VERIFICATION_SECONDS:g} seconds with which the model runs; "
                f"with the first ones: {_message(first)}"
            )
        try:
            given, found = _compared(trials, sizes, compare)
            break
        except (EvaluationFailed, InvalidRequest, TrialFailed) as failed:
            first = first or failed
    else:
        raise ArgumentError(f"--verify: {_message(first)}")
    if found.wrong is not None:
        return [given], found
    elements = sum(array.size for value in given for array in arrays_of(value))
    for sizes in islice(different_inputs(trials.root, elements), MOST_TRIED_SIZES):
        if time.monotonic() > end:
            break
        try:
            larger, second = _compared(trials, sizes, compare)
        except (EvaluationFailed, InvalidRequest, TrialFailed):  # the model demands other extents
            continue
        return [given, larger], found if second == Comparison() else second
    return [given], found


def arrays_of(value: Argument) -> list[Array]:
    """Return a tensor, or those of a pack, as a list."""
    return [] if value is None else [value] if isinstance(value, np.ndarray) else list(value)


def shown_inputs(trials: Trials, arguments: TrialArguments) -> str:
    """Return inputs with their extents, such as ``x[2,3]``."""
    return ", ".join(
        f"{member.name}[{','.join(map(str, array.shape))}]"
        for member, value in zip(trials.template.inputs, arguments, strict=True)
        for array in arrays_of(value)
    )


def _first_sizes(root: Specialization) -> Iterator[Mapping[str, InputValue]]:
    """Yield the smallest sizes, then sums: an extent may have to be the sum of two others."""
    yield random_inputs(root)
    yield from summed_inputs(root)


def _compared(
    trials: Trials, sizes: Mapping[str, InputValue], compare: Callable[[TrialArguments], Comparison]
) -> tuple[TrialArguments, Comparison]:
    """Compare with the first values of inputs of these sizes with which the model runs."""
    given = _arguments(trials, sizes)
    first: Exception | None = None
    for draw in _DRAWS:
        drawn = given if draw == _DRAWS[0] else _drawn(trials, given, draw)
        try:
            return drawn, compare(drawn)
        except (EvaluationFailed, TrialFailed) as failed:
            first = first or failed
    assert first is not None
    raise first


def _arguments(trials: Trials, sizes: Mapping[str, InputValue]) -> TrialArguments:
    """Return random inputs of these sizes, and of fitting ones where none is given.

    Raise InvalidRequest, and EvaluationFailed for tensors that are too large.
    """
    required = {each.name for each in trials.template.inputs if not each.node.optional and each.node.default is None}
    budget = Budget(trials.limits)
    if required <= sizes.keys():  # the comparison shows whether they fit
        return [
            _generated(sizes.get(member.name), member.name, value, trials.seed, budget)
            for member, value in zip(trials.template.inputs, trials.root.inputs, strict=True)
        ]
    request = EvaluationRequest(trials.template.name, trials.attributes, trials.dtypes, sizes, seed=trials.seed)
    return bound(trials.session, trials.template, request, FLOAT32, budget).arguments


def _generated(size: InputValue, name: str, declared: Value, seed: int, budget: Budget) -> Argument:
    match size:
        case Generator():
            dtype = next((tensor.dtype for tensor in tensors_of(declared)), None)
            return generate(size, dtype or "real", source_of(seed, name), budget=budget)
        case tuple():
            made = (_generated(each, f"{name}[{at}]", declared, seed, budget) for at, each in enumerate(size))
            return tuple(each for each in made if isinstance(each, np.ndarray))
    return None


def _drawn(trials: Trials, given: TrialArguments, draw: _Draw) -> TrialArguments:
    arguments: list[Argument] = []
    for member, value in zip(trials.template.inputs, given, strict=True):
        arrays = [_array(array, f"{member.name}[{at}]", draw, trials.seed) for at, array in enumerate(arrays_of(value))]
        arguments.append(arrays[0] if isinstance(value, np.ndarray) else None if value is None else tuple(arrays))
    return arguments


def _array(array: Array, name: str, draw: _Draw, seed: int) -> Array:
    source = source_of(seed, name)
    match array.dtype.kind:
        case "f":
            drawn = source.random if draw.fractions else source.standard_normal
            return np.asarray(drawn(array.shape, np.float32))
        case "i":
            return np.asarray(source.integers(draw.least, draw.end, array.shape))
    return array


def _message(failed: Exception | None) -> str:
    match failed:
        case InvalidRequest():
            return failed.failures[0].message
        case EvaluationFailed():
            return failed.message
    return str(failed)
