"""Integers and conditions with values, or other integers, for their variables."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import replace
from typing import TypeVar, overload

from snd_analysis.symbolic.integers.atoms import Atom, Indicator, Product, Variable
from snd_analysis.symbolic.integers.bounds import bounds
from snd_analysis.symbolic.integers.cases import indicators, statement_of, where
from snd_analysis.symbolic.integers.comparison import compare
from snd_analysis.symbolic.integers.division import floor_divide
from snd_analysis.symbolic.integers.errors import DivisionByZero, NegativeExponent
from snd_analysis.symbolic.integers.extremes import absolute, maximum, minimum, sign
from snd_analysis.symbolic.integers.integer import ONE, ZERO, Integer, as_integer, of_atom, of_operation
from snd_analysis.symbolic.integers.intervals import MOST_BITS
from snd_analysis.symbolic.integers.operations import Absolute, Extremum, Function, Power, Quotient, Sign
from snd_analysis.symbolic.integers.powers import is_too_large, power
from snd_analysis.symbolic.integers.truth import (
    TRUE,
    AtLeastZero,
    IsZero,
    Junction,
    Known,
    Proposition,
    Truth,
    and_,
    indicator,
    not_,
    or_,
    truth,
)

_FAILURES = (DivisionByZero, NegativeExponent)


def variables(a: Integer | Truth) -> frozenset[Hashable]:
    """The keys of all variables, folds and propositions, at any depth."""
    return frozenset(leaf.key for leaf in a.leaves)


@overload
def substitute(a: Integer, values: Mapping[Hashable, Integer | Truth | int]) -> Integer: ...
@overload
def substitute(a: Truth, values: Mapping[Hashable, Integer | Truth | int]) -> Truth: ...
def substitute(a: Integer | Truth, values: Mapping[Hashable, Integer | Truth | int]) -> Integer | Truth:
    """The integer or condition with others in place of variables, by key, simplified again.

    Propositions take conditions (or bools). What is put in place of a variable must be within its bounds.
    Raises DivisionByZero or NegativeExponent if an operation that is not behind a false condition has no value.
    """
    if not isinstance(a, Integer):
        return _Substitution(values).truth(a)
    if a.variable is None:
        return _Substitution(values).integer(a)
    value = values.get(a.variable.key, a)
    assert isinstance(value, Integer | int)
    return as_integer(value)


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
    """The value, given those of all variables by key (bools for propositions), and functions by name.

    Raises KeyError for what is not given, DivisionByZero or NegativeExponent if there is no value, and OverflowError
    for powers and products of more than 8,192 bits.
    """
    evaluation = _Evaluation(values, functions or {})
    return evaluation.integer(a) if isinstance(a, Integer) else evaluation.truth(a)


def upper_bound(a: Integer, values: Mapping[Hashable, int]) -> int | None:
    """The greatest value if the variables of these keys are at most as large (2.6.1, 3.1); None if there is none."""
    narrowed: dict[Hashable, Integer | Truth | int] = {}
    for leaf in a.leaves:
        if leaf.key in values:
            most = values[leaf.key]
            high = most if leaf.high is None else min(leaf.high, most)
            narrowed[leaf.key] = of_atom(Variable(replace(leaf, high=high))) if leaf.low != high else high
    return bounds(substitute(a, narrowed))[1]


class _Substitution:
    """One substitution, every part of an expression being rebuilt once."""

    def __init__(self, values: Mapping[Hashable, Integer | Truth | int]) -> None:
        self._values = values
        self._rebuilt: dict[Atom, Integer] = {}

    def _touches(self, a: Integer | Truth | Atom) -> bool:
        for leaf in a.leaves:  # noqa: SIM110 - a generator would take twice the time
            if leaf.key in self._values:
                return True
        return False

    def integer(self, a: Integer) -> Integer:
        if not self._touches(a):
            return a
        a = self._with_decided_conditions(a)
        result = ZERO
        for monomial, coefficient in a.terms.items():
            product = ONE
            for atom, exponent in monomial:
                base = self._atom(atom)
                factor = base if exponent == 1 else power(base, exponent)
                product = factor if product is ONE else product * factor
            result = result + product.scaled(coefficient)
        return result

    def _with_decided_conditions(self, a: Integer) -> Integer:
        """Drops the branches that are not chosen: they need not have a value."""
        for atom in indicators(a):
            try:
                decided = self.truth(statement_of(atom))
            except _FAILURES:
                continue
            if isinstance(decided, Known):
                a = where(a, atom, decided is TRUE)
        return a

    def _atom(self, atom: Atom) -> Integer:
        known = self._rebuilt.get(atom)
        if known is None:
            known = self._rebuilt[atom] = self._rebuild(atom) if self._touches(atom) else of_atom(atom)
        return known

    def _rebuild(self, atom: Atom) -> Integer:
        match atom:
            case Variable():
                value = self._values[atom.leaf.key]
                assert isinstance(value, Integer | int)
                return as_integer(value)
            case Quotient(parts=(dividend, divisor)):
                return floor_divide(self.integer(dividend), self.integer(divisor))
            case Power(parts=(base, exponent)):
                return power(self.integer(base), self.integer(exponent))
            case Extremum():
                candidates = [self.integer(candidate) for candidate in atom.candidates]
                return maximum(*candidates) if atom.largest else minimum(*candidates)
            case Absolute(parts=(inner,)):
                return absolute(self.integer(inner))
            case Sign(parts=(inner,)):
                return sign(self.integer(inner))
            case Product(parts=(left, right)):
                return self.integer(left) * self.integer(right)  # type: ignore[arg-type]
            case Indicator():
                return indicator(self.truth(statement_of(atom)))
            case Function():
                arguments = [self.integer(argument) for argument in atom.arguments]
                return of_operation(Function(atom.name, atom.minimum, *arguments))
        raise TypeError(f"{type(atom).__name__} is no operation")

    def truth(self, a: Truth) -> Truth:
        if not self._touches(a):
            return a
        match a:
            case Proposition(parts=(leaf, positive)):
                value = self._values[leaf.key]
                known = value if isinstance(value, Truth) else truth(bool(value))
                return known if positive else not_(known)
            case AtLeastZero(parts=(subject, positive)):
                return compare(">=" if positive else "<", self.integer(subject), 0)
            case IsZero(parts=(subject, positive)):
                return compare("==" if positive else "!=", self.integer(subject), 0)
            case Junction():
                return self._junction(a)
        raise TypeError(f"{type(a).__name__} is no condition")

    def _junction(self, a: Junction) -> Truth:
        deciding = truth(not a.conjunction)
        operands, failure = _each(self.truth, a.operands)
        if failure is not None and not any(operand is deciding for operand in operands):
            raise failure
        return and_(*operands) if a.conjunction else or_(*operands)


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
            except _FAILURES:
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
                return _limited(self.integer(left) * self.integer(right))  # type: ignore[arg-type]
            case Indicator():
                return int(self.truth(statement_of(atom)))
            case Function():
                return int(self._functions[atom.name](*map(self.integer, atom.arguments)))
        raise TypeError(f"{type(atom).__name__} is no operation")

    def truth(self, a: Truth) -> bool:
        match a:
            case Known(parts=(value,)):
                return value
            case Proposition(parts=(leaf, positive)):
                return bool(self._values[leaf.key]) is positive
            case AtLeastZero(parts=(subject, positive)):
                return (self.integer(subject) >= 0) is positive
            case IsZero(parts=(subject, positive)):
                return (self.integer(subject) == 0) is positive
            case Junction():
                values, failure = _each(self.truth, a.operands)
                deciding = not a.conjunction
                if failure is not None and deciding not in values:
                    raise failure
                return deciding if deciding in values else a.conjunction
        raise TypeError(f"{type(a).__name__} is no condition")


_T = TypeVar("_T")


def _each(function: Callable[[Truth], _T], operands: Iterable[Truth]) -> tuple[list[_T], ArithmeticError | None]:
    """The results for those operands that have one, and why another has none."""
    results, failure = [], None
    for operand in operands:
        try:
            results.append(function(operand))
        except _FAILURES as problem:
            failure = problem
    return results, failure


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
