"""Sizes that an operator needs to be equal, although only the numbers of its samples say so."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from itertools import combinations, product

from msgspec import Struct

from snd_analysis.compose.limits import GREATEST_NEEDED_NUMBER, MOST_UNKNOWNS_OF_NEED
from snd_analysis.compose.specialization import Specialization
from snd_analysis.model import Operation
from snd_analysis.skriptnd.names import Symbol, SymbolKind
from snd_analysis.skriptnd.syntax import nodes
from snd_analysis.symbolic import integers as shapes
from snd_analysis.symbolic.integers import FALSE, TRUE, Integer, Junction, Truth
from snd_analysis.symbolic.values import Value

_PRIMES = (11, 13, 17, 19, 23)
_SIZES = (1, 2, 3, 8, 16)
"""Numbers that are tried for extents that have to satisfy all assertions together."""
_LARGE_PRIMES = (269, 271, 277, 281)
"""Numbers above GREATEST_NEEDED_NUMBER."""
_SIZES_OF = frozenset({SymbolKind.EXTENT, SymbolKind.ATTRIBUTE})


class UnstatedEquality(Struct, frozen=True):
    """An invocation in an operator that needs an extent to equal another extent, an attribute or a number.

    No declaration or assertion states this equality.
    """

    operation: Operation
    first: Symbol
    second: Symbol | int

    @property
    def condition(self) -> str:
        """The equality as an assertion."""
        return f"{self.first.name} == {self.second if isinstance(self.second, int) else self.second.name}"

    def number_in(self, samples: Iterable[Specialization]) -> int | None:
        """Return the number that both are in the first sample that has both, if all samples have them equal.

        Then the samples don't tell that the operator needs it. An extent of 1 may be stretched instead, so that two of
        them tell nothing.
        """
        found = [
            (one.value, self.second if isinstance(self.second, int) else other.value)
            for sample in samples
            if isinstance(one := sample.scope.values.get(self.first), Integer)
            and isinstance(
                other := one if isinstance(self.second, int) else sample.scope.values.get(self.second), Integer
            )
        ]
        if any(one != other or one is None for one, other in found):
            return None
        return next((one for one, _ in found if one is not None and (one > 1 or self.second == 1)), None)


def unstated_equalities(whole: Specialization) -> Iterator[UnstatedEquality]:
    """Yield the equalities that invocations in an operator need and no declaration or assertion states, each once.

    ``whole`` is the operator composed by itself, for any sizes. A condition counts if it fails for different primes,
    and holds as soon as two of them are equal, or one is a certain number.
    """
    sizes = {
        symbol: value
        for symbol, value in whole.scope.values.items()
        if symbol.kind in _SIZES_OF and isinstance(value, Integer) and value.value is None
    }
    symbols = {key: symbol for symbol, value in sizes.items() for key in _alone(value)}
    conditions = [part for _, assertion in whole.template.assertions for part in _parts(assertion.condition)]
    asserted = [whole.scope.attempt(each) for each in conditions]
    demanded = [*(each for each in asserted if isinstance(each, Truth)), *(each.condition for each in whole.checks)]
    told: set[tuple[Symbol, Symbol | int]] = set()
    for operation in whole.body.operations if whole.body is not None and symbols else ():
        for condition in (part for check in operation.checks for part in _conjuncts(check.condition)):
            unknown = shapes.variables(condition)
            if len(unknown) > MOST_UNKNOWNS_OF_NEED or not unknown <= symbols.keys():
                continue
            for first, second in _unstated(condition, sorted(unknown, key=[*symbols].index), asserted, demanded):
                pair = symbols[first], second if isinstance(second, int) else symbols[second]
                if pair in told or all(each.kind is SymbolKind.ATTRIBUTE for each in pair if isinstance(each, Symbol)):
                    continue
                told.add(pair)
                yield UnstatedEquality(operation, *pair)


def _unstated(
    condition: Truth, unknown: Sequence[Hashable], asserted: Sequence[Value], demanded: Sequence[Truth]
) -> Iterator[tuple[Hashable, Hashable | int]]:
    """Yield the pairs of unknowns, or of an unknown and a number, whose equality a condition needs and nothing says."""
    for first, second in _needed(condition, unknown):
        is_stated = any(_states(each, first, second) for each in asserted)
        # An assertion with more unknowns may say so, too, and so may several together.
        is_needed = any((first, second) in _needed(each, (first, second)) for each in demanded)
        if not is_stated and not is_needed and _may_differ(demanded, first, second):
            yield first, second
    if len(unknown) == 1:
        (only,) = unknown
        number = _needed_number(condition, only)
        if number is not None and _may_be_prime(demanded, only):
            yield only, number


def _conjuncts(condition: Truth) -> Iterator[Truth]:
    """Yield the conditions that all have to hold: each may need another pair to be equal."""
    if isinstance(condition, Junction) and condition.conjunction:
        yield from condition.operands
    else:
        yield condition


def _needed_number(condition: Truth, key: Hashable) -> int | None:
    """Return the one number that an extent has to be, apart from 1 where 1 is stretched to it."""
    if any(_decided(condition, {key: prime}) is not FALSE for prime in _LARGE_PRIMES):
        return None
    allowed = [number for number in range(1, GREATEST_NEEDED_NUMBER + 1) if _decided(condition, {key: number}) is TRUE]
    numbers = [each for each in allowed if each != 1] or allowed
    return numbers[0] if len(numbers) == 1 else None


def _may_be_prime(demanded: Sequence[Truth], key: Hashable) -> bool:
    """Return whether the assertions about one extent alone allow it to be some large prime."""
    about = [each for each in demanded if shapes.variables(each) == {key}]
    return any(all(_decided(each, {key: prime}) is not FALSE for each in about) for prime in _LARGE_PRIMES)


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
