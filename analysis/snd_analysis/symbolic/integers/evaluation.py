"""Integers and conditions with values, or other integers, for their variables."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from typing import overload

from snd_analysis.symbolic.integers.atoms import Atom, Indicator, Product, Variable
from snd_analysis.symbolic.integers.integer import Integer
from snd_analysis.symbolic.integers.operations import Absolute, Extremum, Function, Power, Quotient, Sign
from snd_analysis.symbolic.integers.quotients import is_too_large
from snd_analysis.symbolic.integers.spelling import (
    FAILURES,
    DivisionByZero,
    NegativeExponent,
    indicators,
    statement_of,
    where,
)
from snd_analysis.symbolic.integers.substitution import each
from snd_analysis.symbolic.integers.truth import AtLeastZero, IsZero, Junction, KnownTruth, Proposition, Truth
from snd_analysis.symbolic.limits import MOST_BITS


def variables(a: Integer | Truth) -> frozenset[Hashable]:
    """Return the keys of all variables, folds and propositions, at any depth."""
    return frozenset(leaf.key for leaf in a.leaves)


@overload
def evaluate(
    a: Integer, values: Mapping[Hashable, int], functions: Mapping[str, Callable[..., int]] | None = None
) -> int: ...
@overload
def evaluate(
    a: Truth, values: Mapping[Hashable, int], functions: Mapping[str, Callable[..., int]] | None = None
) -> bool: ...
def evaluate(
    a: Integer | Truth, values: Mapping[Hashable, int], functions: Mapping[str, Callable[..., int]] | None = None
) -> int | bool:
    """Return the value for the given values of variables by key (bools for propositions), and functions by name.

    Raise KeyError for missing values, DivisionByZero or NegativeExponent if there is no value, and OverflowError for
    powers and products of more than 8,192 bits.
    """
    evaluation = _Evaluation(values, functions or {})
    return evaluation.integer(a) if isinstance(a, Integer) else evaluation.truth(a)


class _Evaluation:
    """One evaluation, every operation being evaluated once."""

    def __init__(self, values: Mapping[Hashable, int], functions: Mapping[str, Callable[..., int]]) -> None:
        self._values = values
        self._functions = functions
        self._known: dict[Atom, int] = {}

    def integer(self, a: Integer) -> int:
        for condition in indicators(a):
            # A condition of a branch that is not chosen need not have a value either.
            try:
                holds = self.truth(statement_of(condition))
            except FAILURES:
                continue
            a = where(a, condition, holds)
        total = 0
        for monomial, coefficient in a.terms.items():
            for atom, exponent in monomial:
                coefficient = _limited(coefficient * _power(self._atom(atom), exponent))
            total += coefficient
        return total

    def _atom(self, atom: Atom) -> int:
        known = self._known.get(atom)
        if known is None:
            known = self._known[atom] = self._compute(atom)
        return known

    def _compute(self, atom: Atom) -> int:
        match atom:
            case Variable():
                return int(self._values[atom.leaf.key])
            case Quotient(parts=(dividend, divisor)):
                numerator, denominator = self.integer(dividend), self.integer(divisor)
                if denominator == 0:
                    raise DivisionByZero
                return numerator // denominator
            case Power(parts=(base, exponent)):
                return _power(self.integer(base), self.integer(exponent))
            case Extremum():
                values = [self.integer(candidate) for candidate in atom.candidates]
                return max(values) if atom.largest else min(values)
            case Absolute(parts=(inner,)):
                return abs(self.integer(inner))
            case Sign(parts=(inner,)):
                value = self.integer(inner)
                return (value > 0) - (value < 0)
            case Product(parts=(left, right)):
                return _limited(self.integer(left) * self.integer(right))
            case Indicator():
                return int(self.truth(statement_of(atom)))
            case Function():
                return int(self._functions[atom.name](*map(self.integer, atom.arguments)))
        raise TypeError(f"{type(atom).__name__} is no operation")

    def truth(self, a: Truth) -> bool:
        match a:
            case KnownTruth(parts=(value,)):
                return value
            case Proposition(parts=(leaf, positive)):
                return bool(self._values[leaf.key]) is positive
            case AtLeastZero(parts=(subject, positive)):
                return (self.integer(subject) >= 0) is positive
            case IsZero(parts=(subject, positive)):
                return (self.integer(subject) == 0) is positive
            case Junction():
                values, failure = each(self.truth, a.operands)
                deciding = not a.conjunction
                if failure is not None and deciding not in values:
                    raise failure
                return deciding if deciding in values else a.conjunction
        raise TypeError(f"{type(a).__name__} is no condition")


def _limited(number: int) -> int:
    if number.bit_length() > MOST_BITS:
        raise OverflowError("this product has too many digits")
    return number


def _power(base: int, exponent: int) -> int:
    if exponent < 0:
        raise NegativeExponent
    if is_too_large(base, exponent):
        raise OverflowError("this power has too many digits")
    return base if exponent == 1 else int(base**exponent)
