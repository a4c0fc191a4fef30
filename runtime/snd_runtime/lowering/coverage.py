"""Elements that formulas with ``=`` leave unwritten, or write more than once (2.12).

Such a formula gives a tensor its values, each element one. Where other formulas accumulate into the tensor, elements
that '=' leaves out have the value that the accumulation begins with, so only elements that '=' writes twice are wrong.
A guarded index leaves elements out, too. Tensors are not counted if data decide which of their elements are written.
Samples without a recorded result are held to it: an author who records a result has looked at it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from math import prod
from typing import Any

import numpy as np

from snd_analysis.compose import Specialization
from snd_analysis.compose.formulas import (
    AffineIndex,
    Analysis,
    Constant,
    Formula,
    FormulaFailed,
    FormulaTensors,
    Slot,
    colliding_axes,
    elaborate,
    skips_points,
    written_elements,
)
from snd_analysis.model import Place
from snd_analysis.skriptnd.names import Symbol
from snd_analysis.skriptnd.syntax import nodes
from snd_analysis.symbolic.values import Pack
from snd_runtime.errors import EvaluationFailed
from snd_runtime.lowering.limits import MOST_COUNTED_ELEMENTS
from snd_runtime.rules import UNWRITTEN_ELEMENT, WRITTEN_TWICE


def check_coverage(specialization: Specialization) -> None:
    """Raise EvaluationFailed for an output whose elements formulas with ``=`` don't write once.

    A run does not ask: elements that nothing writes are 0 there, and the last of several values counts.
    """
    try:
        tensors = FormulaTensors(specialization)
        formulas = list(elaborate(specialization, tensors))
    except FormulaFailed:
        return
    writing: defaultdict[Slot, list[Formula]] = defaultdict(list)
    for formula in formulas:
        for slot in formula.slots:
            for each in (slot, *slot.items):
                writing[each].append(formula)
    for slot, place, is_partial in _initialized(specialization, tensors):
        group = [each for each in writing[slot] if each.operator == "="]
        if all(map(_is_static, group)):
            _check(slot, group, place, is_partial)


def _initialized(specialization: Specialization, tensors: FormulaTensors) -> Iterator[tuple[Slot, Place, bool]]:
    """Yield the outputs that formulas with ``=`` write, with the place of the first formula.

    The bool tells whether elements may be left out: other formulas accumulate into the output, or an index is guarded.
    """
    template = specialization.template
    writing: defaultdict[Symbol, list[tuple[int, nodes.Lowering]]] = defaultdict(list)
    for base, node in template.formulas:
        symbol = template.resolution.targets.get(node.target.name)
        if isinstance(symbol, Symbol):
            writing[symbol].append((base, node))
    for symbol, formulas in writing.items():
        initial = [(base, node) for base, node in formulas if node.operator.text == "="]
        if not initial or any(node.operator.text == ":=" for _, node in formulas):
            continue
        is_partial = len(initial) < len(formulas) or any(skips_points(node) for _, node in initial)
        value = tensors.values[symbol]
        for slot in value.segments if isinstance(value, Pack) else (value,):
            if isinstance(slot, Slot) and None not in slot.shape:
                yield slot, template.place(*initial[0]), is_partial


def _is_static(formula: Formula) -> bool:
    return not formula.counters and all(isinstance(axis.extent, Constant) for axis in formula.axes)


def _check(slot: Slot, formulas: Sequence[Formula], place: Place, is_partial: bool) -> None:
    shape = tuple(extent or 0 for extent in slot.shape)
    counts = _counts(slot, formulas, shape)
    if counts is None:
        return
    for broken, rule, says in (
        ((counts == 0) & (not is_partial), UNWRITTEN_ELEMENT, "is never written"),
        (counts > 1, WRITTEN_TWICE, "is written more than once"),
    ):
        if broken.any():
            at = ",".join(str(int(each)) for each in np.unravel_index(int(np.argmax(broken)), shape)) if shape else ""
            comma = "," if len(shape) == 1 else ""
            raise EvaluationFailed(rule, f"'{slot.name}[{at}{comma}]' {says}: '=' gives each element its value", place)


def _counts(slot: Slot, formulas: Sequence[Formula], shape: tuple[int, ...]) -> np.ndarray[Any, Any] | None:
    """Return how often each element is written; None if all are once, or that is too much to look at."""
    size = prod(shape)
    forms = [
        (analysis, analysis.affine_places(write.places) if write.slot is slot and _is_total(formula) else None)
        for analysis, formula in ((_space(formula), formula) for formula in formulas)
        for write in formula.writes
    ]
    affine = [(analysis, form) for analysis, form in forms if form is not None]
    if len(affine) == len(forms) == 1 and _is_bijective(*affine[0], size):
        return None
    counts = np.zeros(shape, np.int64)
    if len(affine) < len(forms):
        for formula in formulas:
            elements = written_elements(formula, slot)
            if elements is None:
                return None
            for element in elements:
                if not all(0 <= index < extent for index, extent in zip(element, shape, strict=True)):
                    return None  # out of bounds, which the computation reports
                counts[element] += 1
        return counts
    if size > MOST_COUNTED_ELEMENTS or sum(prod(analysis.extents) for analysis, _ in affine) > MOST_COUNTED_ELEMENTS:
        return None
    for analysis, form in affine:
        if not prod(analysis.extents):
            continue
        indices = [_values(one, analysis.extents) for one in form]
        if any(np.any(index < 0) or np.any(index >= extent) for index, extent in zip(indices, shape, strict=True)):
            return None
        np.add.at(counts, tuple(indices), 1) if shape else counts.__iadd__(prod(analysis.extents))
    return counts


def _is_total(formula: Formula) -> bool:
    return formula.condition is None and not skips_points(formula.node)


def _space(formula: Formula) -> Analysis:
    return Analysis([max(int(axis.extent.value), 0) for axis in formula.axes if isinstance(axis.extent, Constant)])


def _is_bijective(analysis: Analysis, forms: Sequence[AffineIndex], size: int) -> bool:
    lengths = {axis: extent for axis, extent in enumerate(analysis.extents) if extent > 1}
    return prod(analysis.extents) == size and not colliding_axes(forms, lengths)


def _values(form: AffineIndex, extents: Sequence[int]) -> np.ndarray[tuple[int, ...], np.dtype[np.int64]]:
    found = np.full((1,) * len(extents), form.constant, np.int64)
    for axis, factor in form.factors.items():
        shape = [1] * len(extents)
        shape[axis] = extents[axis]
        found = found + factor * np.arange(extents[axis], dtype=np.int64).reshape(shape)
    return np.broadcast_to(found, tuple(extents))
