"""A bound formula: its writes over its axes (2.12)."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from snd_analysis.compose.formulas.terms import IndexTerm, Next, Read, Slot, Term, subterms
from snd_analysis.model import Place
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
