"""Attributes and inputs on which two versions of a definition are compared."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import chain, islice
from typing import Any, TypeAlias

import numpy as np
from msgspec import Struct

from snd_analysis.compose import Session, Template, compose_root
from snd_analysis.model import tensors_of
from snd_analysis.symbolic.integers import Integer
from snd_analysis.symbolic.values import Value
from snd_runtime.errors import EvaluationFailed
from snd_runtime.evaluation.binding import Bound, bound
from snd_runtime.evaluation.distinct_sizes import distinct_inputs, equal_sizes, numbers_in, sizes_in
from snd_runtime.evaluation.request import EvaluationRequest, InputValue
from snd_runtime.evaluation.tensors import InvalidRequest
from snd_runtime.evaluation.trial_inputs import larger_inputs
from snd_runtime.execution import value_of
from snd_runtime.limits import Budget
from snd_runtime.lowering.lowered import Argument
from snd_runtime.samples.attribute_choices import attribute_values, different_attributes, needed_attributes
from snd_runtime.samples.limits import (
    MOST_ATTRIBUTE_CHOICES,
    MOST_BASES,
    MOST_FAILING_SIZES,
    MOST_TRIALS_OF_BASE,
    MOST_VARIATIONS,
)
from snd_runtime.samples.proposal import bindings
from snd_runtime.samples.request import SampleRequest
from snd_runtime.values import PlainValue

Array: TypeAlias = np.ndarray[Any, Any]

_SECONDS = 1.0
"""CPU time for finding attributes and inputs that bind."""


class Trial(Struct, frozen=True):
    """Attributes and inputs to which a definition can be bound."""

    attributes: Mapping[str, PlainValue]
    bound: Bound

    @property
    def sizes(self) -> Mapping[str, int]:
        """The extents that the declarations name."""
        return sizes_in(self.bound.specialization)


class Trials(Struct, frozen=True):
    """The trials of a definition; ``equal`` are pairs of sizes that are equal in all of them, though none must be."""

    found: Sequence[Trial] = ()
    equal: Sequence[tuple[str, str]] = ()


def trials_of(session: Session, template: Template, around: SampleRequest) -> Trials:
    """Return trials of pairwise different sizes, at least one for each value of an attribute that matters.

    If no such sizes bind, the smallest inputs that do are the trial.
    """
    found = [*_distinct(session, template, around)]
    if not found:
        found = [Trial(attributes, each) for attributes, each in islice(bindings(session, template, around), 1)]
    if not found:
        return Trials()
    root = compose_root(session, template, _values(found[0].attributes), {}, {})
    cases = [{**each.sizes, **_numbers(_values(each.attributes))} for each in found]
    return Trials(found, equal_sizes(cases, root))


def _distinct(session: Session, template: Template, around: SampleRequest) -> Iterator[Trial]:
    end = time.thread_time() + _SECONDS
    bases: list[Mapping[str, PlainValue]] = []
    tried: set[str] = set()

    def of(attributes: Mapping[str, PlainValue], most: int) -> Iterator[Trial]:
        if (key := repr(sorted(attributes.items()))) not in tried and time.thread_time() < end:
            tried.add(key)
            yield from _trials(session, template, around, attributes, most)

    choices = chain(different_attributes(template), needed_attributes(template))
    for attributes in islice(choices, MOST_ATTRIBUTE_CHOICES):
        most = MOST_TRIALS_OF_BASE if not bases else 1
        trials = [*of(attributes, most)]
        yield from trials
        bases += [attributes] if trials else []
        if len(bases) == MOST_BASES:
            break
    varied = 0
    for member in template.attributes if bases else ():
        for value in attribute_values(template, member):
            variation = {**bases[0], member.name: value}
            trials = [*of(variation, 1)] if varied < MOST_VARIATIONS else []
            varied += len(trials)
            yield from trials


def _trials(
    session: Session, template: Template, around: SampleRequest, attributes: Mapping[str, PlainValue], most: int
) -> Iterator[Trial]:
    """Yield trials with certain attributes: of different sizes, and one of large sizes if there are several."""
    root = compose_root(session, template, _values(attributes), {}, {})
    if not root.valid or root.failures:
        return
    taken = set(_numbers(root.attributes).values())
    count = failed = elements = 0
    for inputs in distinct_inputs(root, taken):
        trial = _bound(session, template, around, attributes, inputs)
        size = 0 if trial is None else sum(array.size for each in trial.bound.arguments for array in arrays_in(each))
        if trial is None or (inputs and not size):  # without elements, nothing is compared
            failed += 1
        else:
            count += 1
            elements = max(elements, size)
            yield trial
        if count == most or failed == MOST_FAILING_SIZES:
            break
    has_known_rank = all(isinstance(each, Integer) for value in root.inputs for each in _extents(value))
    for inputs in islice(larger_inputs(root, elements), 1) if most > 1 and count and has_known_rank else ():
        trial = _bound(session, template, around, attributes, inputs)
        if trial is not None:
            yield trial


def _bound(
    session: Session,
    template: Template,
    around: SampleRequest,
    attributes: Mapping[str, PlainValue],
    inputs: Mapping[str, InputValue],
) -> Trial | None:
    with suppress(InvalidRequest, EvaluationFailed):
        given = EvaluationRequest(template.name, attributes, inputs=inputs, seed=around.seed)
        found = bound(session, template, given, around.real, Budget(around.limits), search_seconds=_SECONDS / 4)
        return Trial(attributes, found)
    return None


def _extents(value: Value) -> Iterator[object]:
    for tensor in tensors_of(value):
        yield from (None,) if tensor.shape is None else tensor.shape


def _values(attributes: Mapping[str, PlainValue]) -> dict[str, Value]:
    return {name: value_of(each) for name, each in attributes.items()}


def _numbers(attributes: Mapping[str, Value]) -> dict[str, int]:
    """Return the numbers among attributes."""
    return {key: number for name, value in attributes.items() for key, number in numbers_in(name, value).items()}


def arrays_in(value: Argument) -> tuple[Array, ...]:
    """Return a tensor, or the tensors of a pack."""
    return () if value is None else (value,) if isinstance(value, np.ndarray) else tuple(value)
