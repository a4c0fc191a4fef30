"""Questions about products as questions without any: a second way to prove conditions on which z3 gives up.

Each product of unknowns becomes one unknown, and lemmas state the properties of products: if ``x < z`` and ``y > 0``,
then ``x * y + y <= z * y``. Mixed-radix arithmetic needs hardly more: ``i * w + j`` is below ``n * w`` where ``i < n``
and ``j < w``. Each lemma holds for all ints, and an unknown for a product only loses information: a question without a
solution here has none at all. Solutions found here prove nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from itertools import combinations
from math import gcd

from msgspec import Struct

from snd_analysis.proofs.goal import (
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
    made.substitute(_solved(conditions))
    found = [made.condition(each) for each in conditions]
    if not made.products:
        return None
    lemmas = list(made.lemmas())
    return Linearized(found, lemmas, {each.value: made.product(monomial) for monomial, each in made.products.items()})


def _solved(conditions: Sequence[Expression]) -> Iterator[Expression]:
    """Yield equalities of ints that hold if all conditions do."""
    pending, facts = list(reversed(conditions)), list[Expression]()
    while pending:
        each = pending.pop()
        if each.operation == "and":
            pending += reversed(each.operands)
        else:
            facts.append(each)
    positive = {fact.operands[0].operands[0].value for fact in facts if _is_positive(fact)}
    for fact in facts:
        left = [each for each in _alternatives(fact) if not _is_zero(each, positive)]
        if len(left) == 1 and left[0].operation == "==" and not left[0].operands[0].is_condition:
            yield left[0]


def _alternatives(fact: Expression) -> Iterator[Expression]:
    """Yield conditions; one of them holds if a fact does."""
    inner = fact.operands[0] if fact.operation == "not" else fact
    if fact.operation == "or":
        for each in fact.operands:
            yield from _alternatives(each)
    elif fact.operation == "not" and inner.operation == "and":
        for each in inner.operands:
            yield from _alternatives(negation(each))
    else:
        yield fact


def _is_positive(fact: Expression) -> bool:
    """Return whether a fact is that an unknown is greater than zero or more."""
    if fact.operation != "not" or fact.operands[0].operation != "<=":
        return False
    first, second = fact.operands[0].operands
    return first.operation == "unknown" and second.operation == "constant" and second.value >= 0


def _is_zero(condition: Expression, positive: Set[int]) -> bool:
    """Return whether a condition is that a product of positive unknowns is zero."""
    if condition.operation != "==" or condition.operands[0].is_condition:
        return False
    product, zero = condition.operands
    pending = [product]
    while pending:
        each = pending.pop()
        if each.operation == "*":
            pending += each.operands
        elif not (each.operation == "constant" and each.value > 0) and not (
            each.operation == "unknown" and each.value in positive
        ):
            return False
    return zero.operation == "constant" and zero.value == 0


class _Linear:
    def __init__(self) -> None:
        self._polynomials = Polynomials()
        self.products: dict[Monomial, Expression] = {}
        self._pairs: list[_Pair] = []
        self._seen: set[Expression] = set()
        self._conditions: dict[Expression, Expression] = {}

    def substitute(self, solved: Iterable[Expression]) -> None:
        """Replace an unknown by an equal expression, for each equality: ``n`` by ``k * q`` where ``n - k * q == 0``."""
        for each in solved:
            difference = plus(self._polynomials.of(each.operands[0]), self._polynomials.of(each.operands[1]), -1)
            named = [atom for monomial in difference for atom in monomial]
            if min(named, default=-1) < 0:
                continue  # a choice may hide the unknown
            for monomial, coefficient in sorted(difference.items()):
                if len(monomial) == 1 and monomial[0] > 0 and abs(coefficient) == 1 and named.count(monomial[0]) == 1:
                    rest = {other: value for other, value in difference.items() if other != monomial}
                    self._polynomials.replace(monomial[0], plus(ZERO, rest, -coefficient))
                    break

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
            first, _ = integer.operands
            if first.operation == "*":
                # (x * y) * z is x by y * z, too: blocks of blocks are counted so.
                inner, by = map(self._polynomials.of, first.operands)
                self._pairs.append((inner, self._polynomials.times(by, other)))

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
        factors = {monomial for _, factor in self._pairs if len(factor) == 1 for monomial in factor}
        for monomial in [*self.products]:
            for divisor in sorted({*((atom,) for atom in monomial), *factors}):
                if left := without(monomial, divisor):
                    note({left: 1}, {divisor: 1})
        for key, cofactors in found.items():
            yield dict(key), [*cofactors.values()][:MOST_COFACTORS]
