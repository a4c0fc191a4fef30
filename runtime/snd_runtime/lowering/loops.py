"""Cutting an index space into boxes: loops over a few axes, and guards that narrow the others (2.12)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import prod

from msgspec import Struct

from snd_analysis.compose.formulas import (
    AffineIndex,
    Analysis,
    Bounds,
    Read,
    Term,
    Write,
    colliding_axes,
    unconditional,
)
from snd_runtime.lowering.domains import Box, points_in_order
from snd_runtime.lowering.limits import MOST_ROUNDS

# Reductions over so few elements are faster one element at a time, each over all results.
_SHORT_REDUCTION = 128
_MANY_RESULTS = 1 << 14


class Guard(Struct, frozen=True):
    """An affine index that must lie within an extent, else the point is skipped."""

    form: AffineIndex
    extent: int

    def free_axes(self, extents: Sequence[int], fixed: frozenset[int]) -> list[int]:
        """Return the axes along which it varies."""
        return [axis for axis in self.form.factors if extents[axis] > 1 and axis not in fixed]

    def narrowed(self, ranges: list[tuple[int, int]], axis: int) -> tuple[int, int]:
        """Return the part of the range along an axis that is within bounds, where all other axes have one position."""
        factor = self.form.factors[axis]
        rest = self.form.at([start for start, _ in ranges]) - factor * ranges[axis][0]
        # 0 <= rest + factor * position < extent
        low, high = (-rest, self.extent - 1 - rest) if factor > 0 else (rest - self.extent + 1, rest)
        first, last = -(-low // abs(factor)), high // abs(factor)
        return max(ranges[axis][0], first), min(ranges[axis][1], last + 1)


def guards_of(analysis: Analysis, write: Write, extra: Sequence[Term] = ()) -> list[Guard]:
    """Return the guards with affine indices that hold for every point of a write."""
    found = []
    accesses = [(write.slot, write.places)]
    accesses += [
        (term.slot, term.places)
        for term in unconditional(write.value, *write.place_terms, *extra)
        if isinstance(term, Read)
    ]
    for slot, places in accesses:
        for place, extent in zip(places, slot.shape, strict=True):
            form = analysis.affine(place.index) if place.bounds is Bounds.SKIPPED else None
            if form is not None and extent is not None:
                found.append(Guard(form, extent))
    return found


def boxes(extents: Sequence[int], fixed: Sequence[int], guards: Sequence[Guard]) -> Iterator[Box]:
    """Yield a box for every position along the fixed axes, narrowed by guards that vary along one other axis."""
    frozen = frozenset(fixed)
    free = [(guard, guard.free_axes(extents, frozen)) for guard in guards]
    for positions in points_in_order([extents[axis] for axis in fixed]):
        ranges = [(0, extent) for extent in extents]
        for axis, position in zip(fixed, positions, strict=True):
            ranges[axis] = (position, position + 1)
        for guard, axes in free:
            if len(axes) == 1:
                ranges[axes[0]] = guard.narrowed(ranges, axes[0])
            elif not axes and not 0 <= guard.form.at([start for start, _ in ranges]) < guard.extent:
                break
        else:
            box = Box(tuple(ranges))
            if box.size:
                yield box


def axes_that_collide(extents: Sequence[int], forms: Sequence[AffineIndex]) -> list[int]:
    """Return the axes to fix so that the points of a box write to different elements."""
    lengths = {axis: extents[axis] for form in forms for axis in form.factors if extents[axis] > 1}
    fixed: list[int] = []
    while colliding := colliding_axes(forms, lengths):
        shortest = min(colliding, key=lambda axis: (lengths[axis], -axis))
        fixed.append(shortest)
        del lengths[shortest]
    return fixed


def axes_of_windows(extents: Sequence[int], fixed: Sequence[int], guards: Sequence[Guard]) -> list[int]:
    """Return axes to fix in addition, so that every guard varies along one axis; empty if there are too many."""
    found = list(fixed)
    for guard in guards:
        axes = guard.free_axes(extents, frozenset(found))
        if len(axes) > 1:
            longest = max(axes, key=lambda axis: extents[axis])
            found += [axis for axis in axes if axis != longest]
    rounds = prod(extents[axis] for axis in found)
    return found if rounds <= MOST_ROUNDS and rounds * rounds <= 16 * prod(extents) else list(fixed)


def axes_of_short_reduction(extents: Sequence[int], fixed: Sequence[int], reduced: Sequence[int]) -> list[int]:
    """Return the reduced axes, too, if there are few elements along them and many results."""
    rest = [axis for axis in reduced if axis not in fixed]
    count = prod(extents[axis] for axis in rest)
    results = prod(extents) // max(prod(extents[axis] for axis in {*fixed, *rest}), 1)
    is_worth_it = count <= _SHORT_REDUCTION and results >= max(16 * count, _MANY_RESULTS)
    return [*fixed, *rest] if is_worth_it else list(fixed)
