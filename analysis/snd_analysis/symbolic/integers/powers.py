"""``base ** exponent`` for int (2.4)."""

from __future__ import annotations

from math import comb

from snd_analysis.symbolic.integers.atoms import Indicator
from snd_analysis.symbolic.integers.bounds import bounds, monomial_bounds
from snd_analysis.symbolic.integers.errors import NegativeExponent
from snd_analysis.symbolic.integers.integer import ONE, Integer, as_integer, constant, of_operation
from snd_analysis.symbolic.integers.monomials import UNIT, Monomial, multiply_monomials
from snd_analysis.symbolic.integers.operations import Power, simplifies
from snd_analysis.symbolic.limits import MOST_BITS, MOST_POWER_TERMS


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
