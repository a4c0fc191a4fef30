"""Finds remainders and quotients rounded up in canonical sums, for printing: there they are several terms."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from snd_analysis.symbolic.integers.atoms import Atom
from snd_analysis.symbolic.integers.bounds import bounds
from snd_analysis.symbolic.integers.integer import Integer, of_atom
from snd_analysis.symbolic.integers.monomials import UNIT, Monomial, multiply_monomials
from snd_analysis.symbolic.integers.operations import Quotient

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
