"""The values of terms over a domain."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import numpy as np

from snd_analysis import rules
from snd_analysis.base import Rule
from snd_analysis.compose.formulas import (
    INT_MAX,
    INT_MIN,
    SHORT_CIRCUITING,
    Analysis,
    Apply,
    AxisPosition,
    Bounds,
    Constant,
    ConstantItem,
    Formula,
    IndexTerm,
    Next,
    OpenValue,
    Read,
    Slot,
    Term,
    point_text,
    subterms,
    unconditional,
)
from snd_analysis.model import Place
from snd_analysis.skriptnd.syntax import naming_pack, nodes
from snd_runtime.errors import EvaluationFailed
from snd_runtime.lowering.arithmetic import (
    COMPARISONS,
    INT,
    INTEGER_OPERATIONS,
    LOGIC,
    REAL_OPERATIONS,
    UNCHECKED,
    Array,
    CheckedResult,
    cast,
)
from snd_runtime.lowering.domains import Box, Domain
from snd_runtime.lowering.memory import Memory
from snd_runtime.lowering.reading import read_elements, regular_dimensions
from snd_runtime.rules import UNKNOWN_VALUE


class ActivePoints:
    """The points whose values matter (all, if ``active`` is None), and values that are known for them."""

    __slots__ = ("_values", "active", "parent")

    def __init__(self, active: Array | None = None, parent: ActivePoints | None = None) -> None:
        self.active = active
        self.parent = parent
        self._values: dict[Term, Array] = {}

    def known(self, term: Term) -> Array | None:
        """Return the value, if it was computed for these points or more."""
        scope: ActivePoints | None = self
        while scope is not None:
            found = scope._values.get(term)
            if found is not None:
                return found
            scope = scope.parent
        return None

    def keep(self, term: Term, value: Array) -> Array:
        """Remember a value."""
        self._values[term] = value
        return value

    def narrowed(self, mask: Array) -> ActivePoints:
        """Return the points of these where a mask holds."""
        if mask.all():
            return self
        return ActivePoints(mask if self.active is None else self.active & mask, self)

    @property
    def is_empty(self) -> bool:
        """Return whether no point matters."""
        return self.active is not None and not self.active.any()


class Evaluation:
    """Computation of the terms of a formula over one domain; arrays may have extents of 1 where nothing varies.

    Operations fail only where their result matters. ``skipped`` has the points where a guarded index in a branch was
    out of bounds; points with one outside branches are out of the scope that ``enter`` returns.
    """

    def __init__(
        self, memory: Memory, analysis: Analysis, formula: Formula, domain: Domain, next_: Array | None = None
    ) -> None:
        self.memory = memory
        self.analysis = analysis
        self.formula = formula
        self.domain = domain
        self.skipped: Array | None = None
        self._next = next_
        self._safe: dict[Term, bool] = {}

    # ---- scopes ------------------------------------------------------------------------------------------------------
    def enter(
        self, scope: ActivePoints, roots: Sequence[Term], writes: Iterable[tuple[Slot, IndexTerm, int]] = ()
    ) -> ActivePoints:
        """Return the points of a scope at which no guarded index of these terms, outside their branches, is skipped."""
        guards = [
            (term.slot, place, at)
            for term in unconditional(*roots)
            if isinstance(term, Read)
            for at, place in enumerate(term.places)
            if place.bounds is Bounds.SKIPPED
        ]
        # An index may be read at a guarded index itself: that comes first.
        ordered = sorted(dict.fromkeys((*guards, *writes)), key=lambda guard: sum(1 for _ in subterms(guard[1].index)))
        for slot, place, at in ordered:
            mask = self._in_bounds(place, self.extent(slot, at), scope)
            if mask is not None:
                scope = scope.narrowed(mask)
        return scope

    def _branch(self, scope: ActivePoints, term: Term, mask: Array) -> Array:
        """Return a term at the points of a scope where a mask holds, and record the points skipped there."""
        inner = scope.narrowed(mask)
        entered = self.enter(inner, (term,))
        if entered is not inner and entered.active is not None:
            before = True if inner.active is None else inner.active
            lost = before & ~entered.active
            self.skipped = lost if self.skipped is None else self.skipped | lost
        return self.value(term, entered)

    def _in_bounds(self, place: IndexTerm, extent: int, scope: ActivePoints) -> Array | None:
        """Return where an index is within bounds; None for everywhere."""
        form = self.analysis.affine(place.index)
        if form is not None and isinstance(self.domain, Box) and self.domain.size:
            low, high = form.over(self.domain.ranges)
            if low >= 0 and high < extent:
                return None
        index = self.value(place.index, scope)
        return np.asarray((index >= 0) & (index < extent))

    def extent(self, slot: Slot, dimension: int) -> int:
        """Return the extent of a tensor."""
        known = slot.shape[dimension]
        return known if known is not None else int(self.memory.array(slot, self.formula.source).shape[dimension])

    # ---- values ------------------------------------------------------------------------------------------------------
    def value(self, term: Term, scope: ActivePoints) -> Array:
        """Return the value at every point, meaningful where the scope is active."""
        known = scope.known(term)
        return scope.keep(term, np.asarray(self._computed(term, scope))) if known is None else known

    def _computed(self, term: Term, scope: ActivePoints) -> Array:
        match term:
            case Constant():
                return np.asarray(term.value, self.memory.dtypes[term.dtype])
            case AxisPosition():
                return self.domain.positions(term.axis)
            case Read():
                return read_elements(self, term, scope)
            case ConstantItem():
                return self._item(term, scope)
            case Next():
                if self._next is None:
                    raise self.failed(UNKNOWN_VALUE, f"'{term.symbol.name}' is not counted here", self.formula.node)
                return self._next
            case OpenValue():
                raise self.failed(
                    UNKNOWN_VALUE, "the value of this is not known when the formula is run", self.formula.node
                )
            case Apply() if term.operation in SHORT_CIRCUITING:
                return self._short_circuited(term, scope)
            case Apply():
                operands = [self.value(operand, scope) for operand in term.operands]
                return self._applied(term, operands, scope)

    def _applied(self, term: Apply, operands: list[Array], scope: ActivePoints) -> Array:
        operation = term.operation
        if operation in COMPARISONS:
            return COMPARISONS[operation](*operands)
        if operation in LOGIC:
            return LOGIC[operation](*operands)
        if operation == "pick":
            return np.where(operands[0], operands[1], operands[2])
        if operation == "position in pack":
            return self._counted(term, operands[0], int(operands[1]), scope)
        if operation in self.memory.dtypes:
            return self._checked(term, cast(operands[0], self.memory.dtypes[operation]), scope)
        if term.dtype != "int":
            return REAL_OPERATIONS[operation](*operands)
        if operation in UNCHECKED:
            low, high = self.analysis.interval(term)
            if low >= INT_MIN and high <= INT_MAX:
                return UNCHECKED[operation](*operands)
        return self._checked(term, INTEGER_OPERATIONS[operation](*operands), scope)

    def _short_circuited(self, term: Apply, scope: ActivePoints) -> Array:
        first, *rest = term.operands
        condition = self.value(first, scope)
        if term.operation == "select":
            return self._selected(condition, rest[0], rest[1], scope)
        decisive = condition if term.operation == "||" else ~condition
        if decisive.all():
            return condition if term.operation != "=>" else ~condition
        second = self._branch(scope, rest[0], ~decisive)
        return LOGIC[term.operation](condition, second)

    def _selected(self, condition: Array, consequent: Term, alternative: Term, scope: ActivePoints) -> Array:
        if condition.all():
            return self._branch(scope, consequent, condition)
        if not condition.any():
            return self._branch(scope, alternative, ~condition)
        if self._cannot_fail(consequent) and self._cannot_fail(alternative):
            return np.where(condition, self.value(consequent, scope), self.value(alternative, scope))
        a = self._branch(scope, consequent, condition)
        b = self._branch(scope, alternative, ~condition)
        return np.where(condition, a, b)

    def _cannot_fail(self, term: Term) -> bool:
        """Return whether a term has a value at every point of the domain, and skips none."""
        if term not in self._safe:
            self._safe[term] = self._is_safe(term)
        return self._safe[term]

    def _is_safe(self, term: Term) -> bool:
        if isinstance(term, Constant | AxisPosition):
            return True
        if isinstance(term, Read):
            box = self.domain
            if not isinstance(box, Box) or any(place.bounds is not Bounds.CHECKED for place in term.places):
                return False
            return len(regular_dimensions(self, term.places, self._shape(term.slot), box)) == term.slot.rank
        if not isinstance(term, Apply) or not all(self._cannot_fail(operand) for operand in term.operands):
            return False
        if term.dtype != "int":
            return True
        low, high = self.analysis.interval(term) if term.operation in UNCHECKED else (INT_MIN - 1, INT_MAX)
        return low >= INT_MIN and high <= INT_MAX

    def _shape(self, slot: Slot) -> list[int]:
        return [self.extent(slot, dimension) for dimension in range(slot.rank)]

    def _item(self, term: ConstantItem, scope: ActivePoints) -> Array:
        values = np.asarray(term.values, self.memory.dtypes[term.dtype])
        return values[self._counted(term, self.value(term.index, scope), len(values), scope)]

    def _counted(self, term: Apply | ConstantItem, index: Array, count: int, scope: ActivePoints) -> Array:
        """Return an index of a pack, counted from its start."""
        failing = (index < -count) | (index >= count)
        self.check(
            scope,
            failing,
            lambda at: (
                rules.INDEX_OUT_OF_RANGE,
                naming_pack(rules.packs.outside_of_pack(f"index {self.at(index, at)}", count), term.node),
            ),
            term.node,
        )
        return np.where(failing, 0, np.where(index < 0, index + count, index))

    # ---- failures ----------------------------------------------------------------------------------------------------
    def _checked(self, term: Apply, outcome: CheckedResult, scope: ActivePoints) -> Array:
        result, problem = outcome
        if problem is not None:
            rule, message, failing = problem
            self.check(scope, failing, lambda at: (rule, message), term.node)
        return result

    def check(
        self,
        scope: ActivePoints,
        failing: Array,
        describe: Callable[[Sequence[int]], tuple[Rule, str]],
        node: nodes.Node,
    ) -> None:
        """Raise EvaluationFailed for the first point of a scope that fails, in order of the loops."""
        if not failing.any():
            return
        if scope.active is not None:
            failing = failing & scope.active
            if not failing.any():
                return
        wide = np.broadcast_to(failing, np.broadcast_shapes(failing.shape, self.domain.shape))
        where = np.unravel_index(int(np.argmax(wide)), wide.shape) if wide.ndim else ()
        at = [int(each) for each in where]
        rule, message = describe(at)
        raise self.failed(rule, message + self._point(at), node)

    def at(self, array: Array, where: Sequence[int]) -> object:
        """Return the element of an array for a point of the domain."""
        shape = np.broadcast_shapes(array.shape, self.domain.shape)
        return np.broadcast_to(array, shape)[tuple(where)]

    def _point(self, where: Sequence[int]) -> str:
        axes = range(len(self.formula.axes))
        return point_text(self.formula, [self.domain.position_at(axis, where) for axis in axes])

    def failed(self, rule: Rule, message: str, node: nodes.Node) -> EvaluationFailed:
        """Return a failure at a node of the formula."""
        source = self.formula.source
        place = Place(source.path, source.definition, node.span.shifted(self.formula.base))
        return EvaluationFailed(rule, message, place)


__all__ = ["INT", "ActivePoints", "Evaluation"]
