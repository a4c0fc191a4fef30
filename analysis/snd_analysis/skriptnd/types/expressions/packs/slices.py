"""Slices of packs and of dimensions: the selected items and their number (2.4, Indexing)."""

from __future__ import annotations

from msgspec import Struct

from snd_analysis import rules
from snd_analysis.base import counted
from snd_analysis.skriptnd.syntax import nodes, shown_pack
from snd_analysis.skriptnd.types.context import Context
from snd_analysis.skriptnd.types.expressions.packs.lists import range_bounds
from snd_analysis.symbolic import integers as shapes
from snd_analysis.symbolic.integers import Integer


class Taken(Struct, frozen=True):
    """The part of a pack that an index or slice selects."""

    length: Integer | None
    """Number of items; None if the part is no pack."""
    value: Integer | None = None
    """The one item, if it is a known int."""
    items: tuple[Integer | None, ...] | None = None
    """The items, if it is known which."""
    optional: bool = False
    accesses: bool = False


def sliced(
    context: Context,
    pack: nodes.Node | None,
    index: nodes.Range,
    length: Integer,
    items: tuple[Integer | None, ...] | None,
) -> Taken | None:
    """Return the part of a pack of known length that a slice selects; None after reporting that it can't be one."""
    bounds = range_bounds(context, index)
    if bounds is None:
        return None
    first, last, step, optional = bounds
    if step is None or (first is None and index.first is not None) or (last is None and index.last is not None):
        return Taken(shapes.opaque("length"), optional=optional)
    known = [None if bound is None else bound.value for bound in (first, last)]
    if items is not None and step.value is not None and length.value is not None:
        given = (index.first is None or known[0] is not None) and (index.last is None or known[1] is not None)
        if given:
            for node, bound in ((index.first, known[0]), (index.last, known[1])):
                if node is not None and bound is not None and not -length.value <= bound <= length.value:
                    what = "the dimension" if pack is None else shown_pack(pack)
                    message = f"the bound {bound} is outside of {what}, which has {counted(length, 'item')}"
                    context.report(rules.INDEX_OUT_OF_RANGE, node, message)
                    return None
            part = items[known[0] : known[1] : step.value]
            return Taken(shapes.constant(len(part)), items=part, optional=optional)
    return Taken(_slice_length(first, last, step, length), optional=optional)


def _slice_length(first: Integer | None, last: Integer | None, step: Integer, length: Integer) -> Integer:
    """Return the length of a slice.

    A bound that is given lies inside the pack, or it is an error: so it tells its length.
    """
    if first is None and last is None and step.value in (1, -1):
        return length
    if step.value is None or step.value == 0:
        return shapes.opaque("length")
    begin, end = _from_start(first, length), _from_start(last, length)
    if step.value > 0:
        begin = shapes.constant(0) if first is None else begin
        end = length if last is None else end
        distance = None if begin is None or end is None else end - begin
    else:
        begin = length - 1 if first is None else begin
        end = shapes.constant(-1) if last is None else end
        if first is not None and begin is not None and shapes.compare("<", begin, length) is not shapes.TRUE:
            begin = None  # the length itself is taken for the last index
        distance = None if begin is None or end is None else begin - end
    if distance is None:
        return shapes.opaque("length")
    count = shapes.ceil_divide(distance, abs(step.value))
    one_sided = step.value > 0 and (first is None or last is None)
    return count if one_sided or _is_kept(distance, length, first, last) else shapes.maximum(count, 0)


def _is_kept(distance: Integer, length: Integer, *given: Integer | None) -> bool:
    """Return whether the end of a slice can't lie before its beginning, as long as both bounds are inside the pack."""
    least = max((abs(bound.value) for bound in given if bound is not None and bound.value is not None), default=0)
    rest = (distance - length).value
    low = shapes.bounds(distance)[0]
    return (low is not None and low >= 0) or (rest is not None and rest + least >= 0)


def _from_start(bound: Integer | None, length: Integer) -> Integer | None:
    """Return a slice bound counted from the start; None if its sign is not known."""
    if bound is None:
        return None
    low, high = shapes.bounds(bound)
    if low is not None and low >= 0:
        return bound
    return length + bound if high is not None and high < 0 else None
