"""Elements that formulas with ``=`` write: each of them, and once (2.12)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import combinations

from msgspec import Struct

from snd_analysis.compose.formulas import Apply, AxisPosition, Bounds, Formula, Next, Read, Term, Write, subterms
from snd_analysis.proofs.expressions import FALSE, Expression, all_of, any_of, equal, number
from snd_analysis.proofs.goal import WRITTEN_ONCE, Goal, Point
from snd_analysis.proofs.limits import MOST_WRITERS
from snd_analysis.proofs.logic import Logic
from snd_analysis.proofs.mends import length_of
from snd_analysis.skriptnd.syntax import nodes
from snd_analysis.symbolic import integers as shapes
from snd_analysis.symbolic.integers import TRUE, Integer

_DECIDES = "a guarded index decides which elements are written"


class Writer(Struct, frozen=True):
    """One write of a formula."""

    formula: Formula
    write: Write
    is_guarded: bool
    """Whether a guarded index leaves points out."""

    @property
    def reads_data(self) -> bool:
        """Return whether elements of a tensor decide which elements are written."""
        condition = self.formula.condition
        terms = subterms(*self.write.place_terms, *(() if condition is None else (condition,)))
        return any(isinstance(each, Read | Next) for each in terms)


Domain = Callable[[Formula, Point], Sequence[Expression]]
"""Conditions of a point of a formula."""


class Writing(Struct, frozen=True):
    """Two bounds of the points in which formulas write."""

    necessary: Domain
    """Conditions that hold wherever a formula writes."""
    sufficient: Domain
    """Conditions under which a formula certainly writes."""


def coverage(
    base: int,
    node: nodes.Access,
    writers: Sequence[Writer],
    extents: Sequence[Integer | None],
    logic: Logic,
    facts: tuple[Expression, ...],
    writing: Writing,
    is_accumulated: bool = False,
) -> Iterator[Goal]:
    """Yield the goals that each element of a tensor of these extents is written once.

    If other formulas accumulate into the tensor, ``=`` may leave elements out: the accumulation begins with a value.
    """
    text = f"each element of '{node.name.text}' is written, and once"
    if is_accumulated:
        text = f"'=' writes no element of '{node.name.text}' twice"
    places = [place for writer in writers for place in writer.write.places]
    if len(writers) > MOST_WRITERS:
        yield Goal(base, node, text, reason=f"more than {MOST_WRITERS} formulas write parts of it")
        return
    if None in extents or any(place.bounds is Bounds.REMAPPED for place in places):
        yield Goal(base, node, text, reason="its extents are counted, or its indices remapped")
        return
    known = [each for each in extents if each is not None]
    if len(writers) == 1 and not writers[0].is_guarded and _is_plain(writers[0], known):
        yield Goal(base, node, text, holds=True)
        return
    depends = any(each.reads_data for each in writers)
    unless = _DECIDES if any(each.is_guarded for each in writers) else ""

    def posed(more: Sequence[Expression], goal: Expression) -> Goal:
        return Goal(
            base, node, text, (*facts, *more), goal, reads_data=depends, unless_proved=unless, breaks=WRITTEN_ONCE
        )

    cells = [logic.unknown_int() for _ in known]
    inside = [
        condition
        for cell, extent in zip(cells, known, strict=True)
        for condition in (cell >= 0, cell < logic.integer(extent))
    ]
    if not is_accumulated:
        yield posed(inside, any_of(*(_is_hit(writer, cells, logic, writing.sufficient) for writer in writers)))
    for writer in writers:
        if not all(isinstance(place.index, AxisPosition) for place in writer.write.places):
            yield posed(*_twice(writer, writer, logic, writing.necessary))
    for one, other in combinations(writers, 2):
        yield posed(*_twice(one, other, logic, writing.necessary))


def _is_hit(writer: Writer, cells: Sequence[Expression], logic: Logic, domain: Domain) -> Expression:
    """Return whether a writer writes a cell, at the point that the forms of its indices tell."""
    formula = writer.formula
    found: dict[int, Expression] = {}
    for cell, place in zip(cells, writer.write.places, strict=True):
        _solve(place.index, cell, found, formula, logic)
    free = [axis for axis in range(len(formula.axes)) if axis not in found]
    point = logic.point({**dict.fromkeys(free, number(0)), **found})
    hits = [equal(logic.term(place.index, point), cell) for cell, place in zip(cells, writer.write.places, strict=True)]
    # Indices that no element determines: with one value each, every element is written once.
    once = [equal(logic.term(formula.axes[axis].extent, point), 1) for axis in free]
    return all_of(*domain(formula, point), *hits, *once)


def _twice(one: Writer, other: Writer, logic: Logic, domain: Domain) -> tuple[list[Expression], Expression]:
    """Return what holds of two points that write one element, and that they are the same."""
    here, there = logic.point({}), logic.point({})
    same = [
        equal(logic.term(a.index, here), logic.term(b.index, there))
        for a, b in zip(one.write.places, other.write.places, strict=True)
    ]
    facts = [*domain(one.formula, here), *domain(other.formula, there), *same]
    if one is not other:
        return facts, FALSE
    return facts, all_of(
        *(equal(logic.axis(here, axis), logic.axis(there, axis)) for axis in range(len(one.formula.axes)))
    )


def _is_plain(writer: Writer, extents: Sequence[Integer]) -> bool:
    """Return whether every index is an axis of the length of its dimension, and all axes are used once."""
    formula = writer.formula
    if formula.condition is not None:
        return False
    axes = [place.index.axis for place in writer.write.places if isinstance(place.index, AxisPosition)]
    if len(axes) < len(extents) or sorted(axes) != list(range(len(formula.axes))):
        return False
    lengths = [length_of(formula, axis) for axis in axes]
    pairs = zip(lengths, extents, strict=True)
    return all(length is not None and shapes.compare("==", length, extent) is TRUE for length, extent in pairs)


def _solve(index: Term, cell: Expression, found: dict[int, Expression], formula: Formula, logic: Logic) -> None:
    """Find positions for which an index is a cell, of the forms ``i``, ``i + c``, ``c - i`` and ``i * m + j``."""

    def same_everywhere(term: Term) -> Expression:
        return logic.term(term, formula)

    match index:
        case AxisPosition(axis=axis):
            found.setdefault(axis, cell)
        case Apply(operation="+", operands=(left, right)) if not right.axes:
            _solve(left, cell - same_everywhere(right), found, formula, logic)
        case Apply(operation="+", operands=(left, right)) if not left.axes:
            _solve(right, cell - same_everywhere(left), found, formula, logic)
        case Apply(operation="-", operands=(left, right)) if not right.axes:
            _solve(left, cell + same_everywhere(right), found, formula, logic)
        case Apply(operation="-", operands=(left, right)) if not left.axes:
            _solve(right, same_everywhere(left) - cell, found, formula, logic)
        case Apply(operation="position in pack", operands=(position, _)):
            _solve(position, cell, found, formula, logic)
        case Apply(operation="*") if (factor := _factor(index)) is not None:
            _solve(factor[0], logic.quotient(cell, same_everywhere(factor[1])), found, formula, logic)
        case Apply(operation="%", operands=(dividend, divisor)) if not divisor.axes:
            _solve_remainder(dividend, cell, same_everywhere(divisor), found, formula, logic)
        case Apply(operation="+"):
            # A sum of multiples, such as i * (m * n) + j * n + k: each is a quotient of what those before leave.
            addends = [(each, _factor(each)) for each in _addends(index)]
            for term, factor in sorted(addends, key=lambda each: each[1] is None):
                if factor is None:
                    _solve(term, cell, found, formula, logic)
                    return
                number_ = same_everywhere(factor[1])
                quotient = logic.quotient(cell, number_)
                _solve(factor[0], quotient, found, formula, logic)
                cell = cell - quotient * number_


def _addends(term: Term) -> Iterator[Term]:
    match term:
        case Apply(operation="+", operands=(left, right)):
            yield from _addends(left)
            yield from _addends(right)
        case _:
            yield term


def _solve_remainder(
    dividend: Term, cell: Expression, divisor: Expression, found: dict[int, Expression], formula: Formula, logic: Logic
) -> None:
    """Take an index that is turned around for one without: the position is a remainder, too."""
    inner: dict[int, Expression] = {}
    _solve(dividend, cell, inner, formula, logic)
    for axis, value in inner.items():
        found.setdefault(axis, value - divisor * logic.quotient(value, divisor))


def _factor(term: Term) -> tuple[Term, Term] | None:
    """Return what an index has as multiple of what is the same everywhere, and that."""
    match term:
        case Apply(operation="*", operands=(left, right)) if not right.axes:
            return left, right
        case Apply(operation="*", operands=(left, right)) if not left.axes:
            return right, left
    return None
