"""The cells that one access of a formula reaches where another one reaches given cells, without visiting each point.

The axes fall apart into groups, so that each index depends on those of one group: in a convolution, on rows of the
output and of the filter, or on their columns. The constraints of one group are independent of the others, so the cells
are all combinations of the groups' results.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence, Set
from itertools import chain, product
from math import prod
from operator import itemgetter
from typing import TypeAlias

from msgspec import Struct

from snd_analysis.compose.formulas.formula import Formula, PointBudget
from snd_analysis.compose.formulas.terms import (
    SHORT_CIRCUITING,
    Apply,
    Bounds,
    IndexTerm,
    Next,
    Read,
    Slot,
    Term,
    subterms,
)
from snd_analysis.compose.formulas.walking import Point

FlowCell: TypeAlias = "tuple[int | None, ...]"


class Access(Struct, frozen=True):
    """A tensor that is no pack, and the indices with which it is read or written."""

    slot: Slot
    places: tuple[IndexTerm, ...]


class Separable(Struct, frozen=True):
    """A formula whose axes fall apart into groups; one group is empty, for indices that are the same everywhere."""

    formula: Formula
    writes: tuple[Access, ...]
    reads: tuple[Access, ...]
    groups: tuple[frozenset[int], ...]

    def reached(
        self,
        asked: Access,
        known: Access,
        cells: Set[FlowCell],
        positions: Sequence[Collection[int]],
        budget: PointBudget,
    ) -> set[FlowCell] | None:
        """Return the cells that an access reaches where another one reaches one of ``cells``.

        All positions of these cells are given. None if the cells are not all combinations of indices of groups.
        """
        columns = [set(map(_taking(_within(known, group)), cells)) for group in self.groups]
        if prod(map(len, columns)) != len(cells) or any(map(_is_vague, columns)):
            return None
        found: list[set[FlowCell]] = []
        for group, column in zip(self.groups, columns, strict=True):
            axes = sorted(group)
            budget.take_points(prod(len(positions[axis]) for axis in axes))
            points = (dict(zip(axes, each, strict=True)) for each in product(*(positions[axis] for axis in axes)))
            found.append(set(self._at_points(points, group, known, column, asked)))
        budget.take_cells(prod(map(len, found)))
        dimensions = [at for group in self.groups for at in _within(asked, group)]
        together = map(tuple, map(chain.from_iterable, product(*found)))
        return set(map(_taking([dimensions.index(at) for at in range(len(dimensions))]), together))

    def _at_points(
        self,
        points: Iterable[dict[int, int]],
        group: frozenset[int],
        known: Access,
        column: Set[FlowCell],
        asked: Access,
    ) -> Iterator[FlowCell]:
        """Yield the indices of an access in a group, at points where those of ``known`` are in ``column``.

        Points with a guarded index out of bounds are left out.
        """
        reaching, giving = _within(known, group), _within(asked, group)
        accesses = ((access, at) for access in (*self.writes, *self.reads) for at in _within(access, group))
        guarded = [(access, at) for access, at in accesses if access.places[at].bounds is Bounds.SKIPPED]
        is_any = any(None in each for each in column)
        for positions in points:
            point = Point(self.formula, positions, with_reals=True)
            there = _indices(point, known, reaching)
            if there is None or not (is_any or there in column):
                continue
            here = _indices(point, asked, giving)
            if here is not None and all(_index(point, access, at) is not None for access, at in guarded):
                yield here


def separable(formula: Formula) -> Separable | None:
    """Return a formula with its groups.

    None if values decide about its reads, writes or needs, or if extents are counted.
    """
    terms = list(subterms(*formula.roots))
    reads = tuple(Access(each.slot, each.places) for each in terms if isinstance(each, Read))
    writes = tuple(Access(each.slot, each.places) for each in formula.writes)
    places = [place for access in (*writes, *reads) for place in access.places]
    decides = any(isinstance(each, Apply) and each.operation in (*SHORT_CIRCUITING, "pick") for each in terms)
    by_data = any(isinstance(each, Read | Next) for place in places for each in subterms(*place.terms))
    packs = any(access.slot.items or None in access.slot.shape for access in (*writes, *reads))
    if formula.condition is not None or decides or by_data or packs or any(True for _ in formula.own_reads()):
        return None
    groups = [frozenset((axis,)) for axis in range(len(formula.axes))]
    for place in places:
        joined = [each for each in groups if each & _axes(place)]
        groups = [*(each for each in groups if each not in joined), frozenset[int]().union(*joined)]
    return Separable(formula, writes, reads, (frozenset(), *filter(None, groups)))


def _taking(order: Sequence[int]) -> Callable[[FlowCell], FlowCell]:
    """Return a function that takes some indices of a cell."""
    match order:
        case []:
            return lambda cell: ()
        case [at]:
            return lambda cell: (cell[at],)
    return itemgetter(*order)


def _axes(place: IndexTerm) -> frozenset[int]:
    return frozenset[int]().union(*(term.axes for term in place.terms))


def _within(access: Access, group: frozenset[int]) -> list[int]:
    """Return the dimensions whose indices depend on a group."""
    return [at for at, place in enumerate(access.places) if (_axes(place) & group if group else not _axes(place))]


def _is_vague(column: Collection[FlowCell]) -> bool:
    """Return whether some of the indices of a cell are known, and others may be any."""
    return any(None in each for each in column) and any(set(each) != {None} for each in column)


def _indices(point: Point, access: Access, dimensions: Sequence[int]) -> FlowCell | None:
    """Return some of the indices of an access; None if one is out of bounds."""
    found = tuple(_index(point, access, at) for at in dimensions)
    return None if None in found else found


def _index(point: Point, access: Access, at: int) -> int | None:
    place, extent = access.places[at], access.slot.shape[at]
    index = _value(point, place.index)
    if index is not None and extent is not None and not 0 <= index < extent:
        remapped = place.below if index < 0 else place.above
        index = None if remapped is None else _value(point, remapped)
    return index if index is not None and extent is not None and 0 <= index < extent else None


def _value(point: Point, term: Term) -> int | None:
    value = point.value(term)
    return None if value is None else int(value)
