"""Sums, products, quotients, powers and extremes: what they simplify to and how they print."""

from __future__ import annotations

import pytest

from snd_analysis.symbolic.integers import (
    DivisionByZero,
    EqualityVerdict,
    FoldKey,
    Integer,
    NegativeExponent,
    absolute,
    bounds,
    ceil_divide,
    compare,
    constant,
    decide_equal,
    evaluate,
    floor_divide,
    function,
    maximum,
    minimum,
    opaque,
    power,
    product_of,
    remainder,
    sign,
    substitute,
    sum_of,
    variable,
    variables,
)


def extent(name: str, least: int | None = 0, most: int | None = None) -> Integer:
    return variable(name, name, least, most)


a, b, c, d, f, k, n, p, r, s = (extent(name) for name in "abcdfknprs")
t = extent("t", 1)
"""A stride: positive."""
any_number = extent("z", None)
digit = extent("q", 0, 4)


# ---- polynomials -----------------------------------------------------------------------------------------------------
def test_equal_polynomials_are_equal_however_they_are_built() -> None:
    assert d + d == 2 * d
    assert hash(d + d) == hash(2 * d)
    assert (a + b) * (a - b) == a * a - b * b
    assert a - a == constant(0)
    assert (a * b) * c == c * (b * a)
    assert a + b != a + c
    assert +a - 1 == -(1 - a)


def test_numbers_fold() -> None:
    assert (constant(3) * 4 - 5).value == 7
    assert a.value is None
    assert (a * 0).value == 0


def test_the_key_is_the_identity_of_a_variable() -> None:
    assert variable(1, "x") == variable(1, "x")
    assert variable(1, "x") == variable(1, "y")
    assert variable(1, "x") != variable(2, "x")
    assert str(floor_divide(variable(1, "x"), 2)) == "x / 2"
    assert str(floor_divide(variable(1, "y"), 2)) == "y / 2"


def test_a_variable_of_one_value_is_a_number() -> None:
    assert variable("one", "one", 1, 1).value == 1


def test_an_opaque_integer_equals_only_itself() -> None:
    unknown = opaque("unknown")
    assert unknown == unknown + 0
    assert unknown != opaque("unknown")
    assert decide_equal(unknown, opaque("unknown")) is EqualityVerdict.UNKNOWN
    assert bounds(unknown) == (0, None)


def test_folds_are_unknowns_of_their_pack() -> None:
    volume, total = product_of("s", "s"), sum_of("s", "s")
    assert volume == product_of("s", "s")
    assert volume != total
    assert variables(volume) == {FoldKey("*", "s")}
    assert evaluate(2 * volume + total, {FoldKey("*", "s"): 6, FoldKey("+", "s"): 5}) == 17
    assert substitute(volume, {FoldKey("*", "s"): a * b}) == a * b


def test_functions_are_known_by_name_and_arguments() -> None:
    assert function("round", a + a) == function("round", 2 * a)
    assert function("round", a) != function("trunc", a)
    assert bounds(function("count", a, minimum=0) + 1) == (1, None)
    assert evaluate(function("twice", a + 1), {"a": 3}, {"twice": lambda value: 2 * value}) == 8
    assert str(substitute(function("twice", a), {"a": b})) == "twice(b)"


def test_huge_products_stay_unexpanded_and_keep_their_value() -> None:
    factor = sum((extent(f"x{at}") for at in range(30)), constant(0))
    product = factor * (factor + 1)
    assert len(product.terms) == 1
    assert product == (factor + 1) * factor
    assert evaluate(product, {f"x{at}": 1 for at in range(30)}) == 930


def test_operations_too_deep_become_unknown() -> None:
    deep = any_number
    for _ in range(2000):
        deep = absolute(deep - 1)
    assert isinstance(str(deep), str)


# ---- quotients -------------------------------------------------------------------------------------------------------
def test_numbers_divide_like_the_language() -> None:
    assert floor_divide(-7, 2).value == -4
    assert ceil_divide(-7, 2).value == -3
    assert remainder(-7, 2).value == 1
    assert remainder(7, -2).value == -1


@pytest.mark.parametrize("divide", [floor_divide, ceil_divide, remainder])
def test_division_by_zero_raises(divide: object) -> None:
    assert callable(divide)
    with pytest.raises(DivisionByZero):
        divide(a, 0)


def test_what_divides_exactly_is_divided() -> None:
    assert floor_divide(2 * d, 2) == d
    assert floor_divide(t * n + t, t) == n + 1
    assert floor_divide((t + 1) * (n + 2), t + 1) == n + 2
    assert floor_divide(6 * a + 4, 2) == 3 * a + 2
    assert ceil_divide(2 * d, 2) == d
    assert floor_divide(a, -1) == -a


def test_remainders_within_the_divisor_vanish() -> None:
    assert floor_divide(5 * n + digit, 5) == n
    assert floor_divide(2 * d + 1, 2) == d
    assert floor_divide(2 * d - 1, 2) == d - 1
    wide = extent("w", 5)
    assert floor_divide(wide * n + digit, wide) == n
    assert floor_divide(-1, t) == constant(-1)
    assert floor_divide(t - 1, t).value == 0


def test_common_factors_cancel() -> None:
    assert floor_divide(2 * a, 4) == floor_divide(a, 2)
    assert floor_divide(2 * a + 1, 4) == floor_divide(a, 2)
    assert floor_divide(a * t, b * t) == floor_divide(a, b)
    negative = extent("m", None, -1)
    assert floor_divide(a * negative, t * negative) == floor_divide(a, t)


def test_a_factor_that_may_be_zero_does_not_cancel() -> None:
    assert floor_divide(a * b, b) != a
    assert floor_divide(a * t, t) == a
    assert str(floor_divide(a * b, b)) == "a * b / b"
    assert floor_divide(0, b) != constant(0)


def test_nested_divisions_become_one() -> None:
    assert floor_divide(floor_divide(a, 2), 3) == floor_divide(a, 6)
    assert floor_divide(floor_divide(a, t), 3) == floor_divide(a, 3 * t)
    assert floor_divide(floor_divide(a + 1, 2) + b, 3) == floor_divide(a + 2 * b + 1, 6)
    assert ceil_divide(ceil_divide(a, 2), 2) == ceil_divide(a, 4)


def test_rounding_up_is_rounding_down() -> None:
    assert ceil_divide(a, 3) == floor_divide(a + 2, 3)
    assert ceil_divide(a, t) == floor_divide(a + t - 1, t)
    assert ceil_divide(a, 2) + floor_divide(a, 2) == a
    assert -floor_divide(-a, t) == ceil_divide(a, t)
    assert ceil_divide(a, b) == -floor_divide(-a, b)


def test_remainders() -> None:
    assert remainder(n, 1).value == 0
    assert remainder(4 * n, 2).value == 0
    assert remainder(4 * n + 3, 2).value == 1
    assert floor_divide(a, b) * b + remainder(a, b) == a
    assert bounds(remainder(any_number, 5)) == (0, 4)
    assert bounds(remainder(any_number, extent("w", 1, 8))) == (0, 7)
    assert bounds(remainder(a, t))[0] == 0


# ---- powers ----------------------------------------------------------------------------------------------------------
def test_powers() -> None:
    assert power(2, 10).value == 1024
    assert power(0, 0).value == 1
    assert power(a + b, 2) == a * a + 2 * a * b + b * b
    assert power(2, n + 1) == 2 * power(2, n)
    assert power(2, 2 * n) == power(2, n) * power(2, n)
    assert power(1, n).value == 1
    assert power(1, any_number).value is None
    assert bounds(power(2, n)) == (1, None)
    assert bounds(power(3, digit)) == (1, 81)


def test_negative_exponents_raise() -> None:
    with pytest.raises(NegativeExponent):
        power(2, -1)
    with pytest.raises(NegativeExponent):
        evaluate(power(2, any_number), {"z": -1})


def test_astronomic_powers_are_not_computed() -> None:
    huge = power(10, 10**12)
    assert str(huge) == "10 ** 1000000000000"
    with pytest.raises(OverflowError):
        evaluate(huge, {})


# ---- extremes --------------------------------------------------------------------------------------------------------
def test_extremes_are_decided_by_bounds() -> None:
    assert minimum(a, a + 1) == a
    assert maximum(a, a + 1) == a + 1
    assert minimum(a, -1).value == -1
    assert maximum(a, 0) == a
    assert maximum(any_number, 0) != any_number
    assert minimum(digit, 4) == digit
    assert minimum(a, maximum(a, b)) == a


def test_extremes_are_flat_and_without_order() -> None:
    assert minimum(a, minimum(b, c)) == minimum(c, b, a)
    assert minimum(a, a) == a
    assert minimum(a + 1, b + 1) == minimum(a, b) + 1
    assert minimum(2 * a, 2 * b) == 2 * minimum(a, b)
    assert minimum(-a, -b) == -maximum(a, b)
    with pytest.raises(ValueError, match="of nothing"):
        minimum()


def test_absolute_and_sign() -> None:
    assert absolute(a) == a
    assert absolute(-a - 1) == a + 1
    assert absolute(2 * a - 2 * b) == 2 * absolute(b - a)
    assert sign(t).value == 1
    assert sign(-t).value == -1
    assert sign(3 * any_number) == sign(any_number)
    assert sign(-any_number) == -sign(any_number)
    assert bounds(sign(a)) == (0, 1)


# ---- bounds ----------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("integer", "expected"),
    [
        (a * b + 3, (3, None)),
        (digit * digit, (0, 16)),
        (any_number * any_number, (0, None)),
        (-digit, (-4, 0)),
        (floor_divide(digit, 3), (0, 1)),
        (floor_divide(a, t), (0, None)),
        (minimum(a, 7), (0, 7)),
        (a - minimum(a, b), (0, None)),
        (maximum(any_number, 2) - any_number, (0, None)),
        (t * n - n, (0, None)),
        (floor_divide(s - 1, t) + 1, (0, None)),
        (a - floor_divide(a, 3), (0, None)),
        (product_of("s", "s", 1) - 1, (0, None)),
    ],
    ids=str,
)
def test_bounds(integer: Integer, expected: tuple[int | None, int | None]) -> None:
    assert bounds(integer) == expected


# ---- equality --------------------------------------------------------------------------------------------------------
def test_decided_equality() -> None:
    assert decide_equal(a + b, b + a) is EqualityVerdict.EQUAL
    assert decide_equal(a, a + 1) is EqualityVerdict.DIFFERENT
    assert decide_equal(2 * d, 2 * k + 1) is EqualityVerdict.DIFFERENT
    assert decide_equal(6 * d + 2, 4 * k + 1) is EqualityVerdict.DIFFERENT
    assert decide_equal(a + 1, 0) is EqualityVerdict.DIFFERENT
    assert decide_equal(digit, 5) is EqualityVerdict.DIFFERENT
    assert decide_equal(a, b) is EqualityVerdict.UNKNOWN
    assert decide_equal(t * 2 * d, t * (2 * k + 1)) is EqualityVerdict.DIFFERENT
    assert decide_equal(n * 2 * d, n * (2 * k + 1)) is EqualityVerdict.UNKNOWN
    assert decide_equal(floor_divide(a, 3) * 3 + remainder(a, 3), a) is EqualityVerdict.EQUAL


def test_same_padding_keeps_the_extent() -> None:
    # nn.conv with padding [(size - 1) / 2, (size - 1) \ 2] and a stride of 1
    size = extent("size", 1)
    padded = s + floor_divide(size - 1, 2) + ceil_divide(size - 1, 2)
    assert padded - size + 1 == s


# ---- printing --------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("integer", "expected"),
    [
        (constant(0), "0"),
        (constant(-3), "-3"),
        (1 + d * 2, "2 * d + 1"),
        (3 - a, "3 - a"),
        (-a - b, "-a - b"),
        (b * a * 3, "3 * a * b"),
        (-(a * b), "-a * b"),
        (a * a + 1, "a ** 2 + 1"),
        (floor_divide(2 * p + s - f, t) + 1, "(s + 2 * p - f) / t + 1"),
        (floor_divide(2 * p + s - f, 3) + 1, "(s + 2 * p - f) / 3 + 1"),
        (floor_divide(a, 2), "a / 2"),
        (3 * floor_divide(a, 2), "3 * (a / 2)"),
        (-floor_divide(a, 3), "-(a / 3)"),
        (floor_divide(a, t * n), "a / (n * t)"),
        (ceil_divide(s, 2), "s \\ 2"),
        (ceil_divide(s, 3), "s \\ 3"),
        (ceil_divide(s, t), "s \\ t"),
        (ceil_divide(s, n), "s \\ n"),
        (remainder(s, 3), "s % 3"),
        (remainder(s, t), "s % t"),
        (remainder(s, t) + 1, "s % t + 1"),
        (minimum(b, a), "a <? b"),
        (maximum(any_number, 0) + 1, "(z >? 0) + 1"),
        (absolute(a - b), "abs(a - b)"),
        (sign(any_number), "sign(z)"),
        (power(2, n), "2 ** n"),
        (power(power(2, n), 2), "(2 ** n) ** 2"),
        (product_of("s", "s"), "s * .."),
        (2 * product_of("s", "s"), "2 * (s * ..)"),
        (product_of("s", "s") + n, "n + s * .."),
        (sum_of("s", "s") + n, "n + (s + ..)"),
        (function("f", a + 1, b), "f(a + 1, b)"),
    ],
)
def test_printing(integer: Integer, expected: str) -> None:
    assert str(integer) == expected


def test_comparisons_of_integers_print_as_written() -> None:
    assert str(compare(">", any_number, 0)) == "z > 0"
