"""Integers and conditions in the language's own notation. Equal ones print equally; texts that get long are cut."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from snd_analysis.symbolic.integers.atoms import Atom, Indicator, Product, Variable
from snd_analysis.symbolic.integers.extremes import recognise
from snd_analysis.symbolic.integers.facts import in_other_words
from snd_analysis.symbolic.integers.integer import ZERO, Integer, Monomial
from snd_analysis.symbolic.integers.operations import Absolute, Extremum, Function, Power, Quotient, Sign
from snd_analysis.symbolic.integers.spelling import indicators, statement_of, where
from snd_analysis.symbolic.integers.truth import (
    AtLeastZero,
    AtomicCondition,
    Junction,
    KnownTruth,
    Proposition,
    Truth,
    and_,
    not_,
)
from snd_analysis.symbolic.limits import LONGEST_INTEGER, MOST_PRINTED_CONDITIONS, MOST_SUMMANDS
from snd_analysis.symbolic.notation import notation

# Levels of LANGUAGE.md: how tightly the outermost operator binds.
_SELECT, _LOGIC, _COMPARISON, _EXTREMUM, _SUM, _PRODUCT, _POWER, _SIGN, _OPERAND = 0, 2, 3, 4, 5, 6, 7, 8, 9


_Printed = tuple[str, int]
"""A text and its level."""


class _Summand(NamedTuple):
    coefficient: int
    degree: int
    text: str
    level: int
    flat: bool = False
    """True if it is a product that may stand after a coefficient without parentheses."""

    @property
    def rank(self) -> tuple[bool, bool, int, int, bool, str]:
        """Positive ones first, the constant last, higher degrees, smaller coefficients and plain names first."""
        compound = self.text.startswith("(")
        return self.degree == 0, self.coefficient < 0, -self.degree, abs(self.coefficient), compound, self.text


@notation.register(Integer)
def _notation_of_integer(a: Integer) -> str:
    """Return the integer as an author would write it, such as ``(s + 2 * p - f) / t + 1``.

    Of the texts that assertions make equal, it is the shortest.
    """
    if a.text is None:
        text = _integer(a)[0]
        for other in in_other_words(a):
            shorter = _notation_of_integer(other) if len(other.terms) < len(a.terms) else text
            text = min(text, shorter, key=len)
        a.text = text
    return a.text


@notation.register(Truth)
def _notation_of_truth(a: Truth) -> str:
    return _truth(a)[0]


@notation.register(Atom)
def _notation_of_atom(a: Atom) -> str:
    return _text_of_atom(a)[0]


def _integer(a: Integer) -> _Printed:
    number = a.value
    if number is not None:
        return str(number), (_OPERAND if number >= 0 else _SIGN)
    found = indicators(a)
    return _selection(a, found) if 0 < len(found) <= MOST_PRINTED_CONDITIONS else _sum(_summands(a))


def _wrapped(printed: _Printed, level: int) -> str:
    text, own = printed
    return text if own >= level else f"({text})"


# ---- sums ------------------------------------------------------------------------------------------------------------
def _summands(a: Integer) -> list[_Summand]:
    recognised, rest = recognise(a, lambda atom: _text_of_atom(atom)[0])
    found = [
        _Summand(coefficient, 1, *_division(operator, dividend, divisor))
        for coefficient, operator, dividend, divisor in recognised
    ]
    for monomial, coefficient in rest.terms.items():
        text, level = _monomial(monomial)
        degree = sum(exponent for _, exponent in monomial)
        found.append(_Summand(coefficient, degree, text, level, len(monomial) > 1))
    return found


def _sum(summands: list[_Summand]) -> _Printed:
    summands.sort(key=lambda summand: summand.rank)
    if summands[0].coefficient < 0 and summands[-1].coefficient > 0:
        # 3 - a rather than -a + 3
        summands.insert(0, summands.pop())
    first = _signed(summands[0])
    if len(summands) == 1:
        return first
    text = _wrapped(first, _SUM)
    for summand in summands[1:MOST_SUMMANDS]:
        magnitude = _signed(summand._replace(coefficient=abs(summand.coefficient)))
        text += f" {'-' if summand.coefficient < 0 else '+'} {_wrapped(magnitude, _PRODUCT)}"
    return (text if len(summands) <= MOST_SUMMANDS else f"{text} + …"), _SUM


def _signed(summand: _Summand) -> _Printed:
    coefficient, degree, text, level, flat = summand
    if degree == 0:
        return str(coefficient), (_OPERAND if coefficient >= 0 else _SIGN)
    if coefficient == 1:
        return text, level
    factor = text if flat else _wrapped((text, level), _POWER)
    return (f"-{factor}", _PRODUCT if flat else _SIGN) if coefficient == -1 else (f"{coefficient} * {factor}", _PRODUCT)


def _monomial(monomial: Monomial) -> _Printed:
    factors = []
    for atom, exponent in monomial:
        text, level = _text_of_atom(atom)
        if exponent > 1:
            text, level = f"{_wrapped((text, level), _OPERAND)} ** {exponent}", _POWER
        factors.append((text, level))
    if len(factors) == 1:
        return factors[0]
    return " * ".join(_wrapped(factor, _POWER) for factor in sorted(factors)), _PRODUCT


# ---- conditions on integers ------------------------------------------------------------------------------------------
def _selection(a: Integer, found: list[Indicator]) -> _Printed:
    together = [atom for atom in found if _everywhere(a, atom)] or [
        min(found, key=lambda atom: _size_of_branches(a, atom))
    ]
    chosen, other = a, where(a, together[0], False)
    for atom in together:
        chosen = where(chosen, atom, True)
    depends = (chosen - other).terms
    common = Integer(
        {
            monomial: number
            for monomial, number in other.terms.items()
            if not (monomial in depends or _is_conditional(monomial))
        }
    )
    chosen, other = chosen - common, other - common
    condition = and_(*map(statement_of, together))
    if not chosen.terms:
        condition, chosen, other = not_(condition), other, chosen
    text = f"{_wrapped(_truth(condition), 1)} ? {_integer(chosen)[0]} : {_integer(other)[0]}"
    if not common.terms:
        return text, _SELECT
    return _sum([*_summands(common), _Summand(1, 1, f"({text})", _OPERAND)])


def _everywhere(a: Integer, atom: Indicator) -> bool:
    """Return whether all terms that depend on conditions depend on this one."""
    return all(any(factor == atom for factor, _ in monomial) for monomial in a.terms if _is_conditional(monomial))


def _is_conditional(monomial: Monomial) -> bool:
    return any(isinstance(factor, Indicator) for factor, _ in monomial)


def _size_of_branches(a: Integer, atom: Indicator) -> int:
    return len(where(a, atom, True).terms) + len(where(a, atom, False).terms)


# ---- operations ------------------------------------------------------------------------------------------------------
def _text_of_atom(atom: Atom) -> _Printed:
    """Return the text of an atom, and the level of its outermost operator."""
    if atom.text is None:
        text, level = _atom(atom)
        atom.text = (text, level) if len(text) <= LONGEST_INTEGER else ("...", _OPERAND)
    return atom.text


def _atom(atom: Atom) -> _Printed:
    match atom:
        case Variable():
            if not atom.leaf.fold:
                return atom.leaf.name, _OPERAND
            return atom.leaf.name, (_PRODUCT if "*" in atom.leaf.name else _SUM)
        case Quotient(parts=(dividend, divisor)):
            return _division("/", dividend, divisor)
        case Power(parts=(base, exponent)):
            return f"{_wrapped(_integer(base), _OPERAND)} ** {_wrapped(_integer(exponent), _OPERAND)}", _POWER
        case Extremum():
            operator = " >? " if atom.largest else " <? "
            numbers_last = sorted((item.value is not None, _wrapped(_integer(item), _SUM)) for item in atom.candidates)
            return operator.join(text for _, text in numbers_last), _EXTREMUM
        case Absolute(parts=(inner,)):
            return f"abs({_integer(inner)[0]})", _OPERAND
        case Sign(parts=(inner,)):
            return f"sign({_integer(inner)[0]})", _OPERAND
        case Product(parts=(left, right)):
            assert isinstance(left, Integer)
            assert isinstance(right, Integer)
            return " * ".join(sorted(_wrapped(_integer(side), _POWER) for side in (left, right))), _PRODUCT
        case Indicator():
            return f"({_truth(statement_of(atom))[0]} ? 1 : 0)", _OPERAND
        case Function():
            return f"{atom.name}({', '.join(_integer(argument)[0] for argument in atom.arguments)})", _OPERAND
    raise TypeError(f"{type(atom).__name__} is no operation")


def _division(operator: str, dividend: Integer, divisor: Integer) -> _Printed:
    return f"{_wrapped(_integer(dividend), _PRODUCT)} {operator} {_wrapped(_integer(divisor), _POWER)}", _PRODUCT


# ---- conditions ------------------------------------------------------------------------------------------------------
def _truth(a: Truth) -> _Printed:
    """Return the text of a condition, and the level of its outermost operator."""
    match a:
        case KnownTruth(parts=(value,)):
            return ("true" if value else "false"), _OPERAND
        case Proposition(parts=(leaf, positive)):
            return (leaf.name, _OPERAND) if positive else (f"!{leaf.name}", _SIGN)
        case AtLeastZero(parts=(subject, positive)):
            if subject.constant_term == -1:
                return _comparison(subject + 1, ">" if positive else "<=")
            return _comparison(subject, ">=" if positive else "<")
        case AtomicCondition(parts=(subject, positive)):
            return _comparison(subject, "==" if positive else "!=")
        case Junction():
            return _joined(" && " if a.conjunction else " || ", a.operands), _LOGIC
    raise TypeError(f"{type(a).__name__} is no condition")


def _joined(operator: str, operands: Iterable[Truth]) -> str:
    return operator.join(_wrapped(_truth(operand), _COMPARISON) for operand in operands)


def _comparison(difference: Integer, relation: str) -> _Printed:
    """Print a comparison, with negative terms moved to the right."""
    left = Integer({monomial: number for monomial, number in difference.terms.items() if number > 0})
    right = left - difference if left.terms else -difference
    left = left if left.terms else ZERO
    return f"{_wrapped(_integer(left), _EXTREMUM)} {relation} {_wrapped(_integer(right), _EXTREMUM)}", _COMPARISON
