"""Invocations that differ only in their dynamic extents, seen as one (2.6.1)."""

from __future__ import annotations

from collections.abc import Hashable
from functools import lru_cache

from snd_analysis.compose.bind.arguments import Arguments
from snd_analysis.compose.dynamic.freshen import Replacement, extents_of
from snd_analysis.compose.dynamic.unknowns import Dynamic
from snd_analysis.symbolic import integers as shapes
from snd_analysis.symbolic.integers import Integer, Leaf
from snd_analysis.symbolic.values import substitute


class CanonicalArguments:
    """The arguments of an invocation, with dynamic extents replaced by numbered unknowns of the same names and bounds.

    The numbers follow the order in the inputs: invocations that differ in nothing else have equal arguments.
    """

    def __init__(self, given: Arguments) -> None:
        stand_ins: dict[Hashable, Integer] = {}
        self.actual: dict[Hashable, Integer] = {}
        """The dynamic extent that each stand-in replaces."""
        for leaf in (leaf for value in given.inputs for extent in extents_of(value) for leaf in _dynamic(extent)):
            if leaf.key not in stand_ins:
                made = _canonical_extent(len(stand_ins), leaf.name, leaf.low, leaf.high, leaf.key.declared)  # type: ignore[attr-defined]
                stand_ins[leaf.key] = made
                self.actual[next(iter(made.leaves)).key] = shapes.variable(leaf.key, leaf.name, leaf.low, leaf.high)
        replacement = Replacement(stand_ins)
        self.given = Arguments(
            given.dtypes,
            {name: substitute(value, stand_ins) for name, value in given.attributes.items()},
            tuple(replacement.tensors(value) for value in given.inputs),
        )


def _dynamic(extent: Integer) -> list[Leaf]:
    found = [leaf for leaf in extent.leaves if isinstance(leaf.key, Dynamic)]
    return sorted(found, key=lambda leaf: leaf.name)


@lru_cache(maxsize=4096)
def _canonical_extent(number: int, name: str, low: int | None, high: int | None, declared: bool) -> Integer:
    return shapes.variable(Dynamic(declared), name, low, high)
