"""Affine expressions ``a * x + b``, by which extents and pack lengths declare names (2.6)."""

from __future__ import annotations

from collections.abc import Hashable

from snd_analysis.symbolic.integers.atoms import Variable
from snd_analysis.symbolic.integers.integer import Integer, as_integer


def as_affine(a: Integer, key: Hashable) -> tuple[int, Integer] | None:
    """Factor and offset with ``a == factor * x + offset`` for the variable of that key.

    None if the variable does not occur, or in any other way.
    """
    factor = 0
    offset = {}
    for monomial, coefficient in a.terms.items():
        if not any(leaf.key == key for atom, _ in monomial for leaf in atom.leaves):
            offset[monomial] = coefficient
            continue
        if len(monomial) != 1 or monomial[0][1] != 1 or not isinstance(monomial[0][0], Variable):
            return None
        factor += coefficient
    return (factor, Integer(offset)) if factor else None


def solve_affine(factor: int, offset: Integer, value: Integer | int) -> Integer | None:
    """Return the x with ``factor * x + offset == value``; None unless the division certainly leaves no remainder."""
    difference = as_integer(value) - offset
    if any(coefficient % factor for coefficient in difference.terms.values()):
        return None
    return difference.divided_exactly(factor)
