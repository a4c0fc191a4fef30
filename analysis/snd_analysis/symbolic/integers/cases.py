"""Case analysis of an integer that depends on conditions; each case narrows the variables in its condition."""

from __future__ import annotations

from msgspec.structs import replace

from snd_analysis.symbolic.integers.atoms import Leaf, Variable
from snd_analysis.symbolic.integers.conditions import indicators, statement_of, where
from snd_analysis.symbolic.integers.errors import DivisionByZero, NegativeExponent
from snd_analysis.symbolic.integers.integer import Integer, constant, of_atom
from snd_analysis.symbolic.integers.substitution import substitute
from snd_analysis.symbolic.integers.truth import AtLeastZero, AtomicCondition, IsZero
from snd_analysis.symbolic.limits import MOST_CASE_CONDITIONS


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
