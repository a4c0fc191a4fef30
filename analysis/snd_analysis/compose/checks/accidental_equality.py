"""Extents that an operator needs to be equal, which nothing says but the numbers of its samples."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from itertools import combinations, product

from msgspec import Struct

from snd_analysis.compose.limits import MOST_UNKNOWNS_OF_NEED
from snd_analysis.compose.specialization import Specialization
from snd_analysis.model import Operation
from snd_analysis.skriptnd.names import Symbol, SymbolKind
from snd_analysis.skriptnd.syntax import nodes
from snd_analysis.symbolic import integers as shapes
from snd_analysis.symbolic.integers import FALSE, TRUE, Integer, Truth
from snd_analysis.symbolic.values import Value

_PRIMES = (11, 13, 17, 19, 23)
_SIZES = (1, 2, 3, 8, 16)
"""What is tried for extents that have to satisfy all assertions together."""


class UnstatedEquality(Struct, frozen=True):
    """An invocation in an operator that needs two extents to be equal, which no declaration or assertion says."""

    operation: Operation
    first: Symbol
    second: Symbol

    def number_in(self, samples: Iterable[Specialization]) -> int | None:
        """Return what both extents are in the first sample that has both, more than 1, if all samples have them equal.

        Then the samples don't tell that the operator needs it.
        """
        found = [
            (one.value, other.value)
            for sample in samples
            if isinstance(one := sample.scope.values.get(self.first), Integer)
            and isinstance(other := sample.scope.values.get(self.second), Integer)
        ]
        numbers = [one for one, other in found if one == other and one is not None and one > 1]
        return numbers[0] if numbers else None


def unstated_equalities(whole: Specialization) -> Iterator[UnstatedEquality]:
    """Yield the equalities that the invocations in an operator need and that no declaration or assertion states, each
    once.

    ``whole`` is the operator composed by itself, for any sizes. A condition counts if it fails for different primes,
    and holds as soon as two of them are equal.
    """
    extents = {
        symbol: value
        for symbol, value in whole.scope.values.items()
        if symbol.kind is SymbolKind.EXTENT and isinstance(value, Integer) and value.value is None
    }
    symbols = {key: symbol for symbol, value in extents.items() for key in _alone(value)}
    conditions = [part for _, assertion in whole.template.assertions for part in _parts(assertion.condition)]
    asserted = [whole.scope.attempt(each) for each in conditions]
    demanded = [*(each for each in asserted if isinstance(each, Truth)), *(each.condition for each in whole.checks)]
    told: set[tuple[Symbol, Symbol]] = set()
    for operation in whole.body.operations if whole.body is not None and symbols else ():
        for check in operation.checks:
            unknown = shapes.variables(check.condition)
            if len(unknown) > MOST_UNKNOWNS_OF_NEED or not unknown <= symbols.keys():
                continue
            for first, second in _needed(check.condition, sorted(unknown, key=[*symbols].index)):
                if any(_states(each, first, second) for each in asserted):
                    continue
                if any((first, second) in _needed(each.condition, (first, second)) for each in whole.checks):
                    continue  # an assertion says so
                pair = symbols[first], symbols[second]
                if pair not in told:
                    told.add(pair)
                    if not _may_differ(demanded, first, second):
                        continue  # several assertions say so together
                    yield UnstatedEquality(operation, *pair)


def _alone(value: Integer) -> Collection[Hashable]:
    """Return the key of the unknown that an extent is, if it is nothing else."""
    keys = shapes.variables(value)
    return keys if len(value.leaves) == 1 and str(value) == next(iter(value.leaves)).name else ()


def _needed(condition: Truth, unknown: Sequence[Hashable]) -> Iterator[tuple[Hashable, Hashable]]:
    primes = dict(zip(unknown, _PRIMES, strict=False))
    if _decided(condition, primes) is not FALSE:
        return
    for first, second in combinations(unknown, 2):
        twice = ({first: 2 * primes[second]}, {second: 2 * primes[first]})
        if any(_decided(condition, {**primes, **each}) is not FALSE for each in twice):
            continue
        if _decided(condition, {**primes, second: primes[first]}) is TRUE:
            yield first, second


def _parts(condition: nodes.Expression) -> Iterator[nodes.Expression]:
    """Yield the conditions that ``&&`` joins."""
    match condition:
        case nodes.Parenthesized(inner=inner):
            yield from _parts(inner)
        case nodes.Binary(left=left, operator=nodes.Operator(text="&&"), right=right):
            yield from _parts(left)
            yield from _parts(right)
        case _:
            yield condition


def _states(assertion: Value, first: Hashable, second: Hashable) -> bool:
    """Return whether an assertion holds only where two extents are equal."""
    if not isinstance(assertion, Truth):
        return False
    differ, equal = ({first: _PRIMES[0], second: each} for each in (_PRIMES[1], _PRIMES[0]))
    return _decided(assertion, differ) is FALSE and _decided(assertion, equal) is not FALSE


def _may_differ(demanded: Sequence[Truth], first: Hashable, second: Hashable) -> bool:
    """Return whether some sizes are found that are allowed, and have two extents differ."""
    keys, before = {first, second}, 0
    while before < len(keys):
        before = len(keys)
        about = [each for each in demanded if not keys.isdisjoint(shapes.variables(each))]
        keys = keys.union(*map(shapes.variables, about))
    if len(keys) > MOST_UNKNOWNS_OF_NEED:
        return False
    names = [first, second, *(keys - {first, second})]
    given = (dict(zip(names, each, strict=True)) for each in product(_SIZES, repeat=len(names)) if each[0] != each[1])
    return any(all(_decided(each, numbers) is not FALSE for each in about) for numbers in given)


def _decided(condition: Truth, numbers: Mapping[Hashable, int]) -> Truth | None:
    try:
        return shapes.substitute(condition, numbers)
    except ArithmeticError:
        return None
