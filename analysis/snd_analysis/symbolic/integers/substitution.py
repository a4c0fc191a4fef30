"""Substitution of variables in integers and conditions, with simplification.

The simplifying functions ask for bounds, and bounds of a conditional value are the bounds of its cases, which
substitution finds. So this module doesn't know those functions: each declares the operations that it simplifies
(``simplifies``).
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping
from typing import TypeVar, overload

from snd_analysis.symbolic.integers.atoms import Atom, Indicator, Product, Variable
from snd_analysis.symbolic.integers.integer import ONE, ZERO, Integer, as_integer, constant, of_atom, of_operation
from snd_analysis.symbolic.integers.operations import Candidates, Extremum, Function, Power, simplified
from snd_analysis.symbolic.integers.spelling import FAILURES, indicators, statement_of, where
from snd_analysis.symbolic.integers.truth import (
    TRUE,
    AtomicCondition,
    Junction,
    KnownTruth,
    Proposition,
    Truth,
    and_,
    indicator,
    not_,
    or_,
    truth,
)


@overload
def substitute(a: Integer, values: Mapping[Hashable, Integer | Truth | int]) -> Integer: ...
@overload
def substitute(a: Truth, values: Mapping[Hashable, Integer | Truth | int]) -> Truth: ...
def substitute(a: Integer | Truth, values: Mapping[Hashable, Integer | Truth | int]) -> Integer | Truth:
    """Return the integer or condition with variables replaced, by key, and simplified again.

    Propositions take conditions (or bools). A replacement must be within the bounds of its variable. Raise
    DivisionByZero or NegativeExponent if an operation that is not after a false condition has no value.
    """
    if not isinstance(a, Integer):
        return _Substitution(values).truth(a)
    if a.variable is None:
        return _Substitution(values).integer(a)
    value = values.get(a.variable.key, a)
    assert isinstance(value, Integer | int)
    return as_integer(value)


class _Substitution:
    """One substitution, every part of an expression being rebuilt once."""

    def __init__(self, values: Mapping[Hashable, Integer | Truth | int]) -> None:
        self._values = values
        self._rebuilt: dict[Atom, Integer] = {}

    def _touches(self, a: Integer | Truth | Atom) -> bool:
        for leaf in a.leaves:  # noqa: SIM110 - a generator would take twice the time
            if leaf.key in self._values:
                return True
        return False

    def integer(self, a: Integer) -> Integer:
        if not self._touches(a):
            return a
        a = self._with_decided_conditions(a)
        result = ZERO
        for monomial, coefficient in a.terms.items():
            product = ONE
            for atom, exponent in monomial:
                base = self._atom(atom)
                factor = base if exponent == 1 else simplified(Power, base, constant(exponent))
                product = factor if product is ONE else product * factor
            result = result + product.scaled(coefficient)
        return result

    def _with_decided_conditions(self, a: Integer) -> Integer:
        """Drop the branches that are not chosen: they need not have a value."""
        for atom in indicators(a):
            try:
                decided = self.truth(statement_of(atom))
            except FAILURES:
                continue
            if isinstance(decided, KnownTruth):
                a = where(a, atom, decided is TRUE)
        return a

    def _atom(self, atom: Atom) -> Integer:
        known = self._rebuilt.get(atom)
        if known is None:
            known = self._rebuilt[atom] = self._rebuild(atom) if self._touches(atom) else of_atom(atom)
        return known

    def _rebuild(self, atom: Atom) -> Integer:
        match atom:
            case Variable():
                value = self._values[atom.leaf.key]
                assert isinstance(value, Integer | int)
                return as_integer(value)
            case Extremum():
                return simplified(Extremum, atom.largest, Candidates(map(self.integer, atom.candidates)))
            case Product(parts=(left, right)):
                return self.integer(left) * self.integer(right)
            case Indicator():
                return indicator(self.truth(statement_of(atom)))
            case Function():
                arguments = [self.integer(argument) for argument in atom.arguments]
                return of_operation(Function(atom.name, atom.minimum, *arguments))
        return simplified(type(atom), *map(self.integer, atom.parts))

    def truth(self, a: Truth) -> Truth:
        if not self._touches(a):
            return a
        match a:
            case Proposition(parts=(leaf, positive)):
                value = self._values[leaf.key]
                known = value if isinstance(value, Truth) else truth(bool(value))
                return known if positive else not_(known)
            case AtomicCondition(parts=(subject, positive)):
                return simplified(type(a), self.integer(subject), positive)
            case Junction():
                return self._junction(a)
        raise TypeError(f"{type(a).__name__} is no condition")

    def _junction(self, a: Junction) -> Truth:
        deciding = truth(not a.conjunction)
        operands, failure = each(self.truth, a.operands)
        if failure is not None and not any(operand is deciding for operand in operands):
            raise failure
        return and_(*operands) if a.conjunction else or_(*operands)


_T = TypeVar("_T")


def each(function: Callable[[Truth], _T], operands: Iterable[Truth]) -> tuple[list[_T], ArithmeticError | None]:
    """Return the results of the operands that have one, and the failure of another."""
    results, failure = [], None
    for operand in operands:
        try:
            results.append(function(operand))
        except FAILURES as problem:
            failure = problem
    return results, failure
