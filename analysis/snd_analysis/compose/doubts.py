"""Extents that may become negative and divisors that may become zero, each with an instance that shows it (2.6, 3.1).

Only what definitions outside of the library declare is looked at, and only where a graph is composed: what an operator
needs may be promised by whoever invokes it.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice, product
from typing import TYPE_CHECKING

from snd_analysis import shapes
from snd_analysis.compose.failure import Failure, Site
from snd_analysis.model import Graph, Operation, Place
from snd_analysis.shapes import DivisionByZero, Integer, NegativeExponent, Truth
from snd_analysis.shapes.integer import Leaf
from snd_analysis.shapes.operations import Quotient
from snd_analysis.values import CompileTime

if TYPE_CHECKING:
    from snd_analysis.compose.instance import Instance

_NEAR_ITS_BOUND = 9
"""So many of the least values of an unknown are tried, and its greatest ones."""
_MOST_UNKNOWNS = 3
_MOST_TRIALS = 2000
_MOST_DOUBTS = 100


@dataclass(frozen=True, slots=True)
class Open:
    """The key of what nothing gives a value: an extent, a length or an attribute.

    It tells names and bounds, and not whose they are: operators that invoke one another and mean the same share their
    instances. Of several things of one name in one definition, ``number`` tells which.
    """

    name: str
    number: int
    low: int | None
    high: int | None


@dataclass(frozen=True, slots=True)
class Doubt:
    """A value that may be what it must not: a negative extent, or a divisor of zero. ``what`` it is, for messages."""

    value: Integer
    is_divisor: bool
    what: str
    place: Place

    @property
    def rule(self) -> str:
        """The rule that it may break."""
        return "divisor-may-be-zero" if self.is_divisor else "extent-may-be-negative"


def doubts_about(extents: Sequence[object], name: str, place: Place) -> Iterator[Doubt]:
    """What may be wrong with the shape of a tensor."""
    for extent in extents:
        if not isinstance(extent, Integer) or extent.value is not None:
            continue
        divisors = list(_divisors(extent))
        yield from (Doubt(divisor, True, f"in the shape of '{name}'", place) for divisor in divisors)
        if not divisors and _may_be_negative(extent):
            yield Doubt(extent, False, f"of '{name}'", place)


def _may_be_negative(extent: Integer) -> bool:
    low = shapes.bounds(extent)[0]
    return low is None or low < 0


def _divisors(a: Integer) -> Iterator[Integer]:
    """The divisors in an integer, not those inside of other operations, that may be zero as far as bounds tell."""
    for atom in a.atoms():
        if isinstance(atom, Quotient):
            divisor = atom.parts[1]
            low, high = shapes.bounds(divisor)
            if divisor.value is None and (low is None or low <= 0) and (high is None or high >= 0):
                yield divisor


# ---- a whole graph ---------------------------------------------------------------------------------------------------
def doubtful(root: Instance) -> list[Failure]:
    """The doubts in a composed graph for which there is an instance; each value once, where it comes from."""
    found: dict[tuple[Integer, bool], tuple[Doubt, tuple[Site, ...]]] = {}
    conditions: dict[Truth, None] = {}
    for instance, sites in _instances(root):
        conditions.update((check.condition, None) for check in instance.checks)
        for doubt in instance.doubts:
            # What is invoked comes first, and what is declared of it by who invokes it is the same once more.
            found[doubt.value, doubt.is_divisor] = (doubt, sites)
    failures = []
    for doubt, sites in islice(found.values(), _MOST_DOUBTS):
        message = _shown(doubt, list(conditions))
        if message is not None:
            site = Site(doubt.place, "this is declared here")
            failures.append(Failure(doubt.rule, message, (site, *sites)))
    return failures


def _instances(root: Instance) -> Iterator[tuple[Instance, tuple[Site, ...]]]:
    """Every instance that a graph is composed of, once, with the invocations that lead to it, from inside."""
    seen = {root}
    pending: list[tuple[Instance, tuple[Site, ...]]] = [(root, ())]
    while pending:
        instance, sites = pending.pop()
        yield instance, sites
        for operation in _operations(instance.body):
            inner = operation.instance
            if inner is not None and inner not in seen:
                seen.add(inner)
                invoked = Site(operation.place, f"'{inner.unit.shown}' is invoked here")
                pending.append((inner, (invoked, *sites)))


def _operations(graph: Graph | None) -> Iterator[Operation]:
    for operation in (*graph.operations, *graph.update_operations) if graph is not None else ():
        yield operation
        for part in operation.subgraphs.values():
            yield from _operations(part)


# ---- instances -------------------------------------------------------------------------------------------------------
def _shown(doubt: Doubt, conditions: Sequence[Truth]) -> str | None:
    """The message, with the instance that is nearest to what would be right; None if there is none."""
    leaves = sorted(doubt.value.leaves, key=lambda leaf: leaf.name)
    if len(leaves) > _MOST_UNKNOWNS or not all(_is_open(leaf.key) for leaf in leaves):
        return None
    keys = {leaf.key for leaf in leaves}
    concerned = [condition for condition in conditions if keys & {leaf.key for leaf in condition.leaves}]
    if any({leaf.key for leaf in condition.leaves} - keys for condition in concerned):
        return None  # whether it holds depends on more
    best: tuple[int, Mapping[Hashable, int]] | None = None
    for values in islice(_trials(leaves), _MOST_TRIALS):
        number = _value(doubt.value, values)
        if number is None or (number != 0 if doubt.is_divisor else number >= 0):
            continue
        if (best is None or number > best[0]) and all(_holds(condition, values) for condition in concerned):
            best = number, values
    if best is None:
        return None
    number, values = best
    given = ", ".join(f"{leaf.name} = {values[leaf.key]}" for leaf in leaves)
    if doubt.is_divisor:
        return f"for {given} the divisor '{doubt.value}' {doubt.what} is 0"
    return f"for {given} the extent '{doubt.value}' {doubt.what} is {number}"


def _is_open(key: Hashable) -> bool:
    return isinstance(key.key if isinstance(key, CompileTime) else key, Open)


def _trials(leaves: Sequence[Leaf]) -> Iterator[Mapping[Hashable, int]]:
    rows = [_candidates(leaf) for leaf in leaves]
    for row in product(*rows):
        yield {leaf.key: value for leaf, value in zip(leaves, row, strict=True)}


def _candidates(leaf: Leaf) -> list[int]:
    low, high = leaf.low, leaf.high
    start = low if low is not None else 0
    found = list(range(start, start + _NEAR_ITS_BOUND))
    if high is not None:
        found = [value for value in found if value <= high]
        found.extend(value for value in (high - 1, high) if value >= start and value not in found)
    return found


def _value(a: Integer, values: Mapping[Hashable, int]) -> int | None:
    try:
        return shapes.evaluate(a, values)
    except (DivisionByZero, NegativeExponent, OverflowError, KeyError, TypeError):
        return None


def _holds(condition: Truth, values: Mapping[Hashable, int]) -> bool:
    try:
        return shapes.evaluate(condition, values)
    except (DivisionByZero, NegativeExponent, OverflowError, KeyError, TypeError):
        return False
