"""``x in a`` (2.4, Containment testing)."""

from __future__ import annotations

from snd_analysis.symbolic import integers as shapes
from snd_analysis.symbolic.integers import FALSE, TRUE, Truth
from snd_analysis.symbolic.values.elementwise import elementwise
from snd_analysis.symbolic.values.operations import OPERATIONS
from snd_analysis.symbolic.values.pack import Pack, Run, Segment, positional
from snd_analysis.symbolic.values.scalars import DEFINITIONS, UNDEFINED, Value
from snd_analysis.symbolic.values.unknown_results import result_of


def contained(item: Value, pack: Value) -> Value:
    """Whether a value is in a pack; of a pack of values, whether each is."""
    if not isinstance(pack, Pack):
        return UNDEFINED
    return elementwise(lambda single: _is_in(single, pack), item)


DEFINITIONS["in"] = contained


def _is_in(item: Value, pack: Pack) -> Value:
    undecided: list[Truth] = []
    for segment in pack.segments:
        found = _is_at(item, segment)
        if found is TRUE:
            return TRUE
        if not isinstance(found, Truth):
            return UNDEFINED
        if found is not FALSE:
            undecided.append(found)
    return shapes.or_(*undecided) if undecided else FALSE


def _is_at(item: Value, segment: Segment) -> Value:
    if not isinstance(segment, Run):
        return OPERATIONS["=="](item, segment)
    same = OPERATIONS["=="](item, segment.element)
    if same is UNDEFINED or same is FALSE:
        return same
    if positional(segment.element):
        return result_of("bool", "in", (item, Pack((segment,))))
    return OPERATIONS["&&"](shapes.compare(">=", segment.length, 1), same)
