"""A bound formula: its writes over its axes (2.12)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct

from snd_analysis.base import Rule
from snd_analysis.compose.formulas.terms import IndexTerm, Next, Read, Slot, Term, subterms
from snd_analysis.model import Place
from snd_analysis.skriptnd.evaluate import EvaluationError
from snd_analysis.skriptnd.names import Symbol
from snd_analysis.skriptnd.syntax import nodes


class Axis(Struct, frozen=True):
    """An index symbol with its bound, which is an int or read from tensors."""

    name: str
    extent: Term


class Write(Struct, frozen=True):
    """One element that is written, with its value."""

    slot: Slot
    places: tuple[IndexTerm, ...]
    value: Term

    @property
    def place_terms(self) -> tuple[Term, ...]:
        """The terms of all indices."""
        return tuple(term for place in self.places for term in place.terms)


class Preparation(Struct, frozen=True):
    """A part of a formula that names no index and no element: it is evaluated before any point."""

    node: nodes.Expression
    axes: int
    """Number of axes that all have an index where the part is evaluated."""
    path: tuple[tuple[Term, bool], ...]
    """The conditions of the branches around, with the values that they have there."""


class Formula(Struct, frozen=True, eq=False):
    """Simultaneous writes in every point of a space where the condition holds; the last axis is the fastest."""

    axes: tuple[Axis, ...]
    operator: str
    writes: tuple[Write, ...]
    condition: Term | None
    node: nodes.Lowering
    base: int
    source: Place
    fixed: tuple[tuple[str, int], ...] = ()
    """Index symbols of unrolled loops, each with its fixed value."""
    preparations: tuple[Preparation, ...] = ()
    """Parts that are evaluated before any point, noted where sizes are not known."""

    @property
    def roots(self) -> tuple[Term, ...]:
        """All terms that are computed."""
        terms = [term for write in self.writes for term in (*write.place_terms, write.value)]
        return (*terms, self.condition) if self.condition is not None else tuple(terms)

    @property
    def slots(self) -> tuple[Slot, ...]:
        """The written slots."""
        return tuple(dict.fromkeys(write.slot for write in self.writes))

    @property
    def counters(self) -> frozenset[Symbol]:
        """The extents that this formula counts."""
        places = (term for write in self.writes for term in write.place_terms)
        return frozenset(term.symbol for term in subterms(*places) if isinstance(term, Next))

    def own_reads(self) -> Iterator[Read]:
        """Yield the reads of elements of the written slots."""
        written = {each for slot in self.slots for each in (slot, *slot.items)}
        for term in subterms(*self.roots):
            if isinstance(term, Read) and not written.isdisjoint((term.slot, *term.slot.items)):
                yield term


def skips_points(formula: nodes.Lowering) -> bool:
    """Return whether a guarded index skips points, with all their accesses (2.12)."""
    return any(isinstance(each, nodes.Bounded) and each.below is None for each in nodes.descendants(formula))


# ---- messages about a formula that fails at a point, before a run and in it ------------------------------------------
def outside_of_tensor(index: object, dimension: int, slot: Slot, extent: int | None) -> str:
    """Say that an index leads out of a tensor. The extent is None where only its limit is known."""
    shown = slot.name if not slot.items else f"{slot.name}[…]"
    outside = f"the index {index} is outside of dimension {dimension} of '{shown}'"
    if extent is not None:
        return f"{outside}, whose extent is {extent}"
    limit = slot.limits[dimension]
    return outside if limit is None else f"{outside}, whose extent is at most {limit}"


def point_text(formula: Formula, positions: Sequence[int]) -> str:
    """Return the values of the index symbols, `` (at i = 3)``, with unrolled loops first; empty if there are none."""
    unrolled = {name for name, _ in formula.fixed}
    named = zip((axis.name for axis in formula.axes), positions, strict=True)
    values = [*formula.fixed, *((name, at) for name, at in named if name not in unrolled)]
    return f" (at {', '.join(f'{name} = {at}' for name, at in values)})" if values else ""


# ---- exceptions that stop the elaboration of a formula ---------------------------------------------------------------
LIMIT_EXCEEDED = Rule("limit-exceeded", section="tool")
UNKNOWN_VALUE = Rule("unknown-value", section="tool")


class FormulaFailed(Exception):  # noqa: N818
    """A formula that has no meaning for these shapes: by which rule, why, and where."""

    def __init__(self, rule: Rule, message: str, place: Place | None = None) -> None:
        super().__init__(message)
        self.rule = rule
        self.message = message
        self.place = place


class OutOfBoundsError(EvaluationError):
    """An index that is out of bounds: the tensor, and the dimension that has no such index."""

    def __init__(self, node: nodes.Node, rule: Rule, message: str, slot: Slot, dimension: int) -> None:
        super().__init__(node, rule, message)
        self.slot = slot
        self.dimension = dimension


# ---- limit of the work for a question about the data flow of formulas ------------------------------------------------
_POINTS_OF_A_GROUP = 5
"""Number of points with some examined axes that take as long as one point with all axes."""
_CELLS = 50
"""Cells that are put together of the indices that groups of axes give, in that time."""


class PointBudget(Struct):
    """Number of points of formulas that may still be examined to answer a question."""

    left: float

    def take(self, count: float) -> None:
        """Count points. Raise FormulaFailed if that are more than may be looked at."""
        self.left -= count
        if self.left < 0:
            raise FormulaFailed(LIMIT_EXCEEDED, "there are too many elements on the way; smaller extents have less")

    def take_points(self, count: int) -> None:
        """Count points whose indices are examined along some axes only. Raise FormulaFailed."""
        self.take(count / _POINTS_OF_A_GROUP)

    def take_cells(self, count: int) -> None:
        """Count cells. Raise FormulaFailed."""
        self.take(count / _CELLS)
