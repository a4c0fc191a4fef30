"""Differences that rounding explains: a right operation that amplifies rounding errors of its inputs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np

from snd_analysis.compose import Session, Specialization, specialization_of
from snd_analysis.model import Operation, Tensor, tensors_of
from snd_analysis.symbolic.values import NULL
from snd_runtime.errors import EvaluationFailed
from snd_runtime.execution import Execution, execute
from snd_runtime.lowering.lowered import Argument
from snd_server.running.deviation import TOLERANCE, difference

Array: TypeAlias = np.ndarray[Any, Any]
_EXACT = np.dtype(np.float64)

_MARGIN = 8.0
"""Factor by which the rounding error of an operation may exceed the effect of one unit in the last place."""
_AMPLIFIED = (
    "'{name}' differs in onnxruntime: {differs}, but the graph is ill-conditioned there and the file is not wrong: "
    "evaluated with 64 bits, '{operator}' gives both results from inputs that are equal but for rounding (they differ "
    "by {inputs:.2g} of their largest element; one unit in the last place of the inputs changes the result by "
    "{ulp:.2g}); {rest}"
)
_UNDECIDED = (
    "'{name}' differs in onnxruntime: {differs}, but the graph is ill-conditioned there: one unit in the last place of "
    "the inputs of '{operator}' changes the result by {ulp:.2g}, so that 32 bits can't tell whether the file is right; "
    "{rest}"
)
_STABLE = (
    "; rounding does not explain the difference: evaluated with 64 bits, one unit in the last place of the inputs of "
    "'{operator}' changes the result by {ulp:.2g}"
)


def explanation(
    session: Session,
    specialization: Specialization,
    variables: Mapping[str, Argument],
    name: str,
    found: Mapping[str, Any],
    expected: Mapping[str, Any],
    rest: str,
) -> tuple[bool, str]:
    """Return whether rounding explains that a tensor differs between two runs, and the words to say so.

    ``found`` and ``expected`` are the tensors of the runs, by name; ``name`` is the first that differs. Rounding is the
    explanation if its operation, evaluated with 64 bits, gives the found result from the found inputs and the expected
    result from the expected inputs, and these inputs are equal but for rounding.
    """
    operation, at = _maker(specialization, name)
    if operation is None:
        return False, ""
    one, other = (_inputs(operation, run, variables) for run in (found, expected))
    if one is None or other is None:
        return False, ""
    operator = operation.callee.template.shown  # type: ignore[union-attr]

    def exact(inputs: Sequence[Argument]) -> Array:
        return _computed(session, operation, inputs, variables, at)

    try:
        first, second = exact(one), exact(other)
        ulp = _distance(exact([_moved(each) for each in other]), second)
    except EvaluationFailed:
        return False, ""
    result, reference = np.asarray(found[name]), np.asarray(expected[name])
    inputs = max((_relative(*pair) for pair in zip(_flat(one), _flat(other), strict=True)), default=0.0)
    differs = difference(result, reference)
    words = {"name": name, "differs": differs, "operator": operator, "inputs": inputs, "ulp": ulp, "rest": rest}
    pairs = ((result, first), (reference, second))
    if inputs <= TOLERANCE and all(difference(one, _as(other, one)) is None for one, other in pairs):
        return True, _AMPLIFIED.format(**words)
    if inputs <= TOLERANCE and all(_distance(one, other) <= _MARGIN * ulp for one, other in pairs):
        return True, _UNDECIDED.format(**words)
    return False, _STABLE.format(operator=operator, ulp=ulp)


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
    from snd_server.exchange.onnx_export.errors import Unsuitable
    from snd_server.exchange.onnx_export.scope import constant_array

    if tensor.value is not None:
        try:
            return constant_array(tensor)
        except Unsuitable:
            return None
    found = known.get(tensor.name)
    return found if isinstance(found, np.ndarray) else None


def _computed(
    session: Session, operation: Operation, inputs: Sequence[Argument], variables: Mapping[str, Argument], at: int
) -> Array:
    """Return a result of an invocation, computed with 64 bits. Raises EvaluationFailed."""
    callee = specialization_of(operation)
    assert callee is not None
    scope = f"{operation.label}." if operation.label else ""
    own = {name.removeprefix(scope): value for name, value in variables.items() if name.startswith(scope)}
    execution = Execution(real=_EXACT, variables=own)
    outcome = execute(session, callee, [_widened(each) for each in inputs], execution)
    return _flat([*outcome.outputs.values()])[at]


def _widened(value: Argument) -> Argument:
    if isinstance(value, np.ndarray):
        return value.astype(_EXACT) if value.dtype.kind == "f" else value
    return None if value is None else tuple(_widened(each) for each in value)  # type: ignore[misc]


def _moved(value: Argument) -> Argument:
    """Return reals by one unit in the last place of 32 bits greater or less, by turns."""
    if isinstance(value, np.ndarray):
        if value.dtype.kind != "f":
            return value
        narrow = value.astype(np.float32)
        signs = np.where(np.arange(narrow.size) % 2, np.float32(np.inf), np.float32(-np.inf)).reshape(narrow.shape)
        return np.nextafter(narrow, signs, dtype=np.float32)
    return None if value is None else tuple(_moved(each) for each in value)  # type: ignore[misc]


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
    if other.dtype.kind == "b":
        return float((one != other).any())
    with np.errstate(invalid="ignore"):
        return float(np.abs(one.astype(_EXACT) - other.astype(_EXACT)).max(initial=0.0))


def _as(array: Array, like: Array) -> Array:
    return array.astype(like.dtype) if like.dtype.kind == "f" else array
