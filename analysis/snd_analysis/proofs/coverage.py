"""Elements that formulas with ``=`` write: each of them, and once (2.12)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import combinations

from msgspec import Struct

from snd_analysis.compose.formulas import AxisPosition, Bounds, Formula, Next, Read, Term, Write, subterms
from snd_analysis.proofs.goal import (
    FALSE,
    WRITTEN_ONCE,
    Expression,
    Goal,
    Point,
    all_of,
    any_of,
    equal,
    implies,
    number,
)
from snd_analysis.proofs.limits import MILLISECONDS, MOST_WRITERS
from snd_analysis.proofs.logic import Logic
from snd_analysis.proofs.mends import length_of
from snd_analysis.proofs.preimages import Preimage, preimages, regained
from snd_analysis.skriptnd.syntax import nodes
from snd_analysis.symbolic import integers as shapes
from snd_analysis.symbolic.integers import TRUE, Integer

Question = tuple[tuple[Expression, ...], Expression]
"""Facts, and the condition that may follow from them."""
_SKIPS = "a guarded index may leave elements out, which are 0 then"


class FormulaWrite(Struct, frozen=True):
    """One write of a formula."""

    formula: Formula
    write: Write
    is_guarded: bool
    """True if a guarded index leaves points out."""

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
    writers: Sequence[FormulaWrite],
    extents: Sequence[Integer | None],
    logic: Logic,
    facts: tuple[Expression, ...],
    writing: Writing,
    is_accumulated: bool = False,
) -> Iterator[Goal]:
    """Yield the goals that each element of a tensor of these extents is written once.

    If other formulas accumulate into the tensor, ``=`` may leave elements out: the accumulation begins with a value.
    If a guarded index leaves elements out, they are 0, which may be meant: the condition is unknown then.
    """
    text = coverage_text(node, is_accumulated)
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

    def posed(more: Sequence[Expression], goal: Expression, enough: Question | None = None, unless: str = "") -> Goal:
        return Goal(
            base, node, text, (*facts, *more), goal, reads_data=depends, unless_proved=unless, breaks=WRITTEN_ONCE,
            enough=None if enough is None else ((*facts, *enough[0]), enough[1]),
        )  # fmt: skip

    cells = [logic.unknown_int() for _ in known]
    inside = [
        condition
        for cell, extent in zip(cells, known, strict=True)
        for condition in (cell >= 0, cell < logic.integer(extent))
    ]
    if not is_accumulated:
        hit = any_of(*(_is_hit(writer, cells, logic, writing.sufficient) for writer in writers))
        yield posed(inside, hit, unless=_SKIPS if any(each.is_guarded for each in writers) else "")
    for writer in writers:
        # An index that stands on the right alone may write an element once for each of its values.
        told = {place.index.axis for place in writer.write.places if isinstance(place.index, AxisPosition)}
        if len(told) < len(writer.formula.axes):
            enough = _is_regained(writer, logic, writing.necessary, facts)
            yield posed(*_twice(writer, writer, logic, writing.necessary), enough)
    for one, other in combinations(writers, 2):
        yield posed(*_twice(one, other, logic, writing.necessary))


def coverage_text(node: nodes.Access, is_accumulated: bool) -> str:
    """Return the text of the condition about the elements that ``=`` writes."""
    if is_accumulated:
        return f"'=' writes no element of '{node.name.text}' twice"
    return f"each element of '{node.name.text}' is written, and once"


def _is_hit(writer: FormulaWrite, cells: Sequence[Expression], logic: Logic, domain: Domain) -> Expression:
    """Return the condition that a write reaches a cell. The indices of the write determine the point."""
    found = preimages(writer.formula, _indices(writer), cells, logic)
    return any_of(*(_writes(writer, cells, each, logic, domain) for each in found))


def _writes(
    writer: FormulaWrite, cells: Sequence[Expression], found: Preimage, logic: Logic, domain: Domain
) -> Expression:
    """Return the condition that a point writes a cell."""
    formula = writer.formula
    free = [axis for axis in range(len(formula.axes)) if axis not in found.positions]
    point = logic.point({**dict.fromkeys(free, number(0)), **found.positions})
    hits = [logic.same(logic.term(index, point), cell) for cell, index in zip(cells, _indices(writer), strict=True)]
    # Indices that no element determines: with one value each, every element is written once.
    once = [equal(logic.term(formula.axes[axis].extent, point), 1) for axis in free]
    return all_of(*domain(formula, point), *hits, *once)


def _indices(writer: FormulaWrite) -> list[Term]:
    return [place.index for place in writer.write.places]


def _is_regained(
    writer: FormulaWrite, logic: Logic, domain: Domain, facts: tuple[Expression, ...]
) -> tuple[tuple[Expression, ...], Expression] | None:
    """Return that the element of a point gives back the point: then no two points write one element.

    None if the element does not tell all positions. The facts are about one point, not two. Divisors in the inverse
    must not be zero: a quotient by zero is no function of the element.
    """
    formula = writer.formula
    point = logic.point({})
    cells = [logic.term(index, point) for index in _indices(writer)]
    found = preimages(formula, _indices(writer), cells, logic)
    made = regained(formula, _indices(writer), cells, found, logic)
    if made is None:
        return None
    positions, divides = made
    same = (logic.same(positions[axis], logic.axis(point, axis)) for axis in range(len(formula.axes)))
    more: list[Expression] = []
    for term, axis, position in found[0].steps:
        if not _is_ascending(term, axis, formula, logic, facts):
            return None
        more += _ascending(term, axis, (position, logic.axis(point, axis)), formula, logic)
    return (*domain(formula, point), *more), all_of(*same, *divides)


def _is_ascending(term: Term, axis: int, formula: Formula, logic: Logic, facts: tuple[Expression, ...]) -> bool:
    """Return whether each value of a term of one axis is found to be at least the one before."""
    at, end = logic.unknown_int(), logic.term(formula.axes[axis].extent, formula)
    here, after = (logic.term(term, logic.point({axis: each})) for each in (at, at + 1))
    return logic.is_proved((*facts, at >= 0, at < end), here <= after, MILLISECONDS)


def _ascending(
    term: Term, axis: int, positions: tuple[Expression, Expression], formula: Formula, logic: Logic
) -> Iterator[Expression]:
    """Yield that a term ascends from any position to any later one, as it does from each to the next one."""
    end = logic.term(formula.axes[axis].extent, formula)
    for before, later in (positions, reversed(positions)):
        first, last = (logic.term(term, logic.point({axis: each})) for each in (before + 1, later))
        yield implies(all_of(before >= 0, before < later, later <= end), first <= last)


def _twice(one: FormulaWrite, other: FormulaWrite, logic: Logic, domain: Domain) -> tuple[list[Expression], Expression]:
    """Return the facts about two points that write one element, and the condition that the points are the same."""
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


def _is_plain(writer: FormulaWrite, extents: Sequence[Integer]) -> bool:
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
