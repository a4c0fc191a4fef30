"""Sound bounds of integers: interval arithmetic, made tighter where parts of a sum depend on each other."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Final

from msgspec.structs import replace

from snd_analysis.symbolic import intervals
from snd_analysis.symbolic.integers.atoms import Atom, Indicator, Leaf, Product, Variable
from snd_analysis.symbolic.integers.facts import Facts, at_most, equal_to, facts_of
from snd_analysis.symbolic.integers.integer import UNIT, Integer, Monomial, constant, multiply_monomials, of_atom
from snd_analysis.symbolic.integers.operations import Absolute, Extremum, Function, Power, Quotient, Sign
from snd_analysis.symbolic.integers.spelling import DivisionByZero, NegativeExponent, indicators, statement_of, where
from snd_analysis.symbolic.integers.substitution import substitute
from snd_analysis.symbolic.integers.truth import AtLeastZero, AtomicCondition, IsZero
from snd_analysis.symbolic.intervals import EVERYTHING, Interval
from snd_analysis.symbolic.limits import MOST_BITS, MOST_CASE_CONDITIONS, MOST_REMEMBERED_BOUNDS, MOST_REPLACEMENTS


# ---- case analysis of an integer that depends on conditions; each case narrows the variables in its condition --------
def cases(a: Integer) -> list[Integer]:
    """Return the values of the integer if one of its conditions holds and if not.

    Cases that cannot occur are left out. Empty if there are no conditions, or too many.
    """
    found = indicators(a)
    if not found or len(found) > MOST_CASE_CONDITIONS:
        return []
    first = found[0]
    results = []
    for holds in (True, False):
        case = where(a, first, holds)
        assumption = statement_of(first) if holds else statement_of(first).negated()
        refined = assume(case, assumption)
        if refined is not None:
            results.append(refined)
    return results


def assume(a: Integer, statement: AtomicCondition) -> Integer | None:
    """Return the integer with the variable in the statement narrowed; None if the statement cannot be true."""
    known = _single_variable(statement)
    if known is None:
        return a
    leaf, factor, offset = known
    low, high = _narrowed(leaf, factor, offset, statement)
    if low is not None and high is not None and low > high:
        return None
    if leaf not in a.leaves or (low, high) == (leaf.low, leaf.high):
        return a
    if low is not None and low == high:
        narrowed = constant(low)
    else:
        narrowed = of_atom(Variable(replace(leaf, low=low, high=high)))
    try:
        return substitute(a, {leaf.key: narrowed})
    except (DivisionByZero, NegativeExponent):
        return a


def _single_variable(statement: AtomicCondition) -> tuple[Leaf, int, int] | None:
    """Return the variable, factor and offset of a comparison of ``factor * variable + offset`` with zero."""
    subject = statement.parts[0]
    if not isinstance(subject, Integer):
        return None
    monomials = [monomial for monomial in subject.terms if monomial]
    if len(monomials) != 1 or len(monomials[0]) != 1:
        return None
    atom, exponent = monomials[0][0]
    if exponent != 1 or not isinstance(atom, Variable):
        return None
    return atom.leaf, subject.terms[monomials[0]], subject.constant_term


def _narrowed(leaf: Leaf, factor: int, offset: int, statement: AtomicCondition) -> tuple[int | None, int | None]:
    low, high = leaf.low, leaf.high
    if isinstance(statement, AtLeastZero):
        if not statement.positive:
            factor, offset = -factor, -offset - 1
        if factor > 0:
            least = -(offset // factor)
            return (least if low is None else max(low, least)), high
        most = offset // -factor
        return low, (most if high is None else min(high, most))
    assert isinstance(statement, IsZero)
    value, rest = divmod(-offset, factor)
    if statement.positive:
        outside = rest or (low is not None and value < low) or (high is not None and value > high)
        return (1, 0) if outside else (value, value)
    if rest:
        return low, high
    return (value + 1 if low == value else low), (value - 1 if high == value else high)


INT_MIN: Final = -(1 << 63)
"""The least int that a tensor holds."""
INT_MAX: Final = (1 << 63) - 1
"""The greatest int that a tensor holds."""


# ---- sound bounds of integers ----------------------------------------------------------------------------------------
def bounds(a: Integer) -> Interval:
    """Return the least and greatest value, None where there is no bound or none was found.

    Every value that the integer has, within the bounds of its variables, lies between. Exact for sums and products of
    different non-negative variables, and their quotients, minima and maxima.
    """
    if a._bounds is None:
        a._bounds = _bounds(a, _replacements(a))
        facts = None if _is_one_unknown(a.terms) else facts_of(a.leaves)
        if facts is not None:
            a._bounds = intervals.intersection(a._bounds, _by_facts(a, facts))
    return a._bounds


def is_wide(value: object) -> bool:
    """Return whether a value is a known int of more than 64 bits."""
    return isinstance(value, Integer) and value.value is not None and not INT_MIN <= value.value <= INT_MAX


def is_negative(a: Integer) -> bool:
    """Return whether an integer is certainly below zero."""
    high = bounds(a)[1]
    return high is not None and high < 0


def _replacements(a: Integer) -> int:
    return next((number for most, number in MOST_REPLACEMENTS if len(a.terms) <= most), 0)


def _is_one_unknown(terms: Mapping[Monomial, int]) -> bool:
    """Return whether bounds alone say all that is known: nothing else is asserted of a single unknown."""
    return _has_one_term(terms) and all(len(monomial) < 2 for monomial in terms)


def _by_facts(a: Integer, facts: Facts) -> Interval:
    """Return the bounds that follow from assertions about the unknowns."""
    equal = equal_to(a, facts)
    low, high = _bounds(equal, _replacements(equal))
    for lower in at_most(equal, facts):
        low = _greatest(low, _bounds(lower, 0)[0])
    for lower in at_most(-equal, facts):
        most = _greatest(None if high is None else -high, _bounds(lower, 0)[0])
        high = None if most is None else -most
    return low, high


def _greatest(one: int | None, other: int | None) -> int | None:
    return one if other is None else other if one is None else max(one, other)


def _bounds(a: Integer, replacements: int) -> Interval:
    number = a.value
    if number is not None:
        return number, number
    if _has_one_term(a.terms) and not a.is_conditional:
        return _term_by_term(a.terms)
    return _of_sum(tuple(a.terms.items()), a.leaves, replacements)


def _has_one_term(terms: Mapping[Monomial, int]) -> bool:
    """Return whether there is exactly one term besides a constant."""
    return len(terms) == 1 or (len(terms) == 2 and UNIT in terms)


def _term_by_term(terms: Mapping[Monomial, int]) -> Interval:
    result: Interval = (0, 0)
    for monomial, coefficient in terms.items():
        result = intervals.add(result, intervals.scale(monomial_bounds(monomial), coefficient))
    return result


@lru_cache(MOST_REMEMBERED_BOUNDS)
def _of_sum(terms_in_order: tuple[tuple[Monomial, int], ...], leaves: frozenset[Leaf], replacements: int) -> Interval:
    """Return the bounds of a sum that is not a number.

    Variables are equal by their keys; ``leaves`` has their bounds.
    """
    terms = dict(terms_in_order)
    a = Integer(terms)
    result = _term_by_term(terms)
    split = cases(a)
    if split:
        return intervals.intersection(result, intervals.union([_bounds(case, replacements) for case in split]))
    if _has_one_term(terms):
        return result
    if None in result and any(len(monomial) > 1 or (monomial and monomial[0][1] > 1) for monomial in terms):
        result = intervals.intersection(result, _from_origin(a))
    if replacements:
        for relaxed in _relaxations(a, replacements - 1):
            result = intervals.intersection(result, relaxed)
    return result


def monomial_bounds(monomial: Monomial) -> Interval:
    """Return the bounds of a product of atoms."""
    result: Interval = (1, 1)
    for atom, exponent in monomial:
        result = intervals.multiply(result, intervals.power(atom_bounds(atom), exponent))
    return result


def atom_bounds(atom: Atom) -> Interval:
    """Return the bounds of one atom."""
    if atom.interval is None:
        atom.interval = _operation_bounds(atom)
    return atom.interval


def _operation_bounds(atom: Atom) -> Interval:
    match atom:
        case Quotient(parts=(dividend, divisor)):
            return intervals.floor_divide(bounds(dividend), bounds(divisor))
        case Power(parts=(base, exponent)):
            return intervals.power_of_intervals(bounds(base), bounds(exponent))
        case Extremum():
            extremum = intervals.maximum if atom.largest else intervals.minimum
            return extremum([bounds(candidate) for candidate in atom.candidates])
        case Absolute(parts=(inner,)):
            return intervals.absolute(bounds(inner))
        case Sign(parts=(inner,)):
            return intervals.sign(bounds(inner))
        case Product(parts=(left, right)):
            assert isinstance(left, Integer)
            assert isinstance(right, Integer)
            return intervals.multiply(bounds(left), bounds(right))
        case Indicator():
            return 0, 1
        case Function():
            return atom.minimum, None
    return EVERYTHING


def _from_origin(a: Integer) -> Interval:
    """Return bounds of a polynomial whose atoms are written as their least (or greatest) value and a distance from it.

    If no coefficient is negative then, all distances being non-negative, the constant term is the least value.
    """
    terms: dict[Monomial, int] = {}
    for monomial, coefficient in a.terms.items():
        expanded = {UNIT: coefficient}
        for atom, exponent in monomial:
            origin, direction = _origin(atom)
            if origin is None:
                return EVERYTHING
            for _ in range(exponent):
                expanded = _times_distance(expanded, atom, origin, direction)
                if len(expanded) > 64 or any(factor.bit_length() > MOST_BITS for factor in expanded.values()):
                    return EVERYTHING
        for product, factor in expanded.items():
            terms[product] = terms.get(product, 0) + factor
    start = terms.pop(UNIT, 0)
    low = start if all(coefficient >= 0 for coefficient in terms.values()) else None
    high = start if all(coefficient <= 0 for coefficient in terms.values()) else None
    return low, high


def _origin(atom: Atom) -> tuple[int | None, int]:
    low, high = atom_bounds(atom)
    return (low, 1) if low is not None else (high, -1)


def _times_distance(terms: dict[Monomial, int], atom: Atom, origin: int, direction: int) -> dict[Monomial, int]:
    """Return ``terms * (origin + direction * distance)``, the atom standing for its distance."""
    result = {monomial: coefficient * origin for monomial, coefficient in terms.items()}
    for monomial, coefficient in terms.items():
        product = multiply_monomials(monomial, ((atom, 1),))
        result[product] = result.get(product, 0) + coefficient * direction
    return result


def _relaxations(a: Integer, replacements: int) -> list[Interval]:
    """Return bounds of the sum with one atom replaced by something that bounds it, so that other terms may cancel."""
    candidates = [atom for atom in a.atoms() if isinstance(atom, Quotient | Extremum)]
    # Outer operations first: their parts may cancel the rest.
    candidates.sort(key=lambda atom: -atom.depth)
    found = []
    for atom in candidates[:3]:
        factor, rest = _collect(a, atom)
        if factor is None:
            continue
        if isinstance(atom, Quotient):
            found.append(_without_quotient(atom, factor, rest, replacements))
        elif (number := factor.value) is not None:
            assert isinstance(atom, Extremum)
            found.append(_without_extremum(atom, number, rest, replacements))
    return found


def _collect(a: Integer, atom: Atom) -> tuple[Integer | None, Integer]:
    """Return ``factor * atom + rest``; a factor of None if the atom occurs in a higher power."""
    factor: dict[Monomial, int] = {}
    rest: dict[Monomial, int] = {}
    for monomial, coefficient in a.terms.items():
        exponent = next((exponent for other, exponent in monomial if other == atom), 0)
        if exponent > 1:
            return None, a
        if exponent:
            factor[tuple(pair for pair in monomial if pair[0] != atom)] = coefficient
        else:
            rest[monomial] = coefficient
    return Integer(factor), Integer(rest)


def _without_quotient(quotient: Quotient, factor: Integer, rest: Integer, replacements: int) -> Interval:
    """Bound a term by ``divisor * quotient == dividend - remainder``, the remainder being in ``0 .. divisor - 1``."""
    dividend, divisor = quotient.parts
    number, times = divisor.value, factor.value
    if number is not None and times is not None:
        # number * a == times * (dividend - remainder) + number * rest
        whole = _bounds(dividend.scaled(times) + rest.scaled(number), replacements)
        low, high = intervals.add(whole, intervals.scale((0, number - 1), -times))
        return (None if low is None else -(-low // number)), (None if high is None else high // number)
    times = _multiple(factor, divisor)
    least = bounds(divisor)[0]
    if times is None or least is None or least < 1:
        return EVERYTHING
    # a == times * (dividend - remainder) + rest
    without_remainder = dividend.scaled(times) + rest
    with_remainder = without_remainder - (divisor - 1).scaled(times)
    lower, upper = (with_remainder, without_remainder) if times > 0 else (without_remainder, with_remainder)
    return _bounds(lower, replacements)[0], _bounds(upper, replacements)[1]


def _multiple(a: Integer, template: Integer) -> int | None:
    """Return the number k with ``a == k * unit``."""
    monomial, coefficient = next(iter(template.terms.items()))
    times, rest = divmod(a.terms.get(monomial, 0), coefficient)
    return times if times and not rest and template.scaled(times) == a else None


def _without_extremum(extremum: Extremum, times: int, rest: Integer, replacements: int) -> Interval:
    """Return the interval of ``k * max(a, b) + c`` as ``max(k * a + c, k * b + c)``, a minimum if k is negative."""
    sums = [_bounds(candidate.scaled(times) + rest, replacements) for candidate in extremum.candidates]
    return intervals.maximum(sums) if extremum.largest == (times > 0) else intervals.minimum(sums)
