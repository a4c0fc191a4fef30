"""Products of powers of atoms."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, TypeAlias

from snd_analysis.symbolic.integers.atoms import Atom, Indicator

Monomial: TypeAlias = tuple[tuple[Atom, int], ...]
"""Atoms and their exponents, in a fixed order; empty for the constant term."""

UNIT: Final[Monomial] = ()


def ordered(factors: Iterable[tuple[Atom, int]]) -> Monomial:
    """Return the factors in the order that makes equal products equal."""
    return tuple(sorted(factors, key=_order))


def _order(factor: tuple[Atom, int]) -> tuple[int, str]:
    return factor[0].order


def multiply_monomials(a: Monomial, b: Monomial) -> Monomial:
    """Return the product: exponents add, but exponents of indicators stay 1."""
    if not a:
        return b
    if not b:
        return a
    exponents = dict(a)
    for atom, exponent in b:
        before = exponents.get(atom)
        if before is None:
            exponents[atom] = exponent
        elif not isinstance(atom, Indicator):
            exponents[atom] = before + exponent
    return ordered(exponents.items())
