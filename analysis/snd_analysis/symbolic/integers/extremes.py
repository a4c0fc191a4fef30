"""Minimum, maximum, absolute value and sign."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from math import comb, gcd
from typing import TypeAlias

from snd_analysis.symbolic.integers.atoms import Atom, Indicator
from snd_analysis.symbolic.integers.bounds import bounds, monomial_bounds
from snd_analysis.symbolic.integers.division import prefers_sign
from snd_analysis.symbolic.integers.integer import (
    ONE,
    UNIT,
    ZERO,
    Integer,
    Monomial,
    as_integer,
    constant,
    multiply_monomials,
    of_atom,
    of_operation,
)
from snd_analysis.symbolic.integers.operations import Absolute, Extremum, Power, Quotient, Sign, simplifies
from snd_analysis.symbolic.integers.spelling import NegativeExponent
from snd_analysis.symbolic.limits import MOST_BITS, MOST_CANDIDATES, MOST_POWER_TERMS


def minimum(*candidates: Integer | int) -> Integer:
    """Return ``a <? b`` of at least one integer."""
    return _extremum(False, [as_integer(candidate) for candidate in candidates])


def maximum(*candidates: Integer | int) -> Integer:
    """Return ``a >? b`` of at least one integer."""
    return _extremum(True, [as_integer(candidate) for candidate in candidates])


@simplifies(Absolute)
def absolute(a: Integer | int) -> Integer:
    """Return ``abs(a)``."""
    a = as_integer(a)
    low, high = bounds(a)
    if low is not None and low >= 0:
        return a
    if high is not None and high <= 0:
        return -a
    common = gcd(*a.terms.values())
    reduced = a.divided_exactly(common)
    return of_operation(Absolute(reduced if prefers_sign(reduced) else -reduced)).scaled(common)


@simplifies(Sign)
def sign(a: Integer | int) -> Integer:
    """Return ``sign(a)``: -1, 0 or 1."""
    a = as_integer(a)
    low, high = bounds(a)
    if low is not None and low > 0:
        return ONE
    if high is not None and high < 0:
        return -ONE
    if low == 0 and high == 0:
        return ZERO
    reduced = a.divided_exactly(gcd(*a.terms.values()))
    if prefers_sign(reduced):
        return of_operation(Sign(reduced))
    return -of_operation(Sign(-reduced))


@simplifies(Extremum)
def _extremum(largest: bool, candidates: Collection[Integer]) -> Integer:
    if not candidates:
        raise ValueError("the minimum and maximum of nothing are not defined")
    kept = _undominated(largest, list(dict.fromkeys(_flat(largest, candidates))))
    if len(kept) == 1:
        return kept[0]
    shift = min(candidate.constant_term for candidate in kept if candidate.value is None)
    kept = [candidate - shift for candidate in kept]
    common = gcd(*(coefficient for candidate in kept for coefficient in candidate.terms.values()))
    if common > 1:
        kept = [candidate.divided_exactly(common) for candidate in kept]
    if not any(prefers_sign(candidate) for candidate in kept if candidate.value is None):
        opposite = Extremum(not largest, frozenset(-candidate for candidate in kept))
        return of_operation(opposite).scaled(-common) + shift
    return of_operation(Extremum(largest, frozenset(kept))).scaled(common) + shift


def _flat(largest: bool, candidates: Iterable[Integer]) -> list[Integer]:
    """Take minima among the candidates of a minimum apart."""
    flat: list[Integer] = []
    for candidate in candidates:
        inner = _single_extremum(candidate)
        if inner is not None and inner[0].largest == largest:
            flat.extend(item + inner[1] for item in inner[0].candidates)
        elif inner is None and (opposite := _single_extremum(-candidate)) and opposite[0].largest != largest:
            flat.extend(-item - opposite[1] for item in opposite[0].candidates)
        else:
            flat.append(candidate)
    return flat


def _single_extremum(a: Integer) -> tuple[Extremum, int] | None:
    """Return the operation and the number added, if the integer is nothing else."""
    offset = a.constant_term
    if len(a.terms) != 1 + bool(offset):
        return None
    monomial, coefficient = next(item for item in a.terms.items() if item[0])
    atom, exponent = monomial[0]
    if coefficient == 1 and len(monomial) == 1 and exponent == 1 and isinstance(atom, Extremum):
        return atom, offset
    return None


def _undominated(largest: bool, candidates: list[Integer]) -> list[Integer]:
    """Leave out candidates that can never be the extremum alone."""
    if len(candidates) > MOST_CANDIDATES:
        return candidates
    kept: list[Integer] = []
    for candidate in candidates:
        if any(_reaches(largest, other, candidate) for other in kept):
            continue
        kept = [other for other in kept if not _reaches(largest, candidate, other)]
        kept.append(candidate)
    return kept


def _reaches(largest: bool, a: Integer, b: Integer) -> bool:
    """Return whether a is certainly at least as extreme as b."""
    low = bounds(a - b if largest else b - a)[0]
    return low is not None and low >= 0


# ---- finds remainders and quotients rounded up in canonical sums, for printing: there they are several terms ---------
Division: TypeAlias = tuple[int, str, Integer, Integer]
"""``coefficient * (dividend operator divisor)``"""


def recognise(a: Integer, text: Callable[[Atom], str]) -> tuple[list[Division], Integer]:
    """Return divisions whose sum with the rest is the integer; divisions that need no recognition stay in the rest.

    Where terms could belong to several, the deepest comes first, then the first by its text.
    """
    found: list[Division] = []
    quotients = [atom for atom in a.atoms() if isinstance(atom, Quotient)]
    for atom in sorted(quotients, key=lambda atom: (-atom.depth, text(atom))):
        division = _remainder(a, atom) or _rounded_up(a, atom) or _with_terms_inside(a, atom)
        if division is not None:
            found.append(division[0])
            a = division[1]
    return found, a


def _remainder(a: Integer, quotient: Quotient) -> tuple[Division, Integer] | None:
    """Replace ``m * x - m * d * (x / d)`` by ``m * (x % d)``."""
    dividend, divisor = quotient.parts
    monomial, template = next(iter(divisor.terms.items()))
    coefficient = a.terms.get(multiply_monomials(monomial, ((quotient, 1),)), 0)
    if coefficient == 0 or coefficient % template:
        return None
    times = -coefficient // template
    rest = a - (dividend - divisor * of_atom(quotient)).scaled(times)
    return ((times, "%", dividend, divisor), rest) if len(rest.terms) < len(a.terms) else None


def _rounded_up(a: Integer, quotient: Quotient) -> tuple[Division, Integer] | None:
    dividend, divisor = quotient.parts
    coefficient = a.terms.get(((quotient, 1),), 0)
    if not coefficient:
        return None
    itself = of_atom(quotient)
    number = divisor.value
    if number == 2 and coefficient < 0:
        # x - x / 2
        rest = a + (dividend - itself).scaled(coefficient)
        return ((-coefficient, "\\", dividend, divisor), rest) if len(rest.terms) < len(a.terms) else None
    if number is not None:
        # (x + 2) / 3
        if dividend.constant_term != number - 1:
            return None
        return (coefficient, "\\", dividend - (number - 1), divisor), a - itself.scaled(coefficient)
    if coefficient < 0 and all(factor < 0 for factor in dividend.terms.values()):
        # -(-x / d)
        return (-coefficient, "\\", -dividend, divisor), a - itself.scaled(coefficient)
    # (x - 1) / d + 1
    least = bounds(divisor)[0]
    if dividend.constant_term != -1 or a.constant_term != coefficient or least is None or least < 1:
        return None
    return (coefficient, "\\", dividend + 1, divisor), a - (itself + 1).scaled(coefficient)


def _with_terms_inside(a: Integer, quotient: Quotient) -> tuple[Division, Integer] | None:
    """Replace ``(s + 2 * f) / 3 - f`` by ``(s - f) / 3``."""
    dividend, divisor = quotient.parts
    coefficient = a.terms.get(((quotient, 1),), 0)
    number = divisor.value
    if number is None or abs(coefficient) != 1:
        return None
    inside: dict[Monomial, int] = {}
    for monomial, residue in dividend.terms.items():
        outside = a.terms.get(monomial, 0) * coefficient
        if outside and abs(residue + number * outside) <= residue:
            inside[monomial] = outside
    if not inside or (set(inside) == {UNIT} and dividend.constant_term + number * inside[UNIT] >= 0):
        return None
    moved = Integer(inside)
    rest = a - (of_atom(quotient) + moved).scaled(coefficient)
    return (coefficient, "/", dividend + moved.scaled(number), divisor), rest


# ---- ``base ** exponent`` for int (2.4) ------------------------------------------------------------------------------
@simplifies(Power)
def power(base: Integer | int, exponent: Integer | int) -> Integer:
    """Return ``base ** exponent``; ``0 ** 0`` is 1. Raise NegativeExponent if the exponent is a negative number."""
    a, n = as_integer(base), as_integer(exponent)
    number = n.value
    if number is None:
        return _symbolic_power(a, n)
    if number < 0:
        raise NegativeExponent
    return _numeric_power(a, number)


def _numeric_power(a: Integer, exponent: int) -> Integer:
    if exponent == 0:
        return ONE
    if len(a.terms) > 1:
        if exponent > MOST_POWER_TERMS or comb(len(a.terms) + exponent - 1, exponent) > MOST_POWER_TERMS:
            return of_operation(Power(a, constant(exponent)))
        result = a
        for _ in range(exponent - 1):
            result = result * a
        return result
    if not a.terms:
        return a
    ((monomial, coefficient),) = a.terms.items()
    if is_too_large(coefficient, exponent):
        return of_operation(Power(a, constant(exponent)))
    return Integer({raised(monomial, exponent): coefficient**exponent})


def is_too_large(base: int, exponent: int) -> bool:
    """Return whether the power has too many digits to be computed."""
    return abs(base) > 1 and base.bit_length() * exponent > MOST_BITS


def raised(monomial: Monomial, exponent: int) -> Monomial:
    """Return a monomial to a positive power."""
    return tuple((atom, 1 if isinstance(atom, Indicator) else power * exponent) for atom, power in monomial)


def _symbolic_power(base: Integer, exponent: Integer) -> Integer:
    low = bounds(exponent)[0]
    if base.value == 1 and low is not None and low >= 0:
        return ONE
    if not all(_never_negative(monomial, coefficient) for monomial, coefficient in exponent.terms.items()):
        return of_operation(Power(base, exponent))
    # base ** (2 * n + 1) == (base ** n) ** 2 * base
    result = ONE
    for monomial, coefficient in exponent.terms.items():
        part = power(base, coefficient) if monomial == UNIT else _repeated(base, monomial, coefficient)
        result = result * part
    return result


def _never_negative(monomial: Monomial, coefficient: int) -> bool:
    low = monomial_bounds(monomial)[0]
    return coefficient > 0 and low is not None and low >= 0


def _repeated(base: Integer, exponent: Monomial, times: int) -> Integer:
    ((monomial, _),) = of_operation(Power(base, Integer({exponent: 1}))).terms.items()
    return Integer({multiply_monomials(UNIT, raised(monomial, times)): 1})
