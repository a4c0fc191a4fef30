"""Operators on values that are known during elaboration: exact integers, scalars, strings, arrays."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import TypeVar

from snd_analysis.nnef1.elaborate.values import ElaboratedValue, ItemList, type_name
from snd_analysis.nnef1.limits import GREATEST_INTEGER, MOST_CHARACTERS, MOST_DIGITS, MOST_ITEMS
from snd_analysis.symbolic import integers
from snd_analysis.symbolic.integers import FALSE, TRUE, Integer, Relation, Truth

_N = TypeVar("_N", int, float)


class OperandError(Exception):
    """Operands that an operator does not take; the message says which."""


class TooLargeError(Exception):
    """A value that is larger than snd works with; the message says how large that is."""


def unary(operator: str, value: ElaboratedValue) -> ElaboratedValue:
    """Return the value of a unary operation. Raise OperandError."""
    match operator, value:
        case "-", Integer():
            return integers.constant(0) - value
        case "-", float():
            return -value
        case "+", Integer() | float():
            return value
        case "!", Truth():
            return integers.not_(value)
    raise OperandError(f"'{operator}' does not take {_article(value)}")


def binary(operator: str, left: ElaboratedValue, right: ElaboratedValue) -> ElaboratedValue:
    """Return the value of a binary operation. Raise OperandError."""
    match left, right:
        case Integer(), Integer() if operator in _OF_INTEGERS:
            return _integers(operator, left, right)
        case float(), float() if operator in _OF_SCALARS:
            return _scalars(operator, left, right)
        case Truth(), Truth() if operator in ("&&", "||"):
            return integers.and_(left, right) if operator == "&&" else integers.or_(left, right)
        case str(), str() if operator == "+":
            return left + right
        case (str() as text, Integer(value=int(count))) | (Integer(value=int(count)), str() as text) if operator == "*":
            demand_size(len(text) * count, MOST_CHARACTERS, "characters")
            return text * max(count, 0)
        case ItemList(is_tuple=False), ItemList(is_tuple=False) if operator == "+":
            return ItemList((*left.values, *right.values))
        case ItemList(is_tuple=False), Integer(value=int(count)) if operator == "*":
            demand_size(len(left.values) * count, MOST_ITEMS, "items")
            return ItemList(left.values * max(count, 0))
    if operator in ("==", "!="):
        return _equal(left, right, operator == "==")
    if operator == "in" and isinstance(right, ItemList):
        return integers.or_(*(_equal(left, each, True) for each in right.values)) if right.values else FALSE
    if {type(left), type(right)} == {Integer, float}:
        raise OperandError(
            f"'{operator}' does not mix integers and scalars, but these are {type_name(left)} and {type_name(right)}"
        )
    raise OperandError(f"'{operator}' does not take {_article(left)} and {_article(right)}")


def of_items(operator: str, left: ElaboratedValue, right: ElaboratedValue) -> ElaboratedValue:
    """Return the value of a binary operation in tract, which computes with the items of arrays. Raise OperandError.

    Khronos' text joins and repeats arrays instead.
    """
    if not isinstance(left, ItemList) and not isinstance(right, ItemList):
        return binary(operator, left, right)
    lefts, rights = (each.values if isinstance(each, ItemList) else (each,) for each in (left, right))
    if len(lefts) != len(rights) and 1 not in (len(lefts), len(rights)):
        raise OperandError(
            f"tract computes with the items of arrays, and these have {len(lefts)} and {len(rights)} items"
        )
    length = 0 if not lefts or not rights else max(len(lefts), len(rights))
    pairs = [(lefts[at % len(lefts)], rights[at % len(rights)]) for at in range(length)]
    return ItemList(tuple(of_items(operator, one, other) for one, other in pairs))


def demand_size(size: int, most: int, what: str) -> None:
    """Raise TooLargeError for an array or a string that has more items than there may be."""
    if size > most:
        raise TooLargeError(f"this has more than {most:,} {what}")


def whole(text: str) -> Integer:
    """Return the integer that digits denote. Raise TooLargeError."""
    demand_size(len(text), MOST_DIGITS, "digits")
    number = int(text)
    if number > GREATEST_INTEGER:
        raise TooLargeError(f"{text} does not fit into 64 bits")
    return integers.constant(number)


def _integers(operator: str, left: Integer, right: Integer) -> ElaboratedValue:
    if (
        operator in ("/", "^")
        and right.value is not None
        and (right.value == 0 if operator == "/" else right.value < 0)
    ):
        raise OperandError("division by zero" if operator == "/" else "the exponent of an integer is negative")
    return _OF_INTEGERS[operator](left, right)


def _quotient(left: Integer, right: Integer) -> Integer:
    """Return the quotient, rounded towards zero as in tract and Khronos' parser."""
    if left.value is not None and right.value is not None:
        quotient = abs(left.value) // abs(right.value)
        return integers.constant(quotient if (left.value < 0) == (right.value < 0) else -quotient)
    return integers.floor_divide(left, right)


def _scalars(operator: str, left: float, right: float) -> ElaboratedValue:
    try:
        return _OF_SCALARS[operator](left, right)
    except ZeroDivisionError:
        return math.nan if left == 0 or math.isnan(left) else math.copysign(math.inf, left)
    except (OverflowError, ValueError):
        raise OperandError(f"'{left} {operator} {right}' has no value") from None


def _power(left: float, right: float) -> float:
    power = left**right
    if isinstance(power, complex):
        raise ValueError
    return float(power)


def _compared(operator: Relation) -> Callable[[Integer, Integer], Truth]:
    return lambda left, right: integers.compare(operator, left, right)


_OF_INTEGERS: Mapping[str, Callable[[Integer, Integer], ElaboratedValue]] = {
    "+": lambda left, right: left + right,
    "-": lambda left, right: left - right,
    "*": lambda left, right: left * right,
    "/": _quotient,
    "^": integers.power,
    "<": _compared("<"),
    ">": _compared(">"),
    "<=": _compared("<="),
    ">=": _compared(">="),
}
_OF_SCALARS: Mapping[str, Callable[[float, float], ElaboratedValue]] = {
    "+": lambda left, right: left + right,
    "-": lambda left, right: left - right,
    "*": lambda left, right: left * right,
    "/": lambda left, right: left / right,
    "^": _power,
    "<": lambda left, right: integers.truth(left < right),
    ">": lambda left, right: integers.truth(left > right),
    "<=": lambda left, right: integers.truth(left <= right),
    ">=": lambda left, right: integers.truth(left >= right),
}


def _equal(left: ElaboratedValue, right: ElaboratedValue, wanted: bool) -> Truth:
    match left, right:
        case Integer(), Integer():
            return integers.compare("==" if wanted else "!=", left, right)
        case Truth(), Truth():
            different = integers.xor(left, right)
            return integers.not_(different) if wanted else different
        case (str(), str()) | (float(), float()):
            return integers.truth((left == right) is wanted)
    raise OperandError(
        f"'{'==' if wanted else '!='}' compares values of one type, but these are {type_name(left)} and "
        f"{type_name(right)}"
    )


def cast(name: str, value: ElaboratedValue) -> ElaboratedValue:
    """Return the result of ``integer(…)``, ``scalar(…)``, ``logical(…)`` or ``string(…)``.

    Raise OperandError.
    """
    match name, value:
        case ("integer", Integer()) | ("scalar", float()) | ("logical", Truth()) | ("string", str()):
            return value
        case "integer", float() if math.isfinite(value):
            return integers.constant(int(value))
        case "integer", Truth():
            return integers.choose(value, 1, 0)
        case "integer", str():
            demand_size(len(value), MOST_DIGITS, "digits")
            return integers.constant(_parsed(name, int, value))
        case "scalar", Integer(value=int(number)):
            return float(number)
        case "scalar", Truth() if value is TRUE or value is FALSE:
            return float(value is TRUE)
        case "scalar", str():
            return _parsed(name, float, value)
        case "logical", Integer():
            return integers.compare("!=", value, 0)
        case "logical", float():
            return integers.truth(value != 0.0)
        case "logical", "true" | "false":
            return integers.truth(value == "true")
        case "string", Integer(value=int(number)):
            return str(number)
        case "string", float():
            return repr(value)
        case "string", Truth() if value is TRUE or value is FALSE:
            return "true" if value is TRUE else "false"
    raise OperandError(f"'{name}' does not take {_article(value)}")


def _parsed(name: str, read: Callable[[str], _N], text: str) -> _N:
    try:
        return read(text)
    except ValueError:
        raise OperandError(f"'{text[:40]}' is no {name}") from None


def _article(value: ElaboratedValue) -> str:
    name = type_name(value)
    return f"an {name}" if name[0] in "aeiou" else f"a {name}"
