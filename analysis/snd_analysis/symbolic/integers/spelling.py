"""Text of the composition of each atom, by which canonical forms are ordered.

Hashes differ between processes, and printed texts are chosen for readers; this order depends on neither.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from snd_analysis.symbolic.integers.atoms import Atom, Indicator, Leaf, Variable
from snd_analysis.symbolic.integers.integer import Integer, Monomial
from snd_analysis.symbolic.integers.operations import Candidates, Extremum, Power, Quotient
from snd_analysis.symbolic.integers.truth import AtomicCondition, Truth
from snd_analysis.symbolic.limits import LONGEST_SPELLING

_BETWEEN: Final[dict[type[Atom], str]] = {Quotient: " / ", Power: " ** "}


def spelling(atom: Atom) -> str:
    """Return the text of an atom: the name of a variable, or the operands of an operation."""
    if atom.spelling is None:
        atom.spelling = atom.leaf.name if isinstance(atom, Variable) else _operation(atom)[:LONGEST_SPELLING]
    return atom.spelling


def spelled(a: Integer | Truth) -> str:
    """Return the same of an integer or a condition."""
    return _part(a)


def _operation(atom: Atom) -> str:
    parts = [_part(part) for part in atom.parts]
    between = _BETWEEN.get(type(atom))
    if between is not None:
        return between.join(parts)
    if isinstance(atom, Extremum):
        return (" >? " if atom.largest else " <? ").join(sorted(map(_part, atom.candidates)))
    return f"{type(atom).__name__}({', '.join(parts)})"


def _part(part: object) -> str:
    match part:
        case Integer():
            return _integer(part)
        case Candidates():
            return _joined(sorted(map(_part, part)))
        case Truth():
            return f"{type(part).__name__}({_joined(map(_part, part.parts))})"
        case frozenset():
            return _joined(sorted(map(_part, part)))
        case Leaf():
            return part.name
    return str(part)


def _joined(texts: Iterable[str]) -> str:
    return ", ".join(texts)


def _integer(a: Integer) -> str:
    number = a.value
    if number is not None:
        return str(number)
    terms = []
    for monomial, coefficient in a.terms.items():
        factors = sorted((spelling(atom), exponent) for atom, exponent in monomial)
        text = " * ".join(name if exponent == 1 else f"{name} ** {exponent}" for name, exponent in factors)
        degree = sum(exponent for _, exponent in monomial)
        terms.append((degree == 0, coefficient < 0, -degree, abs(coefficient), text, coefficient))
    texts = [text if coefficient == 1 else f"{coefficient} * {text}" for *_, text, coefficient in sorted(terms)]
    return texts[0] if len(texts) == 1 else f"({' + '.join(texts)})"


# ---- the conditions that an integer depends on, and its values where one of them holds or does not -------------------
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


# ---- errors of integer operations without a value (2.4: `/`, `\`, `%` and `**` for int) ------------------------------
class DivisionByZero(ArithmeticError):  # noqa: N818
    """A division, or its remainder, by an integer that is zero."""


class NegativeExponent(ArithmeticError):  # noqa: N818
    """An integer raised to a negative power."""


FAILURES = (DivisionByZero, NegativeExponent)
"""Exceptions of operations without a value."""
