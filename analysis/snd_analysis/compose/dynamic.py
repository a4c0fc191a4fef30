"""Keys of extents, lengths and attributes whose values are unknown when a graph is composed (2.6.1)."""

from __future__ import annotations

from msgspec import Struct

from snd_analysis.symbolic import integers as shapes
from snd_analysis.symbolic.integers import Integer


class OpenKey(Struct, frozen=True):
    """The key of an open value: an extent, a length or an attribute.

    It contains the name and bounds, but not the owner: operators that invoke one another and mean the same share their
    specializations. ``number`` distinguishes values of the same name in one definition.
    """

    name: str
    number: int
    low: int | None
    high: int | None


class Dynamic:
    """The key of an extent that only the run tells; it equals only itself.

    ``declared`` says that an output is declared so; others may be dynamic because not enough is known when composing.
    """

    __slots__ = ("declared",)

    def __init__(self, declared: bool = False) -> None:
        self.declared = declared


def dynamic_extent(
    known: dict[Dynamic, Integer], name: str, low: int, high: int | None, declared: bool = False
) -> Integer:
    """Return a new extent, or number of tensors, that only the run determines.

    It is listed in ``known`` unless its bounds determine it.
    """
    key = Dynamic(declared)
    extent = shapes.variable(key, name, low, None if high is None else max(low, high))
    if extent.value is None:
        known[key] = extent
    return extent


def is_dynamic(extent: Integer) -> bool:
    """Return whether an extent is known only at run time, regardless of the arguments."""
    keys = [leaf.key for leaf in extent.leaves]
    return bool(keys) and all(
        key.declared if isinstance(key, Dynamic) else isinstance(key, OpenKey) and key.high is not None for key in keys
    )


def input_extent(name: str) -> Integer:
    """Return the extent that the input of a graph names: one composition serves all its values."""
    return shapes.variable(OpenKey(name, 0, 0, None), name, 0)
