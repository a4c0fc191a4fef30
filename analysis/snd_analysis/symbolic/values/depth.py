"""How deep unknown operations nest: everything that walks values recurses, so deeper ones become plain unknowns."""

from __future__ import annotations

from collections.abc import Hashable

from snd_analysis.symbolic.integers import Integer, Truth
from snd_analysis.symbolic.values.pack import Element, Pack, Run
from snd_analysis.symbolic.values.scalars import Maybe, Result, Unknown, Value

DEEPEST = 60


def depth_of(value: Value) -> int:
    """The depth of a value; 0 of what is known and of unknowns that no operation gave."""
    if isinstance(value, Integer | Truth):
        return max((_of_key(leaf.key) for leaf in value.leaves), default=0)
    if isinstance(value, Unknown):
        return _of_key(value.key)
    if isinstance(value, Run):
        return max(depth_of(value.length), depth_of(value.element))
    if isinstance(value, Pack):
        return max(map(depth_of, value.segments), default=0)
    return max(depth_of(value.present), depth_of(value.value)) if isinstance(value, Maybe) else 0


def _of_key(key: Hashable) -> int:
    if isinstance(key, Result | Element):
        return key.depth
    return 0


def depth_of_element(pack: Hashable, index: Integer) -> int:
    """The depth of an item of a pack that is known by a key, by how it was calculated, or by its segments."""
    own = pack.depth if isinstance(pack, Result) else 1 + depth_of(pack) if isinstance(pack, Pack) else 0
    inner = depth_of(index)
    return max(own, 1 + inner if inner else 0)
