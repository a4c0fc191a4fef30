"""Elements of tensors over a domain: strided views where indices are affine, gathers along the other dimensions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.lib.stride_tricks import as_strided

from snd_analysis import rules
from snd_analysis.base import Rule
from snd_analysis.compose.formulas import AffineIndex, Bounds, IndexTerm, Read, Slot, outside_of_tensor
from snd_runtime.lowering.arithmetic import Array
from snd_runtime.lowering.domains import Box

if TYPE_CHECKING:
    from snd_analysis.skriptnd.syntax import nodes
    from snd_runtime.lowering.evaluation import ActivePoints, Evaluation


def read_elements(evaluation: Evaluation, term: Read, scope: ActivePoints) -> Array:
    """Return the elements that an access means at every point of the domain.

    Raise EvaluationFailed if an index is out of bounds where it matters.
    """
    array = evaluation.memory.array(term.slot, evaluation.formula.source)
    domain = evaluation.domain
    if not isinstance(domain, Box) or domain.size == 0:
        index = [
            index_values(evaluation, term.slot, place, at, scope, term.node) for at, place in enumerate(term.places)
        ]
        return _gathered(array, index)
    forms = regular_dimensions(evaluation, term.places, array.shape, domain)
    if len(forms) == array.ndim:
        return strided(array, [forms[at] for at in range(array.ndim)], domain)
    irregular = [at for at in range(array.ndim) if at not in forms]
    indices = [index_values(evaluation, term.slot, term.places[at], at, scope, term.node) for at in irregular]
    if not forms:
        return _gathered(array, indices)
    return _partly_gathered(array, forms, irregular, indices, domain)


def regular_dimensions(
    evaluation: Evaluation, places: Sequence[IndexTerm], shape: Sequence[int], box: Box
) -> dict[int, AffineIndex]:
    """Return the dimensions whose indices are affine and within bounds, over axes of no other dimension."""
    forms: dict[int, AffineIndex] = {}
    irregular: set[int] = set()
    for at, place in enumerate(places):
        form = evaluation.analysis.affine(place.index)
        if form is not None:
            low, high = form.over(box.ranges)
            if low < 0 or high >= shape[at]:
                form = None
        if form is None:
            irregular.update(axis for each in place.terms for axis in each.axes)
        else:
            forms[at] = form
    irregular = {axis for axis in irregular if box.shape[axis] > 1}
    changed = True
    while changed:
        changed = False
        for at, form in list(forms.items()):
            varying = {axis for axis in form.factors if box.shape[axis] > 1}
            if not irregular.isdisjoint(varying):
                irregular |= varying
                del forms[at]
                changed = True
    return forms


class Window:
    """The elements at affine indices, which must be within bounds, for all points of a box."""

    __slots__ = ("_corner", "_factors", "_shape")

    def __init__(self, forms: Sequence[AffineIndex], box: Box) -> None:
        starts = [start for start, _ in box.ranges]
        used = {axis for form in forms for axis in form.factors}
        corner = [form.at(starts) for form in forms]
        self._corner: tuple[Any, ...] = (*(slice(at, at + 1) for at in corner), ...)
        self._shape = tuple(length if axis in used else 1 for axis, length in enumerate(box.shape))
        self._factors = [
            (axis, dimension, factor) for dimension, form in enumerate(forms) for axis, factor in form.factors.items()
        ]

    def of(self, array: Array) -> Array:
        """Return a view of them; it has a dimension for each axis."""
        strides = [0] * len(self._shape)
        for axis, dimension, factor in self._factors:
            strides[axis] += factor * array.strides[dimension]
        return as_strided(array[self._corner], self._shape, tuple(strides), writeable=array.flags.writeable)


def strided(array: Array, forms: Sequence[AffineIndex], box: Box) -> Array:
    """Return a view of the elements at affine indices, with a dimension per axis. Indices must be within bounds."""
    return Window(forms, box).of(array)


def _partly_gathered(
    array: Array, forms: dict[int, AffineIndex], irregular: Sequence[int], indices: Sequence[Array], box: Box
) -> Array:
    if array.size == 0:
        return np.zeros((1,) * len(box.shape), array.dtype)
    starts = [start for start, _ in box.ranges]
    regular_axes = sorted({axis for form in forms.values() for axis in form.factors if box.shape[axis] > 1})
    strides = [
        sum(form.factors.get(axis, 0) * array.strides[at] for at, form in forms.items()) for axis in regular_axes
    ]
    corner = array[tuple(slice(forms[at].at(starts), None) if at in forms else slice(None) for at in range(array.ndim))]
    view = as_strided(
        corner,
        (*(array.shape[at] for at in irregular), *(box.shape[axis] for axis in regular_axes)),
        (*(array.strides[at] for at in irregular), *strides),
        writeable=False,
    )
    wide = np.broadcast_shapes(*(index.shape for index in indices), (1,) * len(box.shape))
    gathering = [axis for axis, length in enumerate(wide) if length > 1]
    narrow = tuple(wide[axis] for axis in gathering)
    squeezed = [np.broadcast_to(index, wide).reshape(narrow) for index in indices]
    found = view[tuple(squeezed)]
    order = [*gathering, *regular_axes]
    found = found.transpose(sorted(range(len(order)), key=order.__getitem__))
    lengths = dict(zip(sorted(order), found.shape, strict=True))
    return found.reshape([lengths.get(axis, 1) for axis in range(len(box.shape))])


def _gathered(array: Array, indices: Sequence[Array]) -> Array:
    if array.size == 0:
        shape = np.broadcast_shapes(*(index.shape for index in indices))
        return np.zeros(shape, array.dtype)
    return np.asarray(array[tuple(indices)])


def index_values(
    evaluation: Evaluation, slot: Slot, place: IndexTerm, dimension: int, scope: ActivePoints, node: nodes.Node
) -> Array:
    """Return the indices along one dimension, remapped if necessary. Indices of inactive points are in bounds, too."""
    extent = evaluation.extent(slot, dimension)
    index = evaluation.value(place.index, scope)
    if place.bounds is Bounds.REMAPPED and place.below is not None and place.above is not None:
        low, high = index < 0, index >= extent
        if low.any():
            index = np.where(low, evaluation.value(place.below, scope.narrowed(low)), index)
        if high.any():
            index = np.where(high, evaluation.value(place.above, scope.narrowed(high)), index)
    if index.size == 0 or (int(index.min()) >= 0 and int(index.max()) < extent):
        return index
    failing = (index < 0) | (index >= extent)

    def describe(at: Sequence[int]) -> tuple[Rule, str]:
        message = outside_of_tensor(evaluation.at(index, at), dimension, slot, extent)
        return rules.INDEX_OUT_OF_RANGE, message

    evaluation.check(scope, failing, describe, node)
    return np.where(failing, 0, index)
