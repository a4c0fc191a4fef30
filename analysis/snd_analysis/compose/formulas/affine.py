"""Indices as affine functions of the positions along axes, and the values that terms can take."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import Struct

from snd_analysis.compose.formulas.terms import (
    Apply,
    AxisPosition,
    Constant,
    ConstantItem,
    IndexTerm,
    Next,
    OpenValue,
    Read,
    Term,
)
from snd_analysis.symbolic.integers import INT_MAX, INT_MIN

Interval = tuple[int, int]
"""The least and the greatest value; of 64 bits at most if the computation does not overflow."""


class AffineIndex(Struct, frozen=True):
    """``constant`` and a factor, not zero, for every axis."""

    constant: int
    factors: Mapping[int, int]

    def over(self, ranges: Sequence[tuple[int, int]]) -> Interval:
        """Return the least and the greatest value where positions lie in non-empty ranges, the ends excluded."""
        low = high = self.constant
        for axis, factor in self.factors.items():
            first, last = factor * ranges[axis][0], factor * (ranges[axis][1] - 1)
            low += min(first, last)
            high += max(first, last)
        return low, high

    def at(self, positions: Sequence[int]) -> int:
        """Return the value at a point."""
        return self.constant + sum(factor * positions[axis] for axis, factor in self.factors.items())


class Analysis:
    """Affine forms and intervals of terms over a space of given extents."""

    def __init__(self, extents: Sequence[int]) -> None:
        self.extents = tuple(extents)
        self._ranges = [(0, max(extent, 1)) for extent in extents]
        self._affine: dict[Term, AffineIndex | None] = {}
        self._intervals: dict[Term, Interval] = {}

    def affine(self, term: Term) -> AffineIndex | None:
        """Return the affine form of an int term; None if it has none that fits into 64 bits everywhere."""
        if term not in self._affine:
            form = self._affine_form(term)
            if form is not None and not _fits(form.over(self._ranges)):
                form = None
            self._affine[term] = form
        return self._affine[term]

    def _affine_form(self, term: Term) -> AffineIndex | None:
        if isinstance(term, Constant):
            return AffineIndex(term.value, {}) if term.dtype == "int" else None  # type: ignore[arg-type]
        if isinstance(term, AxisPosition):
            return AffineIndex(0, {term.axis: 1})
        if not isinstance(term, Apply):
            return None
        if term.operation == "position in pack":
            return self._affine_position(*term.operands)
        if term.operation not in ("+", "-", "*", "negate"):
            return None
        forms = [self.affine(operand) for operand in term.operands if operand.dtype == "int"]
        if len(forms) != len(term.operands) or None in forms:
            return None
        known = [form for form in forms if form is not None]
        if term.operation == "negate":
            return _scaled(known[0], -1)
        first, second = known
        if term.operation == "*":
            if first.factors and second.factors:
                return None
            return _scaled(second, first.constant) if not first.factors else _scaled(first, second.constant)
        return _added(first, second if term.operation == "+" else _scaled(second, -1))

    def _affine_position(self, index: Term, count: Term) -> AffineIndex | None:
        """Return the form of an index that is never negative, which would count from the end, nor too great."""
        form, length = self.affine(index), self.affine(count)
        if form is None or length is None or length.factors:
            return None
        low, high = form.over(self._ranges)
        return form if low >= 0 and high < length.constant else None

    def affine_places(self, places: Sequence[IndexTerm]) -> tuple[AffineIndex, ...] | None:
        """Return the affine forms of the indices of an access that remaps none; None if some have none."""
        forms = []
        for place in places:
            form = self.affine(place.index) if place.below is None else None
            if form is None:
                return None
            forms.append(form)
        return tuple(forms)

    # ---- intervals ---------------------------------------------------------------------------------------------------
    def interval(self, term: Term) -> Interval:
        """Return bounds of the values of an int term; they may exceed 64 bits if its computation may overflow."""
        if term not in self._intervals:
            self._intervals[term] = self._interval(term)
        return self._intervals[term]

    def _interval(self, term: Term) -> Interval:
        form = self.affine(term)
        if form is not None:
            return form.over(self._ranges)
        if isinstance(term, ConstantItem):
            return min(term.values), max(term.values)  # type: ignore[return-value]
        if isinstance(term, Read | Next | Constant | AxisPosition | OpenValue):
            return INT_MIN, INT_MAX
        known = [_clamped(self.interval(operand)) for operand in term.operands if operand.dtype == "int"]
        return _of_operation(term.operation, known)


def _of_operation(operation: str, known: list[Interval]) -> Interval:
    whole = INT_MIN, INT_MAX
    match operation, known:
        case "+", [(a, b), (c, d)]:
            return a + c, b + d
        case "-", [(a, b), (c, d)]:
            return a - d, b - c
        case "*", [(a, b), (c, d)]:
            corners = (a * c, a * d, b * c, b * d)
            return min(corners), max(corners)
        case "negate", [(a, b)]:
            return -b, -a
        case "<?", [(a, b), (c, d)]:
            return min(a, c), min(b, d)
        case ">?", [(a, b), (c, d)]:
            return max(a, c), max(b, d)
        case "select" | "pick", [(a, b), (c, d)]:
            return min(a, c), max(b, d)
        case "/" | "\\", [(a, b), (c, d)] if c > 0:
            corners = (a // c, a // d, -(-b // c), -(-b // d))
            return min(corners), max(corners)
        case "%", [_, (c, d)] if c > 0:
            return 0, d - 1
        case "abs", [(a, b)]:
            return (0 if a <= 0 <= b else min(abs(a), abs(b))), max(abs(a), abs(b))
        case "sign", _:
            return -1, 1
        case "int", []:
            return whole
    return whole


def _fits(interval: Interval) -> bool:
    return interval[0] >= INT_MIN and interval[1] <= INT_MAX


def _clamped(interval: Interval) -> Interval:
    """Return the interval restricted to values that did not overflow."""
    return max(interval[0], INT_MIN), min(interval[1], INT_MAX)


def _scaled(form: AffineIndex, by: int) -> AffineIndex:
    if by == 0:
        return AffineIndex(0, {})
    return AffineIndex(form.constant * by, {axis: factor * by for axis, factor in form.factors.items()})


def _added(first: AffineIndex, second: AffineIndex) -> AffineIndex:
    factors = dict(first.factors)
    for axis, factor in second.factors.items():
        factors[axis] = factors.get(axis, 0) + factor
    return AffineIndex(first.constant + second.constant, {axis: factor for axis, factor in factors.items() if factor})


# ---- distinct elements -----------------------------------------------------------------------------------------------
def colliding_axes(forms: Sequence[AffineIndex], lengths: Mapping[int, int]) -> frozenset[int]:
    """Return the axes among ``lengths`` (longer than 1) along which different positions may lead to the same element.

    The indices distinguish positions along all other axes, given the positions along the colliding ones.
    """
    unresolved = set(lengths)
    changed = True
    while changed and unresolved:
        changed = False
        for form in forms:
            axes = [axis for axis in form.factors if axis in unresolved]
            if axes and _tells_apart({axis: form.factors[axis] for axis in axes}, lengths):
                unresolved.difference_update(axes)
                changed = True
    return frozenset(unresolved)


def _tells_apart(factors: Mapping[int, int], lengths: Mapping[int, int]) -> bool:
    """Return whether positions have distinct offsets, as with digits: every step exceeds all shorter ones together."""
    reach = 0
    for axis in sorted(factors, key=lambda axis: abs(factors[axis])):
        if abs(factors[axis]) <= reach:
            return False
        reach += abs(factors[axis]) * (lengths[axis] - 1)
    return True
