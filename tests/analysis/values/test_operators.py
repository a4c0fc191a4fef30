"""Every operator, function and cast against plain Python (2.4; LANGUAGE, Expressions)."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from snd_analysis.symbolic.values import UNDEFINED
from support.analysis.value_reading import of, value

Ints = st.integers(-50, 50)
Reals = st.floats(allow_nan=True, allow_infinity=True, width=64)

INTEGER_OPERATIONS: dict[str, Callable[[int, int], int]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": lambda a, b: math.floor(Fraction(a, b)),
    "\\": lambda a, b: math.ceil(Fraction(a, b)),
    "%": lambda a, b: a - math.floor(Fraction(a, b)) * b,
    "<?": min,
    ">?": max,
}
COMPARISONS: dict[str, Callable[[object, object], bool]] = {
    "<": operator.lt,  # type: ignore[dict-item]
    "<=": operator.le,  # type: ignore[dict-item]
    ">": operator.gt,  # type: ignore[dict-item]
    ">=": operator.ge,  # type: ignore[dict-item]
    "==": operator.eq,
    "!=": operator.ne,
}
LOGIC: dict[str, Callable[[bool, bool], bool]] = {
    "&&": lambda a, b: a and b,
    "||": lambda a, b: a or b,
    "^": operator.xor,
    "=>": lambda a, b: not a or b,
}

REAL_FUNCTIONS = (
    *("sqrt", "exp", "log", "sin", "cos", "tan", "asin", "acos", "atan"),
    *("sinh", "cosh", "tanh", "asinh", "acosh", "atanh", "erf"),
)


@pytest.mark.parametrize("symbol", INTEGER_OPERATIONS)
@given(Ints, Ints)
def test_ints(symbol: str, a: int, b: int) -> None:
    if symbol in "/\\%" and b == 0:
        return
    assert of(f"a {symbol} b", a=a, b=b) == INTEGER_OPERATIONS[symbol](a, b)


@given(Ints, Ints.filter(bool))
def test_remainder_goes_with_quotient(a: int, b: int) -> None:
    assert of("a == a / b * b + a % b", a=a, b=b) is True


@given(Ints, st.integers(0, 40))
def test_powers_of_ints_are_exact(a: int, b: int) -> None:
    assert of("a ** b", a=a, b=b) == a**b


def test_ints_have_no_size() -> None:
    assert of("a * a + 1", a=10**40) == 10**80 + 1


@pytest.mark.parametrize("symbol", "+-*")
@given(Reals, Reals)
def test_reals(symbol: str, a: float, b: float) -> None:
    expected = {"+": operator.add, "-": operator.sub, "*": operator.mul}[symbol](a, b)
    assert _same(of(f"a {symbol} b", a=a, b=b), expected)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1.0 / 0.0", math.inf),
        ("-1.0 / 0.0", -math.inf),
        ("1.0 / -0.0", -math.inf),
        ("0.0 / 0.0", math.nan),
        ("1.0 / 4.0", 0.25),
        ("2.0 ** 0.5", math.sqrt(2)),
        ("2.0 ** -1.0", 0.5),
        ("0.0 ** -1.0", math.inf),
        ("(-8.0) ** 0.5", math.nan),
        ("10.0 ** 400.0", math.inf),
        ("(-10.0) ** 401.0", -math.inf),
        ("1.0 <? 2.0", 1.0),
        ("1.0 >? 2.0", 2.0),
        ("inf - inf", math.nan),
        ("-inf", -math.inf),
        ("pi", math.pi),
    ],
)
def test_reals_follow_ieee_754(text: str, expected: float) -> None:
    assert _same(of(text), expected)


@pytest.mark.parametrize("symbol", COMPARISONS)
@given(st.one_of(st.tuples(Ints, Ints), st.tuples(Reals, Reals), st.tuples(st.text(), st.text())))
def test_comparisons(symbol: str, pair: tuple[object, object]) -> None:
    a, b = pair
    assert of(f"a {symbol} b", a=a, b=b) is COMPARISONS[symbol](a, b)


@pytest.mark.parametrize("symbol", COMPARISONS)
@pytest.mark.parametrize("a", [False, True])
@pytest.mark.parametrize("b", [False, True])
def test_comparisons_of_bools(symbol: str, a: bool, b: bool) -> None:
    assert of(f"a {symbol} b", a=a, b=b) is COMPARISONS[symbol](a, b)


@pytest.mark.parametrize("symbol", LOGIC)
@pytest.mark.parametrize("a", [False, True])
@pytest.mark.parametrize("b", [False, True])
def test_logic(symbol: str, a: bool, b: bool) -> None:
    assert of(f"a {symbol} b", a=a, b=b) is LOGIC[symbol](a, b)


@given(Ints, Reals, st.booleans())
def test_signs_and_negation(a: int, x: float, c: bool) -> None:
    assert of("[-a, +a]", a=a) == [-a, a]
    assert _same(of("-x", x=x), -x)
    assert _same(of("+x", x=x), x)
    assert of("!c", c=c) is (not c)


def test_a_sign_takes_a_following_power() -> None:
    assert of("-2 ** 2") == -4
    assert of("2 ** 3 ** 2") == 64


# ---- functions -------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("name", REAL_FUNCTIONS)
@given(st.floats(-700, 700))
def test_functions_of_reals(name: str, x: float) -> None:
    try:
        expected = getattr(math, name)(x)
    except ValueError:
        return
    assert of(f"{name}(x)", x=x) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("sqrt(-1.0)", math.nan),
        ("log(0.0)", -math.inf),
        ("log(-1.0)", math.nan),
        ("exp(1e5)", math.inf),
        ("sinh(-1e5)", -math.inf),
        ("cosh(-1e5)", math.inf),
        ("atanh(1.0)", math.inf),
        ("atanh(-1.0)", -math.inf),
        ("acosh(0.0)", math.nan),
        ("sin(inf)", math.nan),
        ("round(inf)", math.inf),
        ("floor(-inf)", -math.inf),
        ("frac(-1.75)", -0.75),
        ("round(0.5)", 1.0),
        ("round(-0.5)", -1.0),
        ("round(2.5)", 3.0),
        ("round(0.49999999999999994)", 0.0),
        ("floor(-0.5)", -1.0),
        ("ceil(0.5)", 1.0),
        ("sign(-2.5)", -1.0),
        ("sign(0.0)", 0.0),
        ("abs(-2.5)", 2.5),
    ],
)
def test_functions_at_their_edges(text: str, expected: float) -> None:
    assert _same(of(text), expected)


@given(Ints)
def test_functions_of_ints(a: int) -> None:
    assert of("[abs(a), sign(a)]", a=a) == [abs(a), (a > 0) - (a < 0)]


@given(st.floats(-1e15, 1e15))
def test_rounding(x: float) -> None:
    below, above = math.floor(x), math.ceil(x)
    assert of("floor(x)", x=x) == below
    assert of("ceil(x)", x=x) == above
    exact = Fraction(x)
    half_away = math.floor(abs(exact) + Fraction(1, 2)) * (1 if x >= 0 else -1)
    assert of("round(x)", x=x) == half_away
    assert of("frac(x)", x=x) == x - math.trunc(x)


# ---- casts -----------------------------------------------------------------------------------------------------------
@given(st.floats(-1e15, 1e15), Ints, st.booleans())
def test_casts(x: float, a: int, c: bool) -> None:
    assert of("int(x)", x=x) == math.trunc(x)
    assert of("real(a)", a=a) == float(a)
    assert of("[int(c), int(a)]", a=a, c=c) == [int(c), a]
    assert of("[bool(a), bool(x), bool(c)]", a=a, x=x, c=c) == [bool(a), bool(x), c]
    assert of("[real(c), real(x)]", x=x, c=c) == [float(c), x]


def test_casts_to_generic_types() -> None:
    for name, expected in (("int", 3), ("real", 3.0), ("bool", True)):
        assert of("T(3)", types={"T": name}) == expected
    assert of("T(a)", types={"T": "str"}, a="x") == "x"


def test_default_values() -> None:
    assert (of("int()"), of("real()"), of("bool()"), of("str()")) == (0, 0.0, False, "")
    assert of("T()", types={"T": "real"}) == 0.0


# ---- packs -----------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("symbol", ["+", "-", "*", "<?", ">?", "<", "<=", "==", "!="])
@given(st.lists(st.tuples(Ints, Ints), max_size=5), Ints)
def test_operators_go_item_by_item(symbol: str, pairs: list[tuple[int, int]], single: int) -> None:
    operation = INTEGER_OPERATIONS.get(symbol) or COMPARISONS[symbol]
    a, b = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
    assert of(f"a {symbol} b", a=a, b=b) == [operation(x, y) for x, y in pairs]
    assert of(f"a {symbol} k", a=a, k=single) == [operation(x, single) for x in a]
    assert of(f"k {symbol} a", a=a, k=single) == [operation(single, x) for x in a]


@given(st.lists(Ints, max_size=5))
def test_functions_go_item_by_item(a: list[int]) -> None:
    assert of("-a", a=a) == [-x for x in a]
    assert of("abs(a)", a=a) == [abs(x) for x in a]
    assert of("real(a)", a=a) == [float(x) for x in a]
    assert of("!(a > 0)", a=a) == [x <= 0 for x in a]


def test_operands_of_wrong_types_are_undefined() -> None:
    # Such mistakes are reported by typing; nothing is said twice.
    for text in ("1 + 1.0", "'a' + 'b'", "!1", "1 && true", "sqrt(2)", "1.0 % 2.0", "-'a'", "int('1')", "2 + missing"):
        assert value(text) is UNDEFINED, text


def _same(a: object, b: float) -> bool:
    assert isinstance(a, float)
    return (math.isnan(a) and math.isnan(b)) or (a == b and math.copysign(1, a) == math.copysign(1, b))
