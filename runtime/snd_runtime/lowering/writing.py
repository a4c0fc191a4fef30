"""Storing values: into views where indices are affine, else element by element."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from snd_analysis import rules
from snd_analysis.compose.formulas import AffineIndex, Analysis, Bounds, Write
from snd_runtime.errors import EvaluationFailed
from snd_runtime.lowering.arithmetic import INTEGER_OPERATIONS, Array
from snd_runtime.lowering.domains import Box
from snd_runtime.lowering.evaluation import ActivePoints, Evaluation
from snd_runtime.lowering.reading import index_values, strided

ACCUMULATORS: Final[dict[str, Any]] = {
    "+=": np.add,
    "*=": np.multiply,
    "&=": np.logical_and,
    "|=": np.logical_or,
    "<?=": np.minimum,
    ">?=": np.maximum,
}
"""The accumulating function of each operator."""

IDEMPOTENT: Final = frozenset({"&=", "|=", "<?=", ">?="})


def identity(operator: str, dtype: np.dtype[Any]) -> Any:
    """Return the initial value of an accumulation (2.12)."""
    if operator in ("<?=", ">?="):
        if dtype.kind == "f":
            return dtype.type(np.inf if operator == "<?=" else -np.inf)
        return np.iinfo(dtype).max if operator == "<?=" else np.iinfo(dtype).min
    return dtype.type({"+=": 0, "*=": 1, "&=": True, "|=": False}[operator])


def target_scope(evaluation: Evaluation, write: Write, scope: ActivePoints) -> ActivePoints:
    """Return the points of a scope at which a write happens, as far as guarded indices tell."""
    guarded = [(write.slot, place, at) for at, place in enumerate(write.places) if place.bounds is Bounds.SKIPPED]
    roots = (*write.place_terms, write.value)
    try:
        return evaluation.enter(scope, roots, guarded)
    except EvaluationFailed as failed:
        # Points that the value skips, in its branches, don't matter.
        narrowed = _without_skipped_by_value(evaluation, write, scope)
        if narrowed is None:
            raise failed from None
        return evaluation.enter(narrowed, roots, guarded)


def _without_skipped_by_value(evaluation: Evaluation, write: Write, scope: ActivePoints) -> ActivePoints | None:
    try:
        evaluation.value(write.value, evaluation.enter(scope, (write.value,)))
    except EvaluationFailed:
        return None
    return None if evaluation.skipped is None else without_skipped(evaluation, scope)


def condition_scope(evaluation: Evaluation) -> ActivePoints:
    """Return the points of the domain at which the condition of the formula holds."""
    scope = ActivePoints()
    condition = evaluation.formula.condition
    if condition is None:
        return scope
    scope = evaluation.enter(scope, (condition,))
    scope = scope.narrowed(evaluation.value(condition, scope))
    return without_skipped(evaluation, scope)


def without_skipped(evaluation: Evaluation, scope: ActivePoints) -> ActivePoints:
    """Return the points without those at which a guarded index in a branch was out of bounds."""
    skipped = evaluation.skipped
    return scope if skipped is None else scope.narrowed(~skipped)


def target_view(analysis: Analysis, write: Write, array: Array, box: Box) -> Array | None:
    """Return a view of the elements that the points of a box write to; None unless all are affine and in bounds."""
    forms = analysis.affine_places(write.places)
    if forms is None or not _within(forms, array, box):
        return None
    return strided(array, forms, box)


def _within(forms: tuple[AffineIndex, ...], array: Array, box: Box) -> bool:
    intervals = [form.over(box.ranges) for form in forms]
    return all(low >= 0 and high < extent for (low, high), extent in zip(intervals, array.shape, strict=True))


def store(evaluation: Evaluation, write: Write, scope: ActivePoints, operator: str, value: Array | None = None) -> None:
    """Store the value of a write at every point of a scope, one after the other, by an assignment or accumulation."""
    if scope.is_empty or evaluation.domain.size == 0:
        return
    if value is None:
        value = evaluation.value(write.value, scope)
    scope = without_skipped(evaluation, scope)
    places = [
        index_values(evaluation, write.slot, place, at, scope, evaluation.formula.node.target)
        for at, place in enumerate(write.places)
    ]
    scope = without_skipped(evaluation, scope)
    array = evaluation.memory.array(write.slot)
    shape = evaluation.domain.shape
    wide = [np.broadcast_to(place, shape) for place in places]
    values = np.broadcast_to(value, shape)
    if scope.active is not None:
        mask = np.broadcast_to(scope.active, shape)
        wide = [place[mask] for place in wide]
        values = values[mask]
    else:
        # Copies: of values for one element the last counts, but views are not always walked through in order.
        wide = [place.flatten() for place in wide]
        values = values.flatten()
    index: Any = tuple(wide) if wide else (np.zeros(values.shape, np.int64),)
    flat = array if wide else array.reshape(1)
    if operator in ("=", ":="):
        flat[index] = values
    elif array.dtype.kind == "i" and operator in ("+=", "*="):
        _accumulate_exactly(evaluation, flat, index, values, operator)
    else:
        ACCUMULATORS[operator].at(flat, index, values)


def _accumulate_exactly(evaluation: Evaluation, array: Array, index: Any, values: Array, operator: str) -> None:
    ufunc = ACCUMULATORS[operator]
    exact = np.abs(array.astype(np.float64))
    ufunc.at(exact, index, np.abs(values.astype(np.float64)))
    if exact.size == 0 or exact.max() < 2.0**62:
        ufunc.at(array, index, values)
        return
    slow = array.astype(object)
    ufunc.at(slow, index, values.astype(object))
    array[...] = fitting(evaluation, slow, operator)


def fitting(evaluation: Evaluation, exact: Array, operator: str) -> Array:
    """Exact ints as ints of 64 bits. Raise EvaluationFailed if one does not fit."""
    low, high = np.iinfo(np.int64).min, np.iinfo(np.int64).max
    if exact.size and (exact.min() < low or exact.max() > high):
        message = rules.formulas.result_too_wide(operator)
        raise evaluation.failed(rules.INT_OVERFLOW, message, evaluation.formula.node)
    return exact.astype(np.int64)


def combine(evaluation: Evaluation, view: Array, value: Array, operator: str) -> None:
    """Accumulate values into a view of as many elements, or fewer values that are the same for many."""
    if view.dtype.kind == "i" and operator in ("+=", "*="):
        checked: Callable[..., Any] = INTEGER_OPERATIONS[operator[0]]
        result, problem = checked(view, value)
        if problem is not None and problem[2].any():
            rule, message, _ = problem
            raise evaluation.failed(rule, message.replace(operator[0], operator), evaluation.formula.node)
        view[...] = result
        return
    ACCUMULATORS[operator](view, value, out=view)


def reduce_axes(evaluation: Evaluation, values: Array, axes: tuple[int, ...], operator: str) -> Array:
    """Return values accumulated along axes, which stay as extents of 1."""
    if not axes:
        return values
    ufunc = ACCUMULATORS[operator]
    if values.dtype.kind != "i" or operator not in ("+=", "*="):
        return np.asarray(ufunc.reduce(values, axis=axes, keepdims=True))
    with np.errstate(all="ignore"):
        size = np.asarray(ufunc.reduce(np.abs(values.astype(np.float64)), axis=axes, keepdims=True))
    if size.size == 0 or size.max() < 2.0**62:
        return np.asarray(ufunc.reduce(values, axis=axes, keepdims=True))
    exact = np.asarray(ufunc.reduce(values.astype(object), axis=axes, keepdims=True), object)
    return fitting(evaluation, exact, operator)
