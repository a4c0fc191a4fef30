"""Whether a definition computes the same after an edit: both are run on samples and on random inputs of many sizes."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import islice
from typing import Any, TypeAlias

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from snd_analysis.compose import Session, Specialization, Template, compose_root, specialization_of
from snd_analysis.model import Tensor
from snd_analysis.skriptnd.names import OperatorName
from snd_analysis.symbolic.integers import Integer
from snd_analysis.workspace import Snapshot
from snd_runtime.deviation import deviation
from snd_runtime.errors import EvaluationFailed
from snd_runtime.evaluation.binding import Bound, bound
from snd_runtime.evaluation.request import EvaluationRequest, InputValue
from snd_runtime.evaluation.tensors import InvalidRequest
from snd_runtime.evaluation.trial_inputs import larger_inputs, random_inputs
from snd_runtime.execution import Execution, RunResult, execute, value_of
from snd_runtime.generators import Generator
from snd_runtime.limits import Budget
from snd_runtime.lowering.lowered import Argument
from snd_runtime.samples.evaluation import arguments_of
from snd_runtime.samples.proposal import bindings, different_attributes
from snd_runtime.samples.request import SampleRequest
from snd_runtime.values import PlainValue

Array: TypeAlias = np.ndarray[Any, Any]

_TOLERANCE = 1e-4
_MOST_SAMPLES, _MOST_ATTRIBUTES = 8, 3
_SIZES = (2, 3, 5)
"""Of the first symbol; the others have the next numbers, so that no two extents are equal by accident."""
_SCALES, _SMALL, _EXTREME = (10.0, 100.0), 2.0, 100.0
"""Of further random numbers: limits of a range show with great ones only, comparisons with 0 with small ones."""
_LEAST = 3
"""Evaluations, where there are so few sizes: with other random numbers."""


_Given: TypeAlias = tuple[Mapping[str, PlainValue], Bound]


class EquivalenceRequest(Struct, frozen=True):
    """``around`` has the texts before any edit, ``changed`` those that each of several edits changes, best first."""

    around: SampleRequest
    name: OperatorName
    changed: Sequence[Mapping[str, str]]


class Equivalence(Struct, frozen=True):
    """On how many evaluations both were equal, and how they differ on another one, or why there is none.

    ``chosen`` is the number of the edit that this is said of: the first that changes nothing, else the last.
    """

    evaluations: int = 0
    difference: str | None = None
    reason: str | None = None
    chosen: int = 0

    @property
    def is_equal(self) -> bool:
        """Whether the edit may be applied."""
        return self.difference is None and self.evaluations > 0


class _Case(Struct, frozen=True):
    """A definition before and after the edit, with arguments for both."""

    before: Specialization
    after: Specialization | str
    """Or why it can't be invoked so any more."""
    arguments: Sequence[Argument]
    where: str
    is_extreme: bool = False
    """Whether reals may be too great for the definition before the edit: what is not finite then may become so."""


def compare(snapshot: Snapshot, request: EquivalenceRequest) -> Equivalence:
    """Run the definition before and after each edit until a difference is found, or the time of an evaluation is over.

    Return what is found of the first edit that changes nothing. Cases that fail before the edit don't count.
    """
    seconds, template = request.around.limits.seconds, snapshot.template(request.name)
    end, found = None if seconds is None else time.monotonic() + seconds, Equivalence()
    known = template is not None and not template.errors
    given = [*_bindings(snapshot.session(), template, request.around)] if template is not None and known else []
    for number, texts in enumerate(request.changed):
        found = replace(_compared(snapshot, snapshot.changed(texts), request, given, end), chosen=number)
        if found.is_equal:
            break
    return found


def _compared(
    snapshot: Snapshot, changed: Snapshot, request: EquivalenceRequest, given: Sequence[_Given], end: float | None
) -> Equivalence:
    around = request.around
    limits, count = around.limits, 0
    template = snapshot.template(request.name)
    reason = "no attributes and inputs were found with which it can be invoked"
    if template is None or template.errors:
        reason = "what is wrong with it must be mended first"
    sessions = snapshot.session(), changed.session()
    for number, case in enumerate(_cases(snapshot, changed, request, given)):
        if end is not None:
            limits = replace(limits, seconds=end - time.monotonic())
            if end <= time.monotonic():
                break
        if isinstance(case.after, str):
            return Equivalence(count, f"{case.where}: it can't be invoked any more: {case.after}")
        execution = Execution(real=around.real, seed=around.seed + number, limits=limits)
        try:
            before = execute(sessions[0], case.before, case.arguments, execution)
        except EvaluationFailed as failed:
            reason = failed.message
            continue
        try:
            after = execute(sessions[1], case.after, case.arguments, execution)
        except EvaluationFailed as failed:
            if end is not None and end <= time.monotonic():
                break
            return Equivalence(count, f"{case.where}: it fails now: {failed.message}")
        differs = _difference(before, after, case.is_extreme)
        if differs is not None:
            return Equivalence(count, f"{case.where}: {differs}")
        count += 1
    return Equivalence(count, reason=None if count else reason)


# ---- cases -----------------------------------------------------------------------------------------------------------
def _cases(
    snapshot: Snapshot, changed: Snapshot, request: EquivalenceRequest, given: Sequence[_Given]
) -> Iterator[_Case]:
    yield from islice(_sample_cases(snapshot, changed, request), _MOST_SAMPLES)
    other = changed.template(request.name)
    if other is None or other.errors:
        return
    count, last = 0, None
    for attributes, binding in given:
        yield (last := _generated(changed.session(), other, request, attributes, binding))
        count += 1
    while last is not None and count < _LEAST:
        yield _redrawn(last, request.around.seed + count)
        count += 1
    for number, scale in enumerate(_SCALES if last is not None else ()):
        assert last is not None
        yield _redrawn(last, request.around.seed + count + number, scale)
    if last is not None:
        yield _redrawn(last, request.around.seed, _SMALL, is_whole=True)


def _sample_cases(snapshot: Snapshot, changed: Snapshot, request: EquivalenceRequest) -> Iterator[_Case]:
    """The samples of the definition, which the edit leaves in their order."""
    path, around = request.name.path, request.around
    pairs = zip(snapshot.checked_samples(path), changed.checked_samples(path), strict=False)
    for (_, before), (_, after) in pairs:
        if before.target != request.name:
            continue
        if before.operation is None or before.has_errors:
            continue
        with suppress(EvaluationFailed):
            one, arguments = arguments_of(before, before.operation, around.limits, around.real, around.seed)
            other = None if after.operation is None or after.has_errors else specialization_of(after.operation)
            if one.valid:
                broken = other is None or not other.valid
                yield _Case(one, "it is wrong" if broken or other is None else other, arguments, "in a sample")


def _bindings(
    session: Session, template: Template, around: SampleRequest
) -> Iterator[tuple[Mapping[str, PlainValue], Bound]]:
    """Attributes with inputs of several sizes: the smallest that fit, then larger ones, each of other numbers."""
    chosen = islice(bindings(session, template, around), _MOST_ATTRIBUTES)
    for attributes, smallest in (*chosen, *bindings(session, template, around, different_attributes(template))):
        known = {_shapes(smallest)}
        yield attributes, smallest
        root = compose_root(session, template, {name: value_of(each) for name, each in attributes.items()}, {}, {})
        elements = sum(array.size for each in smallest.arguments for array in _arrays(each))
        for inputs in (*_sized(root), *islice(larger_inputs(root, elements), 1)):
            with suppress(InvalidRequest, EvaluationFailed):
                given = EvaluationRequest(template.name, attributes, inputs=inputs, seed=around.seed)
                found = bound(session, template, given, around.real, Budget(around.limits))
                if _shapes(found) not in known:
                    known.add(_shapes(found))
                    yield attributes, found


def _sized(root: Specialization) -> Iterator[Mapping[str, Generator]]:
    """Random inputs in which each symbol is another small number."""
    tensors = [each for each in root.inputs if isinstance(each, Tensor)]
    extents = [each for tensor in tensors for each in tensor.shape or () if isinstance(each, Integer)]
    symbols = dict.fromkeys(leaf.key for each in extents for leaf in each.leaves)
    for size in _SIZES if symbols else ():
        yield random_inputs(root, {key: size + at for at, key in enumerate(symbols)})


def _generated(
    session: Session, template: Template, request: EquivalenceRequest, attributes: Mapping[str, PlainValue], one: Bound
) -> _Case:
    """Return the same arguments for the definition before and after the edit."""
    inputs: dict[str, InputValue] = {
        member.name: value if isinstance(value, np.ndarray) else tuple(value)
        for member, value in zip(one.specialization.template.inputs, one.arguments, strict=True)
        if value is not None
    }
    given = EvaluationRequest(request.name, attributes, inputs=inputs, seed=request.around.seed)
    try:
        other = bound(session, template, given, request.around.real, Budget(request.around.limits)).specialization
    except InvalidRequest as invalid:
        return _Case(one.specialization, invalid.failures[0].message, one.arguments, _where(one))
    return _Case(one.specialization, other, one.arguments, _where(one))


def _redrawn(case: _Case, seed: int, scale: float = 1.0, is_whole: bool = False) -> _Case:
    """Return a case with other random numbers, so much greater; if they are whole, some are 0 and some are equal."""
    chance = np.random.default_rng(seed)

    def drawn(array: Array) -> Array:
        if array.dtype.kind != "f" and (array.dtype.kind != "i" or scale == 1.0):
            return array
        values = scale * chance.standard_normal(array.shape)
        return np.asarray(np.round(values) if is_whole or array.dtype.kind == "i" else values, array.dtype)

    arguments = tuple(
        drawn(each) if isinstance(each, np.ndarray) else None if each is None else tuple(map(drawn, each))
        for each in case.arguments
    )
    where = case.where if scale == 1.0 else f"{case.where} of about {scale:g}"
    return replace(case, arguments=arguments, where=where, is_extreme=scale >= _EXTREME)


def _where(found: Bound) -> str:
    members = zip(found.specialization.template.inputs, found.arguments, strict=True)
    shown = (
        f"{each.name}[{','.join(map(str, value.shape))}]" for each, value in members if isinstance(value, np.ndarray)
    )
    return f"on random inputs ({', '.join(shown)})"


def _shapes(found: Bound) -> tuple[tuple[tuple[int, ...], ...], ...]:
    return tuple(tuple(array.shape for array in _arrays(each)) for each in found.arguments)


def _arrays(value: Argument) -> tuple[Array, ...]:
    """Return a tensor, or those of a pack."""
    return () if value is None else (value,) if isinstance(value, np.ndarray) else tuple(value)


# ---- comparing -------------------------------------------------------------------------------------------------------
def _difference(before: RunResult, after: RunResult, finite_only: bool = False) -> str | None:
    """Return how two runs differ, in outputs or in variables; None if they agree."""
    if before.variables.keys() != after.variables.keys():
        names = ", ".join(f"'{each}'" for each in sorted(before.variables.keys() ^ after.variables.keys()))
        return f"variables have other names now: {names}"
    for was, now in ((before.outputs, after.outputs), (before.variables, after.variables)):
        for name, value in was.items():
            one, other = _arrays(value), _arrays(now.get(name))
            if [each.shape for each in one] != [each.shape for each in other]:
                return f"'{name}' has another shape"
            for left, right in zip(one, other, strict=True):
                if finite_only and left.dtype.kind == "f":
                    right = np.where(np.isfinite(left), right, left)
                differs = deviation(left, right, _TOLERANCE)
                if differs is not None:
                    return f"of '{name}', {differs}"
    return None
