r"""Integer division (2.4): ``/`` rounds down, ``\`` rounds up, ``%`` goes with ``/``."""

from __future__ import annotations

from math import gcd

from snd_analysis.symbolic.integers.bounds import atom_bounds, bounds
from snd_analysis.symbolic.integers.integer import (
    UNIT,
    ZERO,
    Integer,
    Monomial,
    as_integer,
    constant,
    of_atom,
    of_operation,
)
from snd_analysis.symbolic.integers.operations import Quotient, simplifies
from snd_analysis.symbolic.integers.spelling import DivisionByZero, indicators, spelling, where
from snd_analysis.symbolic.limits import MOST_DIVIDED_CONDITIONS, MOST_DIVISION_STEPS


@simplifies(Quotient)
def floor_divide(dividend: Integer | int, divisor: Integer | int) -> Integer:
    """Return ``dividend / divisor``, rounded down. Raise DivisionByZero if the divisor is the number zero."""
    a, b = as_integer(dividend), as_integer(divisor)
    by_case = _divide_by_case(a, b)
    if by_case is not None:
        return by_case
    number = b.value
    if number is not None:
        return _divide_by_number(a, number)
    if not a.terms and is_nonzero(b):
        return ZERO
    low, high = bounds(b)
    if high is not None and high < 0:
        return _divide_by_integer(-a, -b, positive=True)
    return _divide_by_integer(a, b, positive=low is not None and low > 0)


def ceil_divide(dividend: Integer | int, divisor: Integer | int) -> Integer:
    r"""Return ``dividend \ divisor``, rounded up. Raise DivisionByZero if the divisor is the number zero."""
    a, b = as_integer(dividend), as_integer(divisor)
    low, high = bounds(b)
    if high is not None and high < 0:
        a, b, low = -a, -b, -high
    if low is not None and low > 0:
        return floor_divide(a - 1, b) + 1
    return -floor_divide(-a, b)


def remainder(dividend: Integer | int, divisor: Integer | int) -> Integer:
    """Return ``dividend % divisor``: with the sign of the divisor. Raise DivisionByZero if that is the number zero."""
    a, b = as_integer(dividend), as_integer(divisor)
    return a - floor_divide(a, b) * b


def exact_quotient(dividend: Integer, divisor: Integer) -> Integer | None:
    """Return the factor by which the divisor times it is the dividend, as polynomials; None if there is none.

    It equals the quotient wherever that has a value: the divisor may be zero for some values of its variables.
    """
    if not divisor.terms:
        return None
    whole, rest = _extract(dividend, divisor)
    return None if rest.terms else whole


def is_nonzero(a: Integer) -> bool:
    """Return whether the integer is certainly not zero."""
    low, high = bounds(a)
    if (low is not None and low > 0) or (high is not None and high < 0):
        return True
    content = a.content
    return content > 0 and a.constant_term % content != 0


def _divide_by_case(a: Integer, b: Integer) -> Integer | None:
    """Return the quotients of both branches if dividend or divisor depend on a condition.

    None if there is no condition, or a branch divides by zero.
    """
    if not a.is_conditional and not b.is_conditional:
        return None
    if len({*indicators(a), *indicators(b)}) > MOST_DIVIDED_CONDITIONS:
        return None
    condition = (indicators(a) or indicators(b))[0]
    try:
        first = floor_divide(where(a, condition, True), where(b, condition, True))
        second = floor_divide(where(a, condition, False), where(b, condition, False))
    except DivisionByZero:
        return None
    return second + of_atom(condition) * (first - second)


def _divide_by_number(a: Integer, divisor: int) -> Integer:
    if divisor == 0:
        raise DivisionByZero
    if divisor < 0:
        a, divisor = -a, -divisor
    if divisor == 1:
        return a
    flat = _nested(a, constant(divisor))
    if flat is not None:
        return floor_divide(*flat)
    whole: dict[Monomial, int] = {}
    rest: dict[Monomial, int] = {}
    for monomial, coefficient in a.terms.items():
        times, left = divmod(coefficient, divisor)
        if times:
            whole[monomial] = times
        if left:
            rest[monomial] = left
    return Integer(whole) + _proper_quotient(Integer(rest), divisor)


def _proper_quotient(a: Integer, divisor: int) -> Integer:
    """Return the quotient where all coefficients are in ``0 .. divisor - 1``, and the divisor is at least 2."""
    common = gcd(a.content, divisor)
    if common > 1:
        a = _floor_coefficients(a, common)
        divisor //= common
    number = a.value
    if number is not None:
        return constant(number // divisor)
    low, high = bounds(a)
    if low is not None and high is not None and low // divisor == high // divisor:
        return constant(low // divisor)
    flat = _nested(a, constant(divisor))
    if flat is not None:
        return floor_divide(*flat)
    if divisor == 2 and a.constant_term:
        # Only one of the two halves of neighbours is kept: (a + 1) / 2 == a - a / 2.
        return (a - 1) - _proper_quotient(a - 1, 2)
    return of_operation(Quotient(a, constant(divisor)))


def _floor_coefficients(a: Integer, divisor: int) -> Integer:
    """Divide by a number that divides all coefficients but the constant term, which is rounded down."""
    terms = {monomial: coefficient // divisor for monomial, coefficient in a.terms.items()}
    if terms.get(UNIT) == 0:
        del terms[UNIT]
    return Integer(terms)


def _nested(a: Integer, divisor: Integer) -> tuple[Integer, Integer] | None:
    """Dividend and divisor with ``(x / m + p) / n == (x + m * p) / (m * n)``, if a is such a sum; n is positive."""
    inner = [
        (monomial, coefficient)
        for monomial, coefficient in a.terms.items()
        if len(monomial) == 1 and monomial[0][1] == 1 and isinstance(monomial[0][0], Quotient)
    ]
    if len(inner) != 1 or abs(inner[0][1]) != 1:
        return None
    monomial, sign = inner[0]
    dividend, factor = monomial[0][0].parts
    assert isinstance(dividend, Integer)
    assert isinstance(factor, Integer)
    number = factor.value
    if sign < 0:
        if number is None:
            return None
        # -(x / m) == (-x + m - 1) / m
        dividend = number - 1 - dividend
    others = Integer({other: coefficient for other, coefficient in a.terms.items() if other != monomial})
    if others.value is None and number is None:
        return None
    return dividend + others * factor, divisor * factor


def _divide_by_integer(a: Integer, b: Integer, positive: bool) -> Integer:
    reduced = _without_common_factors(a, b)
    if reduced[1] is not b:
        # A negative common factor turns the sign of the divisor.
        return floor_divide(*reduced)
    if not positive and not prefers_sign(b):
        a, b = -a, -b
    whole, rest = _extract(a, b)
    if not rest.terms:
        return whole if positive or is_nonzero(b) else of_operation(Quotient(a, b))
    if not positive:
        return whole + _fraction(rest, b)
    if _is_opposite(rest):
        # Rounding down a negative number is rounding up its opposite.
        return whole - _positive_fraction(-rest - 1, b) - 1
    return whole + _positive_fraction(rest, b)


def _positive_fraction(a: Integer, b: Integer) -> Integer:
    """Return the quotient by a positive integer that cannot be divided further as a polynomial."""
    step = _step_of(a, b)
    if step is not None:
        return step
    flat = _nested(a, b)
    return _fraction(a, b) if flat is None else floor_divide(*flat)


def _fraction(a: Integer, b: Integer) -> Integer:
    reduced = _without_common_factors(a, b)
    return of_operation(Quotient(a, b)) if reduced[1] is b else floor_divide(*reduced)


def _is_opposite(a: Integer) -> bool:
    """Return whether all coefficients except the constant term are negative."""
    if a.value is not None:
        return a.constant_term < 0
    return all(coefficient < 0 for monomial, coefficient in a.terms.items() if monomial)


def _step_of(rest: Integer, divisor: Integer) -> Integer | None:
    """Return the quotient where bounds tell that it is 0 or -1; the divisor is positive."""
    low, high = bounds(rest)
    if low is not None and low >= 0:
        excess = bounds(rest - divisor)[1]
        return ZERO if excess is not None and excess < 0 else None
    if high is not None and high < 0:
        reach = bounds(rest + divisor)[0]
        return constant(-1) if reach is not None and reach >= 0 else None
    return None


def prefers_sign(a: Integer) -> bool:
    """Return whether this one of ``a`` and ``-a`` is the canonical one."""
    balance = sum(1 if coefficient > 0 else -1 for monomial, coefficient in a.terms.items() if monomial)
    return balance > 0 or (balance == 0 and a.terms[leading(a)] > 0)


def leading(a: Integer) -> Monomial:
    """Return the largest monomial in graded lexicographic order, the first names being the largest."""
    return min((monomial for monomial in a.terms if monomial), key=_grade)


def _grade(monomial: Monomial) -> tuple[int, list[tuple[str, int]]]:
    factors = sorted((spelling(atom), -exponent) for atom, exponent in monomial)
    return sum(exponent for _, exponent in factors), factors


def _without_common_factors(a: Integer, b: Integer) -> tuple[Integer, Integer]:
    """Cancel numbers, and atoms that are certainly not zero, that divide every term of both."""
    if not a.terms:
        return a, b
    number = gcd(*a.terms.values(), *b.terms.values())
    if number > 1:
        a, b = a.divided_exactly(number), b.divided_exactly(number)
    common = _common_monomial(a, b)
    if not common:
        return a, b
    return _divided_by_monomial(a, common), _divided_by_monomial(b, common)


def _common_monomial(a: Integer, b: Integer) -> Monomial:
    if UNIT in a.terms or UNIT in b.terms:
        return UNIT
    monomials = [*b.terms, *a.terms]
    common = dict(monomials[0])
    for monomial in monomials[1:]:
        exponents = dict(monomial)
        common = {atom: min(power, exponents[atom]) for atom, power in common.items() if atom in exponents}
        if not common:
            return UNIT
    nonzero = []
    for atom, power in common.items():
        low, high = atom_bounds(atom)
        if (low is not None and low > 0) or (high is not None and high < 0):
            nonzero.append((atom, power))
    return tuple(nonzero)


def _divided_by_monomial(a: Integer, divisor: Monomial) -> Integer:
    return Integer({_monomial_quotient(monomial, divisor) or UNIT: number for monomial, number in a.terms.items()})


def _monomial_quotient(monomial: Monomial, divisor: Monomial) -> Monomial | None:
    """Return the monomial that gives this one when multiplied with the divisor."""
    exponents = dict(monomial)
    for atom, power in divisor:
        left = exponents.get(atom, 0) - power
        if left < 0:
            return None
        if left:
            exponents[atom] = left
        else:
            del exponents[atom]
    return tuple(exponents.items())


def _extract(a: Integer, b: Integer) -> tuple[Integer, Integer]:
    """Split ``a == whole * b + rest``, with no term of the rest divisible by the leading term of b."""
    lead = leading(b) if len(b.terms) > 1 else next(iter(b.terms))
    template = b.terms[lead]
    whole = ZERO
    for _ in range(MOST_DIVISION_STEPS):
        step: dict[Monomial, int] = {}
        for monomial, coefficient in a.terms.items():
            times = coefficient // template
            if times and (quotient := _monomial_quotient(monomial, lead)) is not None:
                step[quotient] = times
        if not step:
            break
        part = Integer(step)
        whole, a = whole + part, a - part * b
    return whole, a
