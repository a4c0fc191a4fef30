"""Built-in functions and casts of single values (2.4, Built-in functions, Casting)."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Final

from snd_analysis import rules
from snd_analysis.symbolic import integers as shapes
from snd_analysis.symbolic.integers import Integer, Truth, constant
from snd_analysis.symbolic.values.formatting import result_of
from snd_analysis.symbolic.values.real_bounds import int_bounds
from snd_analysis.symbolic.values.scalars import (
    DEFINITIONS,
    UNDEFINED,
    OperationError,
    OperationKey,
    Unknown,
    Value,
    dtype_of,
)

Function = Callable[[Value], Value]


def _real_function(name: str, compute: Callable[[float], float]) -> Function:
    def function(a: Value) -> Value:
        if isinstance(a, float):
            return compute(a)
        return result_of("real", name, (a,)) if dtype_of(a) == "real" else UNDEFINED

    return function


def _ieee(compute: Callable[[float], float]) -> Callable[[float], float]:
    """Return a function that gives NaN without a real result, and infinity for too large ones, as in IEEE 754."""

    def function(a: float) -> float:
        try:
            return compute(a)
        except OverflowError:
            # Only exp, sinh and cosh overflow; sinh is odd.
            return compute(math.copysign(math.inf, a))
        except ValueError:
            return math.nan

    return function


def _logarithm(a: float) -> float:
    return -math.inf if a == 0 else math.log(a)


def _inverse_hyperbolic_tangent(a: float) -> float:
    return math.copysign(math.inf, a) if abs(a) == 1 else math.atanh(a)


def _rounded(a: float) -> float:
    """Half away from zero."""
    if not math.isfinite(a):
        return a
    fraction, whole = math.modf(a)
    return whole + math.copysign(1.0, a) if abs(fraction) >= 0.5 else whole


def _whole(compute: Callable[[float], int]) -> Callable[[float], float]:
    """Return a rounding function that gives a real, keeps the sign of zero, and infinities and NaN."""
    return lambda a: math.copysign(float(compute(a)), a) if math.isfinite(a) else a


def _fraction(a: float) -> float:
    """Return the part after the point, with the sign of the whole."""
    return math.modf(a)[0]


def _real_sign(a: float) -> float:
    return a if math.isnan(a) else float((a > 0) - (a < 0))


def _numeric(name: str, integers: Callable[[Integer], Integer], reals: Callable[[float], float]) -> Function:
    of_real = _real_function(name, reals)

    def function(a: Value) -> Value:
        return integers(a) if isinstance(a, Integer) else of_real(a)

    return function


REAL_FUNCTIONS: Final[dict[str, Callable[[float], float]]] = {
    "sqrt": _ieee(math.sqrt),
    "exp": _ieee(math.exp),
    "log": _ieee(_logarithm),
    "sin": _ieee(math.sin),
    "cos": _ieee(math.cos),
    "tan": _ieee(math.tan),
    "asin": _ieee(math.asin),
    "acos": _ieee(math.acos),
    "atan": math.atan,
    "sinh": _ieee(math.sinh),
    "cosh": _ieee(math.cosh),
    "tanh": math.tanh,
    "asinh": math.asinh,
    "acosh": _ieee(math.acosh),
    "atanh": _ieee(_inverse_hyperbolic_tangent),
    "erf": math.erf,
    "round": _rounded,
    "floor": _whole(math.floor),
    "ceil": _whole(math.ceil),
    "frac": _fraction,
}
"""Functions of reals, by name."""

FUNCTIONS: Final[dict[str, Function]] = {
    name: _real_function(name, compute) for name, compute in REAL_FUNCTIONS.items()
} | {
    "abs": _numeric("abs", shapes.absolute, abs),
    "sign": _numeric("sign", shapes.sign, _real_sign),
}
"""The built-in functions by name."""

DEFINITIONS.update(FUNCTIONS)


# ---- casts -----------------------------------------------------------------------------------------------------------
def to_int(a: Value) -> Value:
    """Return ``int(a)``, truncated. Raise Failure for infinity and NaN."""
    match a:
        case Integer():
            return a
        case Truth():
            return shapes.choose(a, 1, 0)
        case float():
            if not math.isfinite(a):
                raise OperationError(rules.CAST_TYPE, f"{'NaN' if math.isnan(a) else 'infinity'} has no int value", 0)
            return constant(int(a))
    if not isinstance(a, Unknown) or a.dtype != "real":
        return UNDEFINED
    exact = _exact_quotient(a)
    return exact if exact is not None else result_of("int", "int", (a,), *int_bounds(a))


def _exact_quotient(a: Unknown) -> Integer | None:
    r"""Return ``m \ n`` for ``int(ceil(real(m) / real(n)))``, ``m / n`` with floor, and ``m`` for ``int(real(m))``."""
    key = a.key
    if not isinstance(key, OperationKey):
        return None
    if key.operation == "real":
        return _int_below(a)
    if key.operation not in ("ceil", "floor") or not isinstance(key.operands[0], Unknown):
        return None
    inner = key.operands[0].key
    if not isinstance(inner, OperationKey) or inner.operation != "/":
        return None
    dividend, divisor = map(_int_below, inner.operands)
    if dividend is None or divisor is None or divisor.value == 0:
        return None
    return (shapes.ceil_divide if key.operation == "ceil" else shapes.floor_divide)(dividend, divisor)


def _int_below(a: Value) -> Integer | None:
    if isinstance(a, float) and a.is_integer():
        return constant(int(a))
    if isinstance(a, Unknown) and isinstance(a.key, OperationKey) and a.key.operation == "real":
        operand = a.key.operands[0]
        return operand if isinstance(operand, Integer) else None
    return None


def to_real(a: Value) -> Value:
    """Return ``real(a)``."""
    match a:
        case Truth():
            return to_real(shapes.choose(a, 1, 0))
        case Integer(value=None):
            return result_of("real", "real", (a,))
        case Integer(value=int(number)):
            return _nearest(number)
        case _:
            return a if dtype_of(a) == "real" else UNDEFINED


def _nearest(number: int) -> float:
    try:
        return float(number)
    except OverflowError:
        return math.inf if number > 0 else -math.inf


def to_bool(a: Value) -> Value:
    """Return ``bool(a)``: True if ``a`` is not zero."""
    match a:
        case Truth():
            return a
        case Integer():
            return shapes.compare("!=", a, 0)
        case float():
            return shapes.truth(a != 0)
    return result_of("bool", "bool", (a,)) if dtype_of(a) == "real" else UNDEFINED


def to_str(a: Value) -> Value:
    """Return a string unchanged; UNDEFINED for other values."""
    return a if dtype_of(a) == "str" else UNDEFINED


CASTS: Final[dict[str, Function]] = {"int": to_int, "real": to_real, "bool": to_bool, "str": to_str}
"""Casts by the name of the element type."""

DEFINITIONS.update(CASTS)


def to_generic(dtype: Value, *operands: Value) -> Value:
    """Return ``T(a)`` and ``T()`` where nothing says which type ``T`` is."""
    assert isinstance(dtype, str)
    if operands and dtype_of(operands[0]) == dtype:
        return operands[0]
    return result_of(dtype, "cast", (dtype, *operands))


DEFINITIONS["cast"] = to_generic
