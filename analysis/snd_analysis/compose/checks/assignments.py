"""Small numbers for open values, tried until some of them show a failure."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from itertools import islice, product

from msgspec import Struct

from snd_analysis.compose.dynamic.unknowns import OpenKey
from snd_analysis.compose.limits import MOST_ASSIGNMENTS, MOST_UNKNOWNS
from snd_analysis.symbolic import integers as shapes
from snd_analysis.symbolic.integers import DivisionByZero, Integer, Leaf, NegativeExponent, Truth
from snd_analysis.symbolic.values import CompileTime

_NEAR_ITS_BOUND = 9
"""Number of values that are tried from the lower bound of an unknown, and from its upper bound."""
_UNDEFINED = (DivisionByZero, NegativeExponent, OverflowError, KeyError, TypeError)


class Assignment(Struct, frozen=True):
    """Numbers for unknowns, by key, for which an integer evaluates to ``number``."""

    number: int
    values: Mapping[Hashable, int]
    shown: str
    """The numbers by name: ``n = 1, s = 0``."""


def assignments(
    value: Integer, is_sought: Callable[[int], bool], path: Sequence[Truth], conditions: Sequence[Truth]
) -> list[Assignment]:
    """Return numbers for which ``value`` is sought, the greatest first.

    All of ``path`` hold for them, and those ``conditions`` that concern the same unknowns. Empty if the value depends
    on other things, or on too many.
    """
    leaves = sorted({*value.leaves, *(leaf for condition in path for leaf in condition.leaves)}, key=_name)
    if len(leaves) > MOST_UNKNOWNS or not all(_is_open(leaf.key) for leaf in leaves):
        return []
    keys = {leaf.key for leaf in leaves}
    concerned = [condition for condition in conditions if keys & {leaf.key for leaf in condition.leaves}]
    if any({leaf.key for leaf in condition.leaves} - keys for condition in concerned):
        return []  # whether it holds depends on more
    found = []
    for values in islice(_combinations(leaves), MOST_ASSIGNMENTS):
        number = _evaluated(value, values)
        if number is None or not is_sought(number):
            continue
        if all(_evaluated(condition, values) for condition in (*path, *concerned)):
            shown = ", ".join(f"{leaf.name} = {values[leaf.key]}" for leaf in leaves)
            found.append(Assignment(number, values, shown))
    return sorted(found, key=lambda trial: -trial.number)


def _name(leaf: Leaf) -> str:
    return leaf.name


def _is_open(key: Hashable) -> bool:
    return isinstance(key.key if isinstance(key, CompileTime) else key, OpenKey)


def _combinations(leaves: Sequence[Leaf]) -> Iterator[Mapping[Hashable, int]]:
    for row in product(*map(_candidates, leaves)):
        yield {leaf.key: value for leaf, value in zip(leaves, row, strict=True)}


def _candidates(leaf: Leaf) -> list[int]:
    low, high = leaf.low, leaf.high
    start = low if low is not None else 0
    found = list(range(start, start + _NEAR_ITS_BOUND))
    if high is not None:
        found = [value for value in found if value <= high]
        found.extend(value for value in (high - 1, high) if value >= start and value not in found)
    return found


def _evaluated(subject: Integer | Truth, values: Mapping[Hashable, int]) -> int | None:
    try:
        return shapes.evaluate(subject, values)
    except _UNDEFINED:
        return None
