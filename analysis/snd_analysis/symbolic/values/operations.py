"""Operators on one or two single values (2.4, Unary and binary operators; LANGUAGE, Expressions).

``OPERATIONS`` and ``UNARY`` are the definitions; everything else applies them: to packs, in folds, once more when
unknowns become known.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Hashable
from typing import Final, TypeAlias

from msgspec import Struct

from snd_analysis import rules
from snd_analysis.symbolic import integers as shapes
from snd_analysis.symbolic.integers import (
    FALSE,
    TRUE,
    DivisionByZero,
    FoldKey,
    Integer,
    NegativeExponent,
    Truth,
    constant,
    is_too_large,
)
from snd_analysis.symbolic.limits import MOST_BITS
from snd_analysis.symbolic.values.formatting import format_value, result_of
from snd_analysis.symbolic.values.pack import Element, ItemRun, Pack, Segment
from snd_analysis.symbolic.values.scalars import (
    DEFINITIONS,
    UNDEFINED,
    Fresh,
    Maybe,
    OperationError,
    OperationKey,
    Unknown,
    Value,
    dtype_of,
    too_large,
)

Binary: TypeAlias = Callable[[Value, Value], Value]


def number(value: int) -> Integer:
    """Return a number as a value. Raise Failure if it has too many digits."""
    if value.bit_length() > MOST_BITS:
        raise _too_many_digits(value.bit_length())
    return constant(value)


def _too_many_digits(bits: int) -> OperationError:
    return too_large(f"this int has about {bits * 3 // 10:,} digits")


def division_by_zero(symbol: str) -> OperationError:
    """Return why a quotient has no value."""
    return OperationError(rules.DIVISION_BY_ZERO, rules.expressions.zero_divisor(symbol), 1)


# ---- arithmetic ------------------------------------------------------------------------------------------------------
def _arithmetic(
    symbol: str,
    numbers: Callable[[int, int], int],
    integers: Callable[[Integer, Integer], Integer],
    reals: Callable[[float, float], float] | None,
) -> Binary:
    def operation(a: Value, b: Value) -> Value:
        if isinstance(a, Integer) and isinstance(b, Integer):
            x, y = a.value, b.value
            try:
                return integers(a, b) if x is None or y is None else number(numbers(x, y))
            except (ZeroDivisionError, DivisionByZero):
                raise division_by_zero(symbol) from None
        if isinstance(a, float) and isinstance(b, float) and reals is not None:
            return reals(a, b)
        return _of_unknown_reals(symbol, "real", a, b) if reals is not None else UNDEFINED

    return operation


def _of_unknown_reals(symbol: str, dtype: str, a: Value, b: Value) -> Value:
    if dtype_of(a) == "real" and dtype_of(b) == "real":
        return result_of(dtype, symbol, (a, b))
    return UNDEFINED


def _real_quotient(a: float, b: float) -> float:
    """Return the quotient of IEEE 754: infinity, or NaN for 0 / 0."""
    if b:
        return a / b
    return math.nan if a == 0 or math.isnan(a) else math.copysign(math.inf, a) * math.copysign(1.0, b)


def _real_power(a: float, b: float) -> float:
    """Return IEEE 754's pow: infinity if the result is too large or a zero is inverted, NaN if it is not real."""
    try:
        return math.pow(a, b)
    except OverflowError:
        odd = b % 2 == 1
        return -math.inf if a < 0 and odd else math.inf
    except ValueError:
        if a == 0:
            return math.copysign(math.inf, a) if b % 2 == 1 else math.inf
        return math.nan


def _power(a: Value, b: Value) -> Value:
    if isinstance(a, Integer) and isinstance(b, Integer):
        x, y = a.value, b.value
        if x is not None and y is not None and is_too_large(x, y):
            raise _too_many_digits(x.bit_length() * y)
        try:
            return shapes.power(a, b)
        except NegativeExponent:
            raise OperationError(rules.NEGATIVE_EXPONENT, rules.expressions.NO_NEGATIVE_EXPONENT, 1) from None
    if isinstance(a, float) and isinstance(b, float):
        return _real_power(a, b)
    return _of_unknown_reals("**", "real", a, b)


# ---- comparison ------------------------------------------------------------------------------------------------------
def _comparison(symbol: shapes.Relation, known: Callable[[object, object], bool]) -> Binary:
    def operation(a: Value, b: Value) -> Value:
        if isinstance(a, Integer) and isinstance(b, Integer):
            x, y = a.value, b.value
            return shapes.compare(symbol, a, b) if x is None or y is None else shapes.truth(known(x, y))
        if (isinstance(a, float) and isinstance(b, float)) or (isinstance(a, str) and isinstance(b, str)):
            return shapes.truth(known(a, b))
        if isinstance(a, Truth) and isinstance(b, Truth):
            return shapes.compare(symbol, shapes.choose(a, 1, 0), shapes.choose(b, 1, 0))
        dtype = dtype_of(a)
        if dtype != dtype_of(b) or dtype is None:
            return UNDEFINED
        if dtype == "str" and a == b:
            return shapes.truth(symbol in ("==", "<=", ">="))
        return result_of("bool", symbol, (a, b))

    return operation


# ---- logic -----------------------------------------------------------------------------------------------------------
def _connective(combine: Callable[[Truth, Truth], Truth]) -> Binary:
    def operation(a: Value, b: Value) -> Value:
        return combine(a, b) if isinstance(a, Truth) and isinstance(b, Truth) else UNDEFINED

    return operation


OPERATIONS: Final[dict[str, Binary]] = {
    "+": _arithmetic("+", operator.add, operator.add, operator.add),
    "-": _arithmetic("-", operator.sub, operator.sub, operator.sub),
    "*": _arithmetic("*", operator.mul, operator.mul, operator.mul),
    "/": _arithmetic("/", operator.floordiv, shapes.floor_divide, _real_quotient),
    "\\": _arithmetic("\\", lambda a, b: -(-a // b), shapes.ceil_divide, None),
    "%": _arithmetic("%", operator.mod, shapes.remainder, None),
    "**": _power,
    # NaN where any operand is, so that a fold does not depend on the order.
    "<?": _arithmetic("<?", min, shapes.minimum, lambda a, b: a if a < b or math.isnan(a) else b),
    ">?": _arithmetic(">?", max, shapes.maximum, lambda a, b: a if a > b or math.isnan(a) else b),
    "<": _comparison("<", operator.lt),  # type: ignore[arg-type]
    "<=": _comparison("<=", operator.le),  # type: ignore[arg-type]
    ">": _comparison(">", operator.gt),  # type: ignore[arg-type]
    ">=": _comparison(">=", operator.ge),  # type: ignore[arg-type]
    "==": _comparison("==", operator.eq),
    "!=": _comparison("!=", operator.ne),
    "&&": _connective(shapes.and_),
    "||": _connective(shapes.or_),
    "^": _connective(shapes.xor),
    "=>": _connective(shapes.implies),
}
"""The binary operators that go item by item, by symbol."""

DEFINITIONS.update(OPERATIONS)


# ---- one operand -----------------------------------------------------------------------------------------------------
def negated(a: Value) -> Value:
    """Return ``-a``."""
    if isinstance(a, Integer):
        number = a.value
        return -a if number is None else constant(-number)
    if isinstance(a, float):
        return -a
    return result_of("real", "negate", (a,)) if dtype_of(a) == "real" else UNDEFINED


def unchanged(a: Value) -> Value:
    """Return ``+a``."""
    return a if isinstance(a, Integer | float | Unknown) else UNDEFINED


def opposite(a: Value) -> Value:
    """Return ``!a``."""
    return shapes.not_(a) if isinstance(a, Truth) else UNDEFINED


UNARY: Final[dict[str, Callable[[Value], Value]]] = {"-": negated, "+": unchanged, "!": opposite}
"""The unary operators that go item by item, by symbol."""

DEFINITIONS["negate"] = negated


# ---- identity --------------------------------------------------------------------------------------------------------
def identical_now(a: Value, b: Value) -> Value:
    """Return ``a is b`` while a graph is composed: true if both are the same as far as compile time can know."""
    if _same(a, b):
        return shapes.TRUE
    return identical_later(a, b) if may_become_known(a) or may_become_known(b) else shapes.FALSE


def identical_later(a: Value, b: Value) -> Value:
    """Return ``a is b`` where unknown values may still become known at compile time: undecided unless certain."""
    if _same(a, b):
        return shapes.TRUE
    if isinstance(a, Truth) and isinstance(b, Truth):
        return shapes.not_(shapes.xor(a, b))
    dtype = dtype_of(a)
    if dtype is None or dtype != dtype_of(b):
        return shapes.FALSE
    return OPERATIONS["=="](a, b)


def _same(a: Value, b: Value) -> bool:
    if a is b:
        return not (isinstance(a, float) and math.isnan(a))
    return dtype_of(a) is not None and type(a) is type(b) and a == b


def formatted(*parts: Value) -> Value:
    """Return a string of parts; parts that are not strings are formatted."""
    if all(map(_is_known, parts)):
        return "".join(map(format_value, parts))
    return result_of("str", "format", parts)


def _is_known(value: Value) -> bool:
    match value:
        case Integer():
            return value.value is not None
        case Truth():
            return value is TRUE or value is FALSE
        case Pack():
            return value.items is not None and all(map(_is_known, value.items))
        case Maybe():
            return False
    return dtype_of(value) is None or isinstance(value, float | str)


DEFINITIONS["format"] = formatted


# ---- unknowns that compile time may determine, such as an attribute without a value yet ------------------------------
# ``is`` and ``:=`` treat two values as different that are not the same as far as is known (2.4). That holds for values
# that only the run determines; for these unknowns it is open.


# ---- unknowns that compile time may determine, such as an attribute without a value yet ------------------------------
class CompileTime(Struct, frozen=True):
    """The key of an unknown that has a value when a model is compiled; ``key`` says which it is."""

    key: Hashable


def may_become_known(value: Segment) -> bool:
    """Return whether a value may become better known at compile time, by itself or by its operands."""
    match value:
        case Integer() | Truth():
            return any(_is_open(leaf.key) for leaf in value.leaves)
        case Unknown():
            return _is_open(value.key)
        case ItemRun():
            return may_become_known(value.length) or may_become_known(value.element)
        case Pack():
            return any(map(may_become_known, value.segments))
    return isinstance(value, Maybe) and (may_become_known(value.present) or may_become_known(value.value))


def _is_open(key: Hashable) -> bool:
    match key:
        case CompileTime() | Fresh():  # the origin of a fresh unknown is not known
            return True
        case Pack():
            return may_become_known(key)
        case Element():
            return _is_open(key.pack) or may_become_known(key.index)
        case OperationKey():
            return any(map(may_become_known, key.operands))
        case FoldKey():
            return _is_open(key.pack)
    return isinstance(key, tuple) and any(map(_is_open, key))
