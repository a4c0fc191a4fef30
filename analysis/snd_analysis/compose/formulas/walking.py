"""Evaluation of a formula at each point of its index space, as far as no data decides it (2.12).

A run does this with arrays; this module does it earlier, point by point, for failures that occur whatever the data: an
index out of bounds, a missing item of a pack, a division by zero.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import product
from math import prod
from typing import TypeAlias

from snd_analysis import rules
from snd_analysis.base import Rule
from snd_analysis.compose.formulas.affine import Analysis
from snd_analysis.compose.formulas.formula import (
    Formula,
    OutOfBoundsError,
    outside_of_tensor,
    point_text,
    skips_points,
)
from snd_analysis.compose.formulas.operands import CALCULATIONS, scalar_of, value_of
from snd_analysis.compose.formulas.terms import (
    IN_PACK,
    SHORT_CIRCUITING,
    Apply,
    AxisPosition,
    Bounds,
    Constant,
    ConstantItem,
    IndexTerm,
    Next,
    OpenValue,
    Read,
    Scalar,
    Slot,
    Term,
    subterms,
    unconditional,
)
from snd_analysis.compose.limits import MOST_POINTS
from snd_analysis.skriptnd.evaluate import EvaluationError
from snd_analysis.skriptnd.syntax import naming_pack, nodes
from snd_analysis.symbolic.integers import INT_MAX, INT_MIN
from snd_analysis.symbolic.values import OperationError

Elements: TypeAlias = "Scalar | tuple[Scalar, ...]"
"""The elements of a tensor that are known: one for all, or all of them in row-major order."""
KnownElements: TypeAlias = Mapping[Slot, Elements]
_NOTHING: KnownElements = {}


def check_formula(formula: Formula, known: KnownElements = _NOTHING) -> None:
    """Raise EvaluationError for a failure of a formula at some point, whatever the data.

    The elements of some tensors may be known, as in literals and constants.
    """
    extents = [int(axis.extent.value) for axis in formula.axes if isinstance(axis.extent, Constant)]
    if len(extents) < len(formula.axes) or is_within_bounds(formula, extents):
        return
    used = frozenset[int]().union(*(term.axes for term in formula.roots))
    if prod(extents[axis] for axis in used) > MOST_POINTS and known:
        places = (place for _, place, _, _ in _accesses(formula))
        used = frozenset[int]().union(*(term.axes for place in places if _reads(place, known) for term in place.terms))
    if prod(extents[axis] for axis in used) > MOST_POINTS:
        return
    # Axes that no index in question depends on are examined at position 0 only: a point like any other.
    ranges = [range(extent) if axis in used else range(1) for axis, extent in enumerate(extents)]
    for point in product(*ranges):
        Point(formula, dict(enumerate(point)), known).check()


def _reads(place: IndexTerm, known: KnownElements) -> bool:
    return any(isinstance(term, Read) and term.slot in known for term in subterms(*place.terms))


def computed_elements(formulas: Sequence[Formula], slot: Slot, known: KnownElements) -> tuple[Scalar, ...] | None:
    """Return the elements that formulas give a tensor of ints or bools, in row-major order.

    None if they are not known, or are more than are looked at one by one. Raise EvaluationError.
    """
    if slot.dtype not in ("int", "bool") or None in slot.shape:
        return None
    found: dict[tuple[int, ...], Scalar] = {}
    for formula in formulas:
        if slot not in formula.slots:
            continue
        extents = [int(axis.extent.value) for axis in formula.axes if isinstance(axis.extent, Constant)]
        is_plain = formula.operator == "=" and formula.condition is None and not skips_points(formula.node)
        if not is_plain or len(extents) < len(formula.axes) or prod(extents) > MOST_POINTS:
            return None
        for point in product(*map(range, extents)):
            for element, value in Point(formula, dict(enumerate(point)), known).computed(slot):
                if value is None:
                    return None
                found[element] = value
    every = [*product(*(range(extent or 0) for extent in slot.shape))]
    return tuple(found[each] for each in every) if len(found) == len(every) else None


def written_elements(formula: Formula, slot: Slot) -> list[tuple[int, ...]] | None:
    """Return the elements of a tensor that a formula writes, one for each write that is not skipped.

    None if data decide about it, a point fails, or there are more points than are looked at one by one.
    """
    extents = [int(axis.extent.value) for axis in formula.axes if isinstance(axis.extent, Constant)]
    if len(extents) < len(formula.axes) or prod(extents) > MOST_POINTS:
        return None
    found: list[tuple[int, ...]] = []
    for point in product(*map(range, extents)):
        try:
            written = Point(formula, dict(enumerate(point))).written()
        except EvaluationError:
            return None
        if written is None:
            return None
        found.extend(element for each, element in written if each is slot)
    return found


def is_within_bounds(formula: Formula, extents: list[int]) -> bool:
    """Return whether no index of a formula can be out of bounds, as far as the ranges of its indices show."""
    analysis = Analysis(extents)
    for slot, place, at, _ in _accesses(formula):
        low, high = analysis.interval(place.index)
        if place.bounds is not Bounds.SKIPPED and (low < 0 or _is_beyond(slot, at, high)):
            return False
    return not any(_may_fail(term) or _may_overflow(analysis, term) for term in subterms(*formula.roots))


def _may_fail(term: Term) -> bool:
    if isinstance(term, ConstantItem):
        return True
    return isinstance(term, Apply) and term.dtype == "int" and term.operation in ("/", "\\", "%", "**", IN_PACK)


def _may_overflow(analysis: Analysis, term: Term) -> bool:
    """Return whether an int that does not depend on data may exceed 64 bits."""
    if not isinstance(term, Apply) or term.dtype != "int":
        return False
    low, high = analysis.interval(term)
    is_decided = not any(isinstance(each, Read | Next | OpenValue) for each in subterms(term))
    return is_decided and not INT_MIN <= low <= high <= INT_MAX


def _is_beyond(slot: Slot, dimension: int, index: int) -> bool:
    """Return whether an index is beyond an extent for all its values."""
    limit = slot.limits[dimension]
    return limit is not None and index >= limit


def _accesses(formula: Formula) -> Iterator[tuple[Slot, IndexTerm, int, nodes.Node]]:
    for write in formula.writes:
        yield from ((write.slot, place, at, formula.node.target) for at, place in enumerate(write.places))
    for term in subterms(*formula.roots):
        if isinstance(term, Read):
            yield from ((term.slot, place, at, term.node) for at, place in enumerate(term.places))


def _has_guard(*terms: Term) -> bool:
    places = (place for each in subterms(*terms) if isinstance(each, Read) for place in each.places)
    return any(place.bounds is Bounds.SKIPPED for place in places)


class Skipped(Exception):  # noqa: N818
    """A guarded index is out of bounds here, or may be: nothing is written, or the result is unknown."""


class Point:
    """One point of the index space of a formula. Values are None where data decide them.

    Reals are None as well, since their precision depends on the run, unless ``with_reals`` selects 64-bit reals.
    """

    def __init__(
        self,
        formula: Formula,
        positions: Mapping[int, int],
        elements: KnownElements = _NOTHING,
        *,
        with_reals: bool = False,
    ) -> None:
        self._formula = formula
        self._positions = positions
        self._elements = elements
        self._with_reals = with_reals
        self._known: dict[Term, Scalar | None] = {}

    def check(self) -> None:
        """Raise EvaluationError for the first mistake at this point that no data decide about."""
        for error in self.errors():
            raise error

    def errors(self) -> Iterator[EvaluationError]:
        """Yield the mistakes at this point that no data decide about: one per written value, one per index."""
        formula = self._formula
        try:
            self._enter()
            if formula.condition is not None and self.value(formula.condition) is not True:
                return
        except Skipped:
            return
        except EvaluationError as error:
            yield error
            return
        for write in formula.writes:
            steps: list[Callable[[], object]] = [partial(self.value, write.value)]
            for at, place in enumerate(write.places):
                steps.append(partial(self._reach, write.slot, place, at, formula.node.target))
            for step in steps:
                try:
                    step()
                except Skipped:
                    return
                except EvaluationError as error:
                    yield error

    def written(self) -> list[tuple[Slot, tuple[int, ...]]] | None:
        """Return the elements that are written at this point; None if data decide that. Raise EvaluationError.

        Nothing is written where a guarded index may be out of bounds.
        """
        formula = self._formula
        try:
            self._enter()
            holds = True if formula.condition is None else self.value(formula.condition)
            if holds is False:
                return []
            if holds is None or any(self._may_skip(write.value) for write in formula.writes):
                return None
        except Skipped:
            return []
        found: list[tuple[Slot, tuple[int, ...]]] = []
        for write in formula.writes:
            element = [self.value(place.index) for place in write.places]
            if None in element:
                return None
            at = tuple(int(each or 0) for each in element)
            found.append((write.slot.items[at[0]], at[1:]) if write.slot.items else (write.slot, at))
        return found

    def _may_skip(self, term: Term) -> bool:
        """Return whether data decide if a guarded index in a term skips this point. Raise Skipped if one does."""
        if not _has_guard(term):
            return False
        match term:
            case Apply(operation=operation, operands=(condition, *others)) if operation in SHORT_CIRCUITING:
                if self._may_skip(condition):
                    return True
                holds = self.value(condition)
                if holds is None:
                    return _has_guard(*others)
                if operation == "select":
                    return self._may_skip(others[0 if holds else 1])
                return holds is not (operation == "||") and self._may_skip(others[0])
            case Apply():
                return any(map(self._may_skip, term.operands))
            case Read():
                self.value(term)
                return any(self._may_skip(each) for place in term.places for each in place.terms)
        return False

    def computed(self, slot: Slot) -> Iterator[tuple[tuple[int, ...], Scalar | None]]:
        """Yield the elements of a tensor that are written here, with their values. Raise EvaluationError."""
        for write in self._formula.writes:
            places = [self._reach(slot, place, at, self._formula.node.target) for at, place in enumerate(write.places)]
            element = tuple(place for place in places if place is not None)
            if write.slot is slot:
                yield element, self.value(write.value) if len(element) == len(places) else None

    def _enter(self) -> None:
        """Guarded indices come first, since they skip the whole point."""
        for write in self._formula.writes:
            for at, place in enumerate(write.places):
                self._guard(write.slot, place, at)
        for term in unconditional(*self._formula.roots):
            if isinstance(term, Read):
                for at, place in enumerate(term.places):
                    self._guard(term.slot, place, at)

    def _guard(self, slot: Slot, place: IndexTerm, at: int) -> None:
        if place.bounds is not Bounds.SKIPPED:
            return
        extent = slot.shape[at]
        try:
            index = self.value(place.index)
        except EvaluationError:
            raise Skipped from None  # an index in it may be guarded, too
        if index is None or extent is None or not 0 <= int(index) < extent:
            raise Skipped

    def _reach(self, slot: Slot, place: IndexTerm, at: int, node: nodes.Node) -> int | None:
        """Return the index that is accessed along a dimension; None if data decide that."""
        index, extent = self.value(place.index), slot.shape[at]
        if index is None:
            return None
        is_outside = int(index) < 0 or _is_beyond(slot, at, int(index))
        remapped = place.below if int(index) < 0 else place.above
        if remapped is not None and not is_outside and extent is None:
            return None  # whether it is remapped depends on the extent
        if remapped is not None and is_outside:
            index = self.value(remapped)
            is_outside = index is None or int(index) < 0 or _is_beyond(slot, at, int(index))
        if index is None or not is_outside:
            return None if index is None else int(index)
        if place.bounds is Bounds.SKIPPED:
            raise Skipped
        message = f"{outside_of_tensor(int(index), at, slot, extent)}{self._where()}"
        raise OutOfBoundsError(node, rules.INDEX_OUT_OF_RANGE, message, slot, at)

    def _where(self) -> str:
        positions = [self._positions.get(axis, 0) for axis in range(len(self._formula.axes))]
        return point_text(self._formula, positions)

    def _fail(self, node: nodes.Node, rule: Rule, message: str) -> None:
        raise EvaluationError(node, rule, f"{message}{self._where()}")

    # ---- values ------------------------------------------------------------------------------------------------------
    def value(self, term: Term) -> Scalar | None:
        """Return the value of a term here; None if data decide it. Raise EvaluationError, or Skipped."""
        if term not in self._known:
            self._known[term] = self._computed(term)
        return self._known[term]

    def _computed(self, term: Term) -> Scalar | None:
        match term:
            case Constant():
                return term.value
            case AxisPosition():
                return self._positions[term.axis]
            case Next() | OpenValue():
                return None
            case Read():
                # A guarded index in a branch skips the point, too, before another index of the access can fail.
                for at, place in enumerate(term.places):
                    self._guard(term.slot, place, at)
                places = [self._reach(term.slot, place, at, term.node) for at, place in enumerate(term.places)]
                return self._element(term.slot, places)
            case ConstantItem():
                item = self._in_pack(term, self.value(term.index), len(term.values))
                return None if item is None else term.values[item]
            case Apply() if term.operation in SHORT_CIRCUITING:
                return self._short_circuited(term)
            case Apply():
                return self._applied(term, [self.value(operand) for operand in term.operands])

    def _element(self, slot: Slot, places: Sequence[int | None]) -> Scalar | None:
        known = self._elements.get(slot)
        if not isinstance(known, tuple):
            return known
        at = 0
        for place, extent in zip(places, slot.shape, strict=True):
            if place is None or extent is None:
                return None
            at = at * extent + place
        return known[at]

    def _short_circuited(self, term: Apply) -> Scalar | None:
        first = self.value(term.operands[0])
        if first is None:
            return None
        if term.operation == "select":
            return self.value(term.operands[1 if first else 2])
        if term.operation == "=>":
            return self.value(term.operands[1]) if first else True
        return first if first is (term.operation == "||") else self.value(term.operands[1])

    def _applied(self, term: Apply, operands: list[Scalar | None]) -> Scalar | None:
        if term.operation == IN_PACK:
            return self._in_pack(term, operands[0], int(operands[1] or 0))
        if term.operation == "pick" and operands[0] is not None:
            return operands[1 if operands[0] else 2]
        if term.operation not in CALCULATIONS:
            return None
        if term.operation in ("/", "\\", "%") and term.dtype == "int" and operands[1] == 0:
            operands = [0 if each is None else each for each in operands]  # for any dividend
        if None in operands or self._is_left_open(operands):
            return None
        try:
            result = CALCULATIONS[term.operation](*(value_of(each) for each in operands if each is not None))
        except OperationError as failure:
            self._fail(term.node, failure.rule, failure.message)
            return None
        found = scalar_of(result)
        if isinstance(found, int) and not INT_MIN <= found <= INT_MAX:
            symbol = "-" if term.operation == "negate" else term.operation
            self._fail(term.node, rules.INT_OVERFLOW, rules.formulas.result_too_wide(symbol))
        return None if self._is_left_open([found]) else found

    def _is_left_open(self, values: Sequence[Scalar | None]) -> bool:
        return not self._with_reals and any(isinstance(each, float) for each in values)

    def _in_pack(self, term: Apply | ConstantItem, index: Scalar | None, count: int) -> int | None:
        if index is None:
            return None
        if not -count <= int(index) < count:
            message = rules.packs.outside_of_pack(f"index {int(index)}", count)
            self._fail(term.node, rules.INDEX_OUT_OF_RANGE, naming_pack(message, term.node))
        return int(index) % count
