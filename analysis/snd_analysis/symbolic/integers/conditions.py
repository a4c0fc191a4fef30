"""The conditions that an integer depends on, and its values where one of them holds or does not."""

from __future__ import annotations

from snd_analysis.symbolic.integers.atoms import Indicator
from snd_analysis.symbolic.integers.integer import Integer
from snd_analysis.symbolic.integers.monomials import Monomial
from snd_analysis.symbolic.integers.spelling import spelling
from snd_analysis.symbolic.integers.truth import AtomicCondition


def indicators(a: Integer) -> list[Indicator]:
    """Return the conditions that the terms depend on, without conditions inside operations."""
    if not a.is_conditional:
        return []
    found = [atom for atom in a.atoms() if isinstance(atom, Indicator)]
    if len(found) < 2:
        return found
    return sorted(found, key=lambda atom: (spelling(atom), atom.order))


def statement_of(atom: Indicator) -> AtomicCondition:
    """Return the proposition or comparison that the atom indicates."""
    statement = atom.parts[0]
    assert isinstance(statement, AtomicCondition)
    return statement


def where(a: Integer, atom: Indicator, holds: bool) -> Integer:
    """Return the integer where a condition holds or does not."""
    terms: dict[Monomial, int] = {}
    for monomial, coefficient in a.terms.items():
        rest = tuple(pair for pair in monomial if pair[0] != atom)
        if len(rest) == len(monomial) or holds:
            terms[rest] = terms.get(rest, 0) + coefficient
    return Integer({monomial: coefficient for monomial, coefficient in terms.items() if coefficient})
