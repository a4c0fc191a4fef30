"""Sizes that an operator needs to be equal, although only the numbers of its samples say so."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from itertools import combinations, product

from msgspec import Struct

from snd_analysis.compose.bind.asserted import canonical
from snd_analysis.compose.limits import GREATEST_NEEDED_NUMBER, MOST_UNKNOWNS_OF_NEED, MOST_UNKNOWNS_OF_NUMBER
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


def without_implied(equalities: Sequence[UnstatedEquality]) -> list[UnstatedEquality]:
    """Return equalities without those that follow from the ones before: ``a == p`` from ``a == m`` and ``m == p``."""
    groups: list[set[Symbol | int]] = []
    found = []
    for each in equalities:
        joined = [group for group in groups if each.first in group or each.second in group]
        if len(joined) == 1 and {each.first, each.second} <= joined[0]:
            continue
        groups = [group for group in groups if group not in joined]
        groups.append({each.first, each.second}.union(*joined))
        found.append(each)
    return found


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
    symbols = {canonical(key): symbol for symbol, value in sizes.items() for key in _alone(value)}
    unknowns = {key: shapes.variable(key, symbol.name, None, None) for key, symbol in symbols.items()}
    conditions = [part for _, assertion in whole.template.assertions for part in _parts(assertion.condition)]
    attempted = (whole.scope.attempt(each) for each in conditions)
    asserted = [_without_bounds(each, unknowns) if isinstance(each, Truth) else each for each in attempted]
    checked = (_without_bounds(each.condition, unknowns) for each in whole.checks)
    demanded = [*(each for each in asserted if isinstance(each, Truth)), *checked]
    told: set[tuple[Symbol, Symbol | int]] = set()
    for operation in whole.body.operations if whole.body is not None and symbols else ():
        for part in (part for check in operation.checks for part in _conjuncts(check.condition)):
            condition = _without_bounds(part, unknowns)
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
    needed = [*_needed(condition, unknown)]
    for first, second in needed:
        is_stated = any(_states(each, first, second) for each in asserted)
        # An assertion with more unknowns may say so, too, and so may several together.
        is_needed = any((first, second) in _needed(each, (first, second)) for each in demanded)
        if not is_stated and not is_needed and _may_differ(demanded, first, second):
            yield first, second
    for key in unknown if not needed and len(unknown) <= MOST_UNKNOWNS_OF_NUMBER else ():
        number = _needed_number(condition, key, [each for each in unknown if each != key])
        if number is not None and _may_be_prime(demanded, key):
            yield key, number


def _without_bounds(condition: Truth, unknowns: Mapping[Hashable, Integer]) -> Truth:
    """Return a condition about unknowns without the bounds that assertions add to them."""
    bounded = {leaf.key: canonical(leaf.key) for leaf in condition.leaves}
    replaced = {key: unknowns[plain] for key, plain in bounded.items() if key != plain and plain in unknowns}
    return shapes.substitute(condition, replaced) if replaced else condition


def _conjuncts(condition: Truth) -> Iterator[Truth]:
    """Yield the conditions that all have to hold: each may need another pair to be equal."""
    if isinstance(condition, Junction) and condition.conjunction:
        yield from condition.operands
    else:
        yield condition


def _needed_number(condition: Truth, key: Hashable, others: Sequence[Hashable]) -> int | None:
    """Return the one number that an extent has to be whatever the others are; 1 counts only if nothing stretches it."""
    primes = dict(zip(others, _PRIMES, strict=False))
    if any(_decided(condition, {**primes, key: prime}) is not FALSE for prime in _LARGE_PRIMES):
        return None
    tried = range(1, GREATEST_NEEDED_NUMBER + 1)
    allowed = [number for number in tried if _decided(condition, {**primes, key: number}) is TRUE]
    numbers = [each for each in allowed if each != 1] or allowed
    more = dict(zip(others, _LARGE_PRIMES, strict=False))
    needed = [each for each in numbers if _decided(condition, {**more, key: each}) is TRUE]
    return needed[0] if len(numbers) == len(needed) == 1 else None


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
