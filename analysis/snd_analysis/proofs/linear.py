"""Questions about products as questions without any: a second way to prove conditions on which z3 gives up.

Each product of unknowns becomes one unknown, and lemmas state the properties of products: if ``x < z`` and ``y > 0``,
then ``x * y + y <= z * y``. Mixed-radix arithmetic needs hardly more: ``i * w + j`` is below ``n * w`` where ``i < n``
and ``j < w``. Each lemma holds for all ints, and an unknown for a product only loses information: a question without a
solution here has none at all. Solutions found here prove nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from math import gcd

from msgspec import Struct

from snd_analysis.proofs.expressions import (
    Expression,
    all_of,
    any_of,
    choose,
    equal,
    implies,
    negation,
    number,
    total,
    unknown,
)
from snd_analysis.proofs.limits import MOST_COFACTORS, MOST_LEMMAS
from snd_analysis.proofs.polynomials import ONE, ZERO, Monomial, Polynomial, Polynomials, plus, without

_Pair = tuple[Polynomial, Polynomial]


class Linearized(Struct, frozen=True):
    """Conditions without products, with the facts about the unknowns for products."""

    conditions: Sequence[Expression]
    lemmas: Sequence[Expression]
    products: Mapping[int, Expression]
    """Products by the numbers of their unknowns."""


def linearized(conditions: Sequence[Expression]) -> Linearized | None:
    """Return conditions without products, and lemmas about the products; None if there are no products."""
    made = _Linear()
    found = [made.condition(each) for each in conditions]
    if not made.products:
        return None
    lemmas = list(made.lemmas())
    return Linearized(found, lemmas, {each.value: made.product(monomial) for monomial, each in made.products.items()})


class _Linear:
    def __init__(self) -> None:
        self._polynomials = Polynomials()
        self.products: dict[Monomial, Expression] = {}
        self._pairs: list[_Pair] = []
        self._seen: set[Expression] = set()
        self._conditions: dict[Expression, Expression] = {}

    def product(self, monomial: Monomial) -> Expression:
        """Return a product as it was."""
        return self._polynomials.expression({monomial: 1})

    def condition(self, condition: Expression) -> Expression:
        """Return a condition in which each product is an unknown."""
        found = self._conditions.get(condition)
        if found is None:
            found = self._conditions[condition] = self._condition(condition)
        return found

    def _condition(self, condition: Expression) -> Expression:
        operands = condition.operands
        match condition.operation:
            case "<=":
                return self._integer(operands[1], operands[0]) >= 0
            case "==" if operands[0].is_condition:
                return equal(*map(self.condition, operands))
            case "==":
                return equal(self._integer(operands[0], operands[1]), 0)
            case "not":
                return negation(self.condition(operands[0]))
            case "and":
                return all_of(*map(self.condition, operands))
            case "or":
                return any_of(*map(self.condition, operands))
            case "choose":
                return choose(*map(self.condition, operands))
        return condition

    def _integer(self, first: Expression, second: Expression) -> Expression:
        """Return a difference in which each product is an unknown."""
        for each in (first, second):
            self._note_factors(each)
        of = self._polynomials.of
        return self._linear(plus(of(first), of(second), -1))

    def _note_factors(self, integer: Expression) -> None:
        if integer in self._seen or integer.is_condition:
            return
        self._seen.add(integer)
        for each in integer.operands:
            self._note_factors(each)
        if integer.operation == "*":
            one, other = map(self._polynomials.of, integer.operands)
            self._pairs += [(one, other), (other, one)]

    def _linear(self, polynomial: Polynomial) -> Expression:
        return total(self._monomial(each) * factor for each, factor in sorted(polynomial.items()))

    def _monomial(self, monomial: Monomial) -> Expression:
        if not monomial:
            return number(1)
        if len(monomial) == 1:
            return self._atom(monomial[0])
        if monomial not in self.products:
            # Below the numbers of all unknowns of a case, which count from 1.
            self.products[monomial] = unknown(-1 - len(self.products))
        return self.products[monomial]

    def _atom(self, at: int) -> Expression:
        atom = self._polynomials.atom(at)
        if atom.operation != "choose":
            return atom
        condition, first, second = atom.operands
        of = self._polynomials.of
        return choose(self.condition(condition), self._linear(of(first)), self._linear(of(second)))

    # ---- lemmas ------------------------------------------------------------------------------------------------------
    def lemmas(self) -> Iterator[Expression]:
        """Yield conditions about products that hold for all ints."""
        count = 0
        for factor, cofactors in self._factors():
            by = self._linear(factor)
            for one in cofactors:
                yield implies(equal(by, 0), equal(self._scaled(one, factor), 0))
            for one, other in combinations([ZERO, ONE, *cofactors], 2):
                if one is ZERO and other is ONE:
                    continue
                yield from self._ordered(one, other, factor, by)
                count += 1
                if count >= MOST_LEMMAS:
                    return

    def _ordered(self, one: Polynomial, other: Polynomial, factor: Polynomial, by: Expression) -> Iterator[Expression]:
        """Yield that products with a positive factor are ordered as their other factors, and at least that far apart.

        A difference of the other factors is an int ``d``: the products differ by ``d * factor``.
        """
        difference = plus(other, one, -1)
        apart, scaled = self._linear(difference), self._scaled(difference, factor)
        cases = [
            all_of(equal(apart, 0), equal(scaled, 0)),
            *(all_of(equal(apart * sign, 1), equal(scaled * sign, by)) for sign in (1, -1)),
            # Multiples that are even are two apart.
            *(all_of(apart * sign >= 2, scaled * sign >= by * 2) for sign in (1, -1)),
        ]
        yield implies(by > 0, any_of(*cases))

    def _scaled(self, polynomial: Polynomial, factor: Polynomial) -> Expression:
        return self._linear(self._polynomials.times(polynomial, factor))

    def _factors(self) -> Iterator[tuple[Polynomial, Sequence[Polynomial]]]:
        """Yield factors of products, each with its cofactors."""
        found: dict[tuple[tuple[Monomial, int], ...], dict[tuple[tuple[Monomial, int], ...], Polynomial]] = {}

        def note(cofactor: Polynomial, factor: Polynomial) -> None:
            content = gcd(*factor.values())
            if not content or max(map(len, factor)) == 0:
                return
            key = tuple(sorted((each, value // content) for each, value in factor.items()))
            scaled = {each: value * content for each, value in cofactor.items()}
            if max(map(len, scaled), default=0) > 0:
                found.setdefault(key, {}).setdefault(tuple(sorted(scaled.items())), scaled)

        for cofactor, factor in self._pairs:
            note(cofactor, factor)
            if len(factor) == 1:
                (monomial,) = factor
                for atom in sorted(set(monomial)) if len(monomial) > 1 else ():
                    rest = without(monomial, (atom,)) or ()
                    note(self._polynomials.times(cofactor, {rest: factor[monomial]}), {(atom,): 1})
        for monomial in [*self.products]:
            for atom in sorted(set(monomial)):
                note({without(monomial, (atom,)) or (): 1}, {(atom,): 1})
        for key, cofactors in found.items():
            yield dict(key), [*cofactors.values()][:MOST_COFACTORS]
