"""Integers as polynomials over unknowns, so that equal ones look alike.

A choice ``c ? a : b`` is an atom like an unknown; a product with one is a choice between products.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import reduce
from operator import mul
from typing import TypeAlias

from snd_analysis.proofs.goal import Expression, choose, number, question_of, total

Monomial: TypeAlias = "tuple[int, ...]"
"""The numbers of its atoms, in order; empty for a constant."""
Polynomial: TypeAlias = "Mapping[Monomial, int]"
"""The nonzero coefficient of each monomial."""

ZERO: Polynomial = {}
ONE: Polynomial = {(): 1}


def plus(first: Polynomial, second: Polynomial, factor: int = 1) -> Polynomial:
    """Return ``first + factor * second``."""
    found = dict(first)
    for monomial, coefficient in second.items():
        found[monomial] = found.get(monomial, 0) + factor * coefficient
        if not found[monomial]:
            del found[monomial]
    return found


class Polynomials:
    """Polynomials of expressions. Atoms are numbered: an unknown by itself, a choice below zero."""

    def __init__(self) -> None:
        self._known: dict[Expression, Polynomial] = {}
        self._atoms: dict[int, Expression] = {}
        self._choices: dict[object, int] = {}
        self._replaced: dict[int, Polynomial] = {}

    def of(self, integer: Expression) -> Polynomial:
        """Return the polynomial of an integer."""
        found = self._known.get(integer)
        if found is None:
            found = self._known[integer] = self._made(integer)
        return found

    def _made(self, integer: Expression) -> Polynomial:
        match integer.operation:
            case "constant":
                return {(): integer.value} if integer.value else ZERO
            case "unknown":
                self._atoms.setdefault(integer.value, integer)
                return self._replaced.get(integer.value, {(integer.value,): 1})
            case "+":
                return reduce(plus, map(self.of, integer.operands), ZERO)
            case "*":
                return reduce(self.times, map(self.of, integer.operands), ONE)
        # Choices with equal conditions and parts are one atom.
        key = question_of((integer,))
        atom = self._choices.setdefault((key[0], *key[1]), -1 - len(self._choices))
        self._atoms.setdefault(atom, integer)
        return {(atom,): 1}

    def times(self, first: Polynomial, second: Polynomial) -> Polynomial:
        """Return a product."""
        found: Polynomial = ZERO
        for one, a in first.items():
            for other, b in second.items():
                found = plus(found, self._product((*one, *other)), a * b)
        return found

    def _product(self, atoms: Monomial) -> Polynomial:
        choice = next((each for each in atoms if each < 0), None) if len(atoms) > 1 else None
        if choice is None:
            return {tuple(sorted(atoms)): 1}
        rest = list(atoms)
        rest.remove(choice)
        others = self.expression({tuple(sorted(rest)): 1})
        condition, first, second = self._atoms[choice].operands
        return self.of(choose(condition, first * others, second * others))

    def replace(self, atom: int, polynomial: Polynomial) -> None:
        """Replace an unknown by a polynomial in all later results."""
        self._replaced = {each: self._with(known, atom, polynomial) for each, known in self._replaced.items()} | {
            atom: polynomial
        }
        self._known.clear()

    def _with(self, polynomial: Polynomial, atom: int, replacement: Polynomial) -> Polynomial:
        found: Polynomial = ZERO
        for monomial, coefficient in polynomial.items():
            product: Polynomial = {(): coefficient}
            for each in monomial:
                product = self.times(product, replacement if each == atom else {(each,): 1})
            found = plus(found, product)
        return found

    def atom(self, at: int) -> Expression:
        """Return the expression of an atom."""
        return self._atoms[at]

    def expression(self, polynomial: Polynomial) -> Expression:
        """Return a polynomial as an expression, the same one for equal polynomials."""
        return total(
            reduce(mul, (self._atoms[atom] for atom in monomial), number(factor))
            for monomial, factor in sorted(polynomial.items())
        )


def divided(polynomials: Polynomials, dividend: Polynomial, divisor: Polynomial) -> tuple[Polynomial, Polynomial]:
    """Return ``a`` and ``b`` with ``dividend == a * divisor + b``, where ``b`` has as few terms as is found."""
    if divisor.keys() == {()}:
        by = divisor[()]
        whole = {each: value // by for each, value in dividend.items() if value // by}
        return whole, {each: value % by for each, value in dividend.items() if value % by}
    best: tuple[Polynomial, Polynomial] = (ZERO, dividend)
    for lead in sorted(divisor, key=len, reverse=True):
        if lead == ():
            continue
        taken, rest = _divided_by(polynomials, dividend, divisor, lead)
        if len(rest) < len(best[1]):
            best = taken, rest
    return best


def _divided_by(
    polynomials: Polynomials, dividend: Polynomial, divisor: Polynomial, lead: Monomial
) -> tuple[Polynomial, Polynomial]:
    taken, rest = ZERO, dividend
    for _ in range(2 * len(dividend)):
        step = next(_multiples(rest, lead, divisor[lead]), None)
        if step is None:
            break
        taken = plus(taken, step)
        rest = plus(rest, polynomials.times(step, divisor), -1)
    return taken, rest


def _multiples(dividend: Polynomial, lead: Monomial, factor: int) -> Iterator[Polynomial]:
    """Yield the quotients of terms that a monomial with a factor divides."""
    for monomial, coefficient in sorted(dividend.items(), reverse=True):
        if coefficient % factor == 0 and (rest := without(monomial, lead)) is not None:
            yield {rest: coefficient // factor}


def without(monomial: Monomial, atoms: Monomial) -> Monomial | None:
    """Return a monomial divided by another; None if it is not a multiple."""
    rest = list(monomial)
    for each in atoms:
        if each not in rest:
            return None
        rest.remove(each)
    return tuple(rest)
