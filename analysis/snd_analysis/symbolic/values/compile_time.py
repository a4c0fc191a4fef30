"""Unknowns that compile time may determine, such as an attribute without a value yet.

``is`` and ``:=`` treat two values as different that are not the same as far as is known (2.4). That holds for values
that only the run determines; for these unknowns it is open.
"""

from __future__ import annotations

from collections.abc import Hashable

from msgspec import Struct

from snd_analysis.symbolic.integers import FoldKey, Integer, Truth
from snd_analysis.symbolic.values.pack import Element, ItemRun, Pack, Segment
from snd_analysis.symbolic.values.scalars import Fresh, Maybe, OperationKey, Unknown


class CompileTime(Struct, frozen=True):
    """The key of an unknown that has a value when a model is compiled; ``key`` says which it is."""

    key: Hashable


def may_become_known(value: Segment) -> bool:
    """Return whether a value may become better known at compile time, by itself or by its operands."""
    match value:
        case Integer() | Truth():
            return any(_is_open(leaf.key) for leaf in value.leaves)
        case Unknown():
            return _is_open(value.key)
        case ItemRun():
            return may_become_known(value.length) or may_become_known(value.element)
        case Pack():
            return any(map(may_become_known, value.segments))
    return isinstance(value, Maybe) and (may_become_known(value.present) or may_become_known(value.value))


def _is_open(key: Hashable) -> bool:
    match key:
        case CompileTime() | Fresh():  # the origin of a fresh unknown is not known
            return True
        case Pack():
            return may_become_known(key)
        case Element():
            return _is_open(key.pack) or may_become_known(key.index)
        case OperationKey():
            return any(map(may_become_known, key.operands))
        case FoldKey():
            return _is_open(key.pack)
    return isinstance(key, tuple) and any(map(_is_open, key))
