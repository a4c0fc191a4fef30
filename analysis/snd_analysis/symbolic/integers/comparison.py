"""Comparisons of integers, decided where that is possible; and the choice between integers by a condition."""

from __future__ import annotations

import operator
from collections.abc import Callable, Hashable, Mapping
from enum import Enum
from math import gcd
from typing import Final, Literal, TypeAlias, overload

from snd_analysis.symbolic import intervals
from snd_analysis.symbolic.integers.atoms import Atom, Indicator, Product, Variable
from snd_analysis.symbolic.integers.bounds import bounds, cases
from snd_analysis.symbolic.integers.division import is_nonzero, prefers_sign
from snd_analysis.symbolic.integers.extremes import is_too_large
from snd_analysis.symbolic.integers.integer import UNIT, Integer, Monomial, as_integer, of_atom, opaque
from snd_analysis.symbolic.integers.operations import Absolute, Extremum, Function, Power, Quotient, Sign, simplifies
from snd_analysis.symbolic.integers.spelling import (
    FAILURES,
    DivisionByZero,
    NegativeExponent,
    indicators,
    statement_of,
    where,
)
from snd_analysis.symbolic.integers.substitution import each
from snd_analysis.symbolic.integers.truth import (
    FALSE,
    TRUE,
    AtLeastZero,
    IsZero,
    Junction,
    KnownTruth,
    Proposition,
    Truth,
    and_,
    indicator,
    not_,
    or_,
    truth,
)
from snd_analysis.symbolic.limits import MOST_BITS, MOST_CONDITIONS

Relation: TypeAlias = Literal["<", "<=", ">", ">=", "==", "!="]
_HOLDS: Final[Mapping[Relation, Callable[[int, int], bool]]] = {
    "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge, "==": operator.eq, "!=": operator.ne,
}  # fmt: skip


class EqualityVerdict(Enum):
    """The decided equality of two integers, for all values of their variables within bounds."""

    EQUAL = "equal"
    DIFFERENT = "different"
    UNKNOWN = "unknown"


def decide_equal(a: Integer | int, b: Integer | int) -> EqualityVerdict:
    """Return EQUAL if the integers are always the same, DIFFERENT if never, else UNKNOWN."""
    if a is b:
        return EqualityVerdict.EQUAL
    first, second = as_integer(a), as_integer(b)
    x, y = first.value, second.value
    if x is not None and y is not None:
        return EqualityVerdict.EQUAL if x == y else EqualityVerdict.DIFFERENT
    return _decide_zero(first - second)


def _decide_zero(difference: Integer) -> EqualityVerdict:
    number = difference.value
    if number is not None:
        return EqualityVerdict.DIFFERENT if number else EqualityVerdict.EQUAL
    low, high = bounds(difference)
    if low == 0 and high == 0:
        return EqualityVerdict.EQUAL
    if is_nonzero(difference) or _is_product_of_nonzero(difference):
        return EqualityVerdict.DIFFERENT
    verdicts = {_decide_zero(case) for case in cases(difference)}
    return verdicts.pop() if len(verdicts) == 1 else EqualityVerdict.UNKNOWN


def _is_product_of_nonzero(a: Integer) -> bool:
    """Return whether ``a`` is the product of a nonzero monomial and a nonzero rest."""
    common = set.intersection(*({atom for atom, _ in monomial} for monomial in a.terms))
    if not common or not all(is_nonzero(of_atom(atom)) for atom in common):
        return False
    rest: dict[Monomial, int] = {_lowered(monomial, common): coefficient for monomial, coefficient in a.terms.items()}
    return _decide_zero(Integer(rest)) is EqualityVerdict.DIFFERENT


def _lowered(monomial: Monomial, atoms: set[Atom]) -> Monomial:
    """Return the monomial divided once by each of the atoms."""
    pairs = ((atom, exponent - (atom in atoms)) for atom, exponent in monomial)
    return tuple((atom, exponent) for atom, exponent in pairs if exponent)


def compare(relation: Relation, a: Integer | int, b: Integer | int) -> Truth:
    """Return ``a relation b``: TRUE or FALSE if it holds for all or no values, else a comparison with zero."""
    difference = as_integer(a) - as_integer(b)
    number = difference.value
    if number is not None:
        return truth(_HOLDS[relation](number, 0))
    match relation:
        case "==":
            return _is_zero(difference)
        case "!=":
            return not_(_is_zero(difference))
        case ">=":
            return _at_least_zero(difference)
        case ">":
            return _at_least_zero(difference - 1)
        case "<=":
            return _at_least_zero(-difference)
        case "<":
            return _at_least_zero(-difference - 1)
    raise ValueError(f"{relation!r} is not a comparison")


@simplifies(IsZero)
def _zero_or_not(subject: Integer, positive: bool) -> Truth:
    return compare("==" if positive else "!=", subject, 0)


@simplifies(AtLeastZero)
def _at_least_zero_or_not(subject: Integer, positive: bool) -> Truth:
    return compare(">=" if positive else "<", subject, 0)


def _is_zero(a: Integer) -> Truth:
    verdict = _decide_zero(a)
    if verdict is not EqualityVerdict.UNKNOWN:
        return truth(verdict is EqualityVerdict.EQUAL)
    by_condition = _by_single_condition(a, lambda number: number == 0)
    if by_condition is not None:
        return by_condition
    reduced = a.divided_exactly(gcd(*a.terms.values()))
    return IsZero(reduced if prefers_sign(reduced) else -reduced, True)


def _at_least_zero(a: Integer) -> Truth:
    low, high = bounds(a)
    if low is not None and low >= 0:
        return TRUE
    if high is not None and high < 0:
        return FALSE
    by_condition = _by_single_condition(a, lambda number: number >= 0)
    if by_condition is not None:
        return by_condition
    content = a.content
    terms = {monomial: coefficient // content for monomial, coefficient in a.terms.items()}
    if terms.get(UNIT) == 0:
        del terms[UNIT]
    reduced = Integer(terms)
    return AtLeastZero(reduced, True) if prefers_sign(reduced) else AtLeastZero(-reduced - 1, False)


def _by_single_condition(a: Integer, test: Callable[[int], bool]) -> Truth | None:
    """Return the condition itself or its opposite, if the integer is a number in either case."""
    found = indicators(a)
    if len(found) != 1:
        return None
    numbers = where(a, found[0], True).value, where(a, found[0], False).value
    if numbers[0] is None or numbers[1] is None:
        return None
    statement = statement_of(found[0])
    return or_(
        and_(truth(test(numbers[0])), statement),
        and_(truth(test(numbers[1])), not_(statement)),
    )


def choose(condition: Truth, a: Integer | int, b: Integer | int) -> Integer:
    """Return ``condition ? a : b``, where the one not chosen need not have a value."""
    first, second = as_integer(a), as_integer(b)
    if condition is TRUE:
        return first
    if condition is FALSE:
        return second
    if condition == compare("==", first, second):
        return second  # of two that are equal where the first is chosen
    chosen = second + indicator(condition) * (first - second)
    if chosen.conditions <= MOST_CONDITIONS:
        return chosen
    low, high = intervals.union([bounds(first), bounds(second)])
    return opaque("…", low, (choose, condition, first, second), high)


# ---- integers and conditions with values, or other integers, for their variables -------------------------------------
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
