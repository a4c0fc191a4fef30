"""Operators, functions and casts over arrays, with the meaning of ``snd_analysis.symbolic.values`` and 64-bit ints.

Every operation takes arrays and returns the result. For ints it also returns a mask of elements without a result.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, TypeAlias

import numpy as np

from snd_analysis import rules
from snd_analysis.base import Rule
from snd_runtime.lowering.error_function import error_function

Array: TypeAlias = np.ndarray[Any, Any]
CheckedResult: TypeAlias = tuple[Array, "tuple[Rule, str, Array] | None"]
"""The result, and the rule, message and mask of failures."""

INT: Final = np.dtype(np.int64)
BOOL: Final = np.dtype(np.bool_)
STR: Final = np.dtype(object)
_LEAST, _GREATEST = np.iinfo(np.int64).min, np.iinfo(np.int64).max


def _overflow(symbol: str, where: Array) -> tuple[Rule, str, Array]:
    return rules.INT_OVERFLOW, rules.formulas.result_too_wide(symbol), where


# ---- ints ------------------------------------------------------------------------------------------------------------
def _add(a: Array, b: Array) -> CheckedResult:
    result = a + b
    return result, _overflow("+", ((a ^ result) & (b ^ result)) < 0)


def _subtract(a: Array, b: Array) -> CheckedResult:
    result = a - b
    return result, _overflow("-", ((a ^ b) & (a ^ result)) < 0)


def _multiply(a: Array, b: Array) -> CheckedResult:
    result = a * b
    if a.size == 0 or b.size == 0 or _magnitude(a) * _magnitude(b) <= _GREATEST:
        return result, None
    exact = a.astype(object) * b.astype(object)
    return result, _overflow("*", np.asarray(exact != result, BOOL))


def _magnitude(a: Array) -> int:
    return max(abs(int(a.min())), abs(int(a.max())))


def _zero(symbol: str, b: Array) -> tuple[Rule, str, Array]:
    return rules.DIVISION_BY_ZERO, rules.expressions.zero_divisor(symbol), b == 0


def _divide(a: Array, b: Array) -> CheckedResult:
    failing = _zero("/", b)
    if not failing[2].any() and ((a == _LEAST) & (b == -1)).any():
        failing = _overflow("/", (a == _LEAST) & (b == -1))
    return np.floor_divide(a, np.where((b == 0) | (b == -1), 1, b)) * np.where(b == -1, -1, 1), failing


def _divide_up(a: Array, b: Array) -> CheckedResult:
    quotient, failing = _divide(a, b)
    return quotient + (quotient * b != a), (failing[0], failing[1].replace("/", "\\"), failing[2]) if failing else None


def _remainder(a: Array, b: Array) -> CheckedResult:
    return np.remainder(a, np.where(b == 0, 1, b)), _zero("%", b)


def _power(a: Array, b: Array) -> CheckedResult:
    negative = b < 0
    if negative.any():
        message = rules.expressions.NO_NEGATIVE_EXPONENT
        return np.where(negative, 1, a) ** np.where(negative, 0, b), (rules.NEGATIVE_EXPONENT, message, negative)
    with np.errstate(all="ignore"):
        approximate = np.abs(a.astype(np.float64)) ** b
        if (approximate < 2.0**62).all():
            return a**b, None
    failing = np.array(approximate >= 2.0**62)
    result = np.asarray(np.where(failing, 1, a) ** np.where(failing, 0, b))
    bases, exponents = np.broadcast_to(a, result.shape), np.broadcast_to(b, result.shape)
    for at in map(tuple, np.argwhere(failing & (approximate < 2.0**65))):
        exact = int(bases[at]) ** int(exponents[at])
        if _LEAST <= exact <= _GREATEST:
            result[at], failing[at] = exact, False
    return result, _overflow("**", failing)


def _negate(a: Array) -> CheckedResult:
    return -a, _overflow("-", a == _LEAST)


def _absolute(a: Array) -> CheckedResult:
    return np.abs(a), _overflow("abs", a == _LEAST)


INTEGER_OPERATIONS: Final[dict[str, Callable[..., CheckedResult]]] = {
    "+": _add,
    "-": _subtract,
    "*": _multiply,
    "/": _divide,
    "\\": _divide_up,
    "%": _remainder,
    "**": _power,
    "negate": _negate,
    "abs": _absolute,
    "sign": lambda a: (np.sign(a), None),
    "<?": lambda a, b: (np.minimum(a, b), None),
    ">?": lambda a, b: (np.maximum(a, b), None),
}
"""The operations on ints that give ints."""

UNCHECKED: Final[dict[str, Callable[..., Array]]] = {
    "+": np.add,
    "-": np.subtract,
    "*": np.multiply,
    "negate": np.negative,
    "abs": np.abs,
}
"""Operations on ints whose results fit into 64 bits."""


# ---- reals -----------------------------------------------------------------------------------------------------------
def _rounded(a: Array) -> Array:
    """Half away from zero."""
    whole = np.trunc(a)
    return np.asarray(np.where(np.abs(a - whole) >= 0.5, whole + np.copysign(a.dtype.type(1), a), whole))


def _fraction(a: Array) -> Array:
    """Return the fractional part, with the sign of the number; 0 for infinity."""
    return np.asarray(np.where(np.isinf(a), np.copysign(a.dtype.type(0), a), a - np.trunc(a)))


def _real_power(a: Array, b: Array) -> Array:
    """Return ``a ** b``. For a single exponent of 0.5, NumPy takes the square root, which is wrong for -inf and -0."""
    result = np.power(a, b)
    if b.size == 1 and b.item() == 0.5:
        return np.asarray(np.where(np.isneginf(a), result.dtype.type(np.inf), result + result.dtype.type(0)))
    return result


REAL_OPERATIONS: Final[dict[str, Callable[..., Array]]] = {
    "+": np.add,
    "-": np.subtract,
    "*": np.multiply,
    "/": np.divide,
    "**": _real_power,
    "negate": np.negative,
    "<?": np.minimum,
    ">?": np.maximum,
    "abs": np.abs,
    "sign": np.sign,
    "sqrt": np.sqrt,
    "exp": np.exp,
    "log": np.log,
    "sin": np.sin,
    "cos": np.cos,
    "tan": np.tan,
    "asin": np.arcsin,
    "acos": np.arccos,
    "atan": np.arctan,
    "sinh": np.sinh,
    "cosh": np.cosh,
    "tanh": np.tanh,
    "asinh": np.arcsinh,
    "acosh": np.arccosh,
    "atanh": np.arctanh,
    "erf": error_function,
    "round": _rounded,
    "floor": np.floor,
    "ceil": np.ceil,
    "frac": _fraction,
}
"""The operations on reals that give reals, as IEEE 754 has them."""


# ---- comparison, logic -----------------------------------------------------------------------------------------------
def _comparison(compare: np.ufunc) -> Callable[[Array, Array], Array]:
    def compared(a: Array, b: Array) -> Array:
        # NumPy compares an int with a real as two float64, which tell ints apart up to 2 ** 53 only.
        if {a.dtype.kind, b.dtype.kind} == {"i", "f"} and not _is_exact_as_real(a if a.dtype.kind == "i" else b):
            a, b = a.astype(object), b.astype(object)
        return np.asarray(compare(a, b), BOOL)

    return compared


def _is_exact_as_real(a: Array) -> bool:
    return a.size == 0 or _magnitude(a) <= 2**53


COMPARISONS: Final[dict[str, Callable[[Array, Array], Array]]] = {
    "<": _comparison(np.less),
    "<=": _comparison(np.less_equal),
    ">": _comparison(np.greater),
    ">=": _comparison(np.greater_equal),
    "==": _comparison(np.equal),
    "!=": _comparison(np.not_equal),
}
"""Exact comparisons of two strings or of any two numbers: 1 for true, 0 for false (2.3)."""

LOGIC: Final[dict[str, Callable[..., Array]]] = {
    "&&": np.logical_and,
    "||": np.logical_or,
    "^": np.logical_xor,
    "=>": lambda a, b: np.logical_or(np.logical_not(a), b),
    "not": np.logical_not,
    "all": np.logical_and,
    "any": np.logical_or,
}


# ---- casts -----------------------------------------------------------------------------------------------------------
def cast(a: Array, dtype: np.dtype[Any]) -> CheckedResult:
    """Any array to another type: reals are truncated to ints, and must fit."""
    if dtype != INT or a.dtype.kind != "f":
        return (a != 0 if dtype == BOOL and a.dtype != BOOL else a.astype(dtype)), None
    finite = np.isfinite(a)
    fits = finite & (a >= -(2.0**63)) & (a < 2.0**63)
    result = np.where(fits, a, 0).astype(INT)
    if fits.all():
        return result, None
    if finite.all():
        return result, _overflow("int", ~fits)
    return result, (rules.CAST_TYPE, "infinity and NaN have no int value", ~fits)
