"""Extents that satisfy the conditions of a composed graph on its symbols: ``T / 5 == 32`` suggests values of ``T``."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping
from itertools import chain, pairwise

from snd_analysis.compose import Specialization, specialization_of
from snd_analysis.model import Graph
from snd_analysis.symbolic.integers import (
    AtLeastZero,
    DivisionByZero,
    Integer,
    IsZero,
    Junction,
    Leaf,
    NegativeExponent,
    Truth,
    evaluate,
)
from snd_runtime.evaluation.limits import MOST_DEMANDED_EXTENT

_NEAR = 64
"""Count of numbers to examine from 1, and from each sign change of a formula.

Among so many, at most one in each is a multiple of the usual divisors of extents.
"""
_NO_VALUE = (DivisionByZero, NegativeExponent, OverflowError)


def demanded_of(specialization: Specialization) -> tuple[Truth, ...]:
    """Return the conditions that no run of a graph or operator can do without."""
    found = dict.fromkeys(check.condition for check in specialization.checks)
    seen: set[int] = set()
    pending: list[Graph | None] = [specialization.body]
    while pending:
        body = pending.pop()
        if body is None or id(body) in seen:
            continue
        seen.add(id(body))
        found.update(dict.fromkeys(check.condition for check in body.checks))
        for operation in body.operations:
            found.update(dict.fromkeys(check.condition for check in operation.checks))
            callee = specialization_of(operation)
            pending.append(None if callee is None else callee.body)
    return tuple(found)


class Demands:
    """Conditions on symbols, and the extents that satisfy them, given the values of other symbols."""

    def __init__(self, conditions: Iterable[Truth]) -> None:
        self._by_symbol: dict[Hashable, list[Truth]] = {}
        for condition in conditions:
            for leaf in condition.leaves:
                self._by_symbol.setdefault(leaf.key, []).append(condition)
        self._found: dict[Hashable, list[int]] = {}

    def fitting(self, leaf: Leaf, wanted: int, chosen: Mapping[Hashable, int]) -> int:
        """Return the smallest extent from ``wanted`` on with which no condition on a symbol and on ``chosen`` fails.

        If only smaller extents satisfy the conditions, return the greatest of them; if none is found, ``wanted``.
        """
        known = chosen.keys() | {leaf.key}
        conditions = [
            each for each in self._by_symbol.get(leaf.key, ()) if all(other.key in known for other in each.leaves)
        ]
        if not conditions or _hold(conditions, {**chosen, leaf.key: wanted}):
            return wanted
        others = {other.key for each in conditions for other in each.leaves} - {leaf.key}
        key = (leaf.key, frozenset((each, chosen[each]) for each in others))
        if key not in self._found:
            self._found[key] = [*_allowed(conditions, leaf, chosen)]
        allowed = self._found[key]
        return allowed[min(bisect_left(allowed, wanted), len(allowed) - 1)] if allowed else wanted


def _allowed(conditions: Collection[Truth], leaf: Leaf, chosen: Mapping[Hashable, int]) -> Iterator[int]:
    """Yield the extents that fit, in order, as far as the conditions tell where they may lie."""

    def holding(number: int) -> bool:
        return _hold(conditions, {**chosen, leaf.key: number})

    starts = {1}
    for formula in dict.fromkeys(chain.from_iterable(map(_formulas, conditions))):
        for least in (0, 1):  # one of these is where it becomes 0, the other where it is no longer
            starts.update(_changes(_reaches(least, formula, leaf, chosen)))
    numbers = {number for start in starts for number in range(start, start + _NEAR)}
    low, high = leaf.low or 1, MOST_DEMANDED_EXTENT if leaf.high is None else leaf.high
    return (number for number in sorted(numbers) if max(low, 1) <= number <= high and holding(number))


def _hold(conditions: Iterable[Truth], values: Mapping[Hashable, int]) -> bool:
    try:
        return all(_holds(each, values) for each in conditions)
    except _NO_VALUE:
        return False


def _holds(condition: Truth, values: Mapping[Hashable, int]) -> bool:
    try:
        return evaluate(condition, values)
    except KeyError:  # it depends on more than on symbols, so that it excludes nothing
        return True


def _formulas(condition: Truth) -> Iterator[Integer]:
    """Yield the integers that a condition compares with 0."""
    match condition:
        case Junction(operands=operands):
            for each in operands:
                yield from _formulas(each)
        case AtLeastZero(parts=(subject, _)) | IsZero(parts=(subject, _)):
            yield subject


def _reaches(least: int, formula: Integer, leaf: Leaf, chosen: Mapping[Hashable, int]) -> Callable[[int], bool]:
    def reaches(number: int) -> bool:
        try:
            return evaluate(formula, {**chosen, leaf.key: number}) >= least
        except (KeyError, *_NO_VALUE):
            return False

    return reaches


def _changes(holds: Callable[[int], bool]) -> Iterator[int]:
    """Yield the first numbers at which the answer changes, as far as it differs between powers of 2."""
    powers = [1 << exponent for exponent in range(MOST_DEMANDED_EXTENT.bit_length())]
    for low, high in pairwise(powers):
        before = holds(low)
        if holds(high) is not before:
            yield low + 1 + bisect_left(range(low + 1, high), True, key=lambda at: holds(at) is not before)
