"""Conditions over symbols are canonical and decided where possible; integers that they choose between simplify."""

from __future__ import annotations

import pytest

from snd_analysis.symbolic.integers import (
    FALSE,
    TRUE,
    DivisionByZero,
    EqualityVerdict,
    Truth,
    and_,
    bounds,
    choose,
    compare,
    constant,
    decide_equal,
    evaluate,
    floor_divide,
    implies,
    maximum,
    not_,
    or_,
    proposition,
    substitute,
    truth,
    variable,
    variables,
    xor,
)

a, b, d, n, t = (variable(name, name) for name in "abdnt")
any_number = variable("z", "z", None)
digit = variable("q", "q", 0, 4)
yes, also = proposition("yes", "yes"), proposition("also", "also")


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        (compare("<", a, a + 1), TRUE),
        (compare(">=", a, 0), TRUE),
        (compare("<", digit, 5), TRUE),
        (compare(">", digit, 4), FALSE),
        (compare("==", 2 * a, 2 * b + 1), FALSE),
        (compare("!=", a, a), FALSE),
        (compare("==", a + b, b + a), TRUE),
        (compare("==", 3, 3), TRUE),
        (compare("<=", 4, 3), FALSE),
        (or_(yes, not_(yes)), TRUE),
        (and_(yes, not_(yes)), FALSE),
        (xor(yes, yes), FALSE),
        (implies(FALSE, yes), TRUE),
        (implies(yes, yes), TRUE),
        (and_(yes, TRUE), yes),
        (or_(yes, FALSE), yes),
        (not_(not_(yes)), yes),
        (and_(), TRUE),
        (or_(), FALSE),
        (and_(compare(">", any_number, 3), compare(">", any_number, 1)), compare(">", any_number, 3)),
        (and_(compare(">", any_number, 3), compare("<", any_number, 2)), FALSE),
        (or_(compare("<", any_number, 3), compare(">", any_number, 1)), TRUE),
        (or_(and_(yes, also), and_(yes, not_(also)), not_(yes)), TRUE),
        (or_(yes, and_(yes, also)), yes),
    ],
)
def test_what_can_be_decided_is(condition: Truth, expected: Truth) -> None:
    assert condition == expected


def test_comparisons_are_canonical() -> None:
    assert compare("<", a, b) == compare(">", b, a)
    assert compare("<=", a, b) == not_(compare(">", a, b))
    assert compare("<", 2 * n, 5) == compare("<=", n, 2)
    assert compare("==", 2 * a, 2 * b) == compare("==", b, a)
    assert hash(compare("<", a, b)) == hash(compare(">", b, a))


def test_operands_of_connectives_have_no_order() -> None:
    assert and_(yes, also) == and_(also, yes)
    assert or_(yes, also, compare("<", a, b)) == or_(compare("<", a, b), or_(also, yes))
    assert not_(and_(yes, also)) == or_(not_(also), not_(yes))


def test_a_condition_has_no_python_truth() -> None:
    with pytest.raises(TypeError):
        bool(yes)


def test_unknown_relations_raise() -> None:
    with pytest.raises(ValueError, match="not a comparison"):
        compare("=", a, b)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        (TRUE, "true"),
        (truth(False), "false"),
        (not_(yes), "!yes"),
        (and_(yes, not_(also)), "yes && !also"),
        (and_(yes, or_(also, compare("==", a, b))), "yes && (also || a == b)"),
        (compare("<", a, b + 1), "a <= b"),
        (compare(">", n, 0), "n > 0"),
        (compare("<=", n, 0), "n <= 0"),
        (compare("!=", n, 3), "n != 3"),
        (compare(">=", n, 3), "n >= 3"),
        (compare("<", n, 2 * d), "2 * d > n"),
    ],
)
def test_printing(condition: Truth, expected: str) -> None:
    assert str(condition) == expected


# ---- choices ---------------------------------------------------------------------------------------------------------
def test_choices_by_what_is_known_or_does_not_matter() -> None:
    assert choose(TRUE, a, b) == a
    assert choose(FALSE, a, b) == b
    assert choose(yes, a, a) == a
    assert choose(not_(yes), a, b) == choose(yes, b, a)
    assert choose(yes, a + 1, b + 1) == choose(yes, a, b) + 1
    assert choose(yes, choose(yes, a, b), d) == choose(yes, a, d)
    assert choose(compare("==", a, 1), 1, a) == a
    assert choose(compare("==", a, b), a, b) == b
    assert choose(and_(yes, also), a, b) == choose(yes, choose(also, a, b), b)
    assert floor_divide(choose(yes, 4, 2 * d), 2) == choose(yes, 2, d)
    assert compare("==", choose(yes, 1, 0), 1) == yes
    assert compare("<", choose(yes, 1, 0), 1) == not_(yes)


def test_choices_know_their_condition() -> None:
    positive_part = choose(compare(">", any_number, 0), any_number, 0)
    assert bounds(positive_part) == (0, None)
    assert decide_equal(positive_part, maximum(any_number, 0)) is EqualityVerdict.EQUAL
    assert decide_equal(choose(yes, 1, 3), 2) is EqualityVerdict.DIFFERENT
    assert decide_equal(choose(yes, 1, 3), 3) is EqualityVerdict.UNKNOWN
    assert bounds(choose(yes, digit, digit + 2)) == (0, 6)
    assert decide_equal(choose(compare("==", a, 3), a, 3), 3) is EqualityVerdict.EQUAL


def test_the_branch_not_chosen_needs_no_value() -> None:
    guarded = choose(compare("!=", t, 0), floor_divide(a, t), 7)
    assert evaluate(guarded, {"a": 6, "t": 0}) == 7
    assert evaluate(guarded, {"a": 6, "t": 2}) == 3
    assert substitute(guarded, {"t": constant(0)}).value == 7
    otherwise = choose(compare("==", t, 0), 7, floor_divide(a, t))
    assert evaluate(otherwise, {"a": 6, "t": 0}) == 7
    assert substitute(otherwise, {"t": 0}).value == 7
    with pytest.raises(DivisionByZero):
        substitute(floor_divide(a, t), {"t": 0})
    safe = and_(compare("!=", t, 0), compare(">", floor_divide(a, t), 1))
    assert evaluate(safe, {"a": 6, "t": 0}) is False
    assert substitute(safe, {"t": 0}) is FALSE


def test_substitution_into_conditions() -> None:
    assert substitute(compare("<", a, b), {"a": b}) is FALSE
    assert substitute(and_(yes, also), {"yes": True}) == also
    assert substitute(choose(yes, a, b), {"yes": not_(also)}) == choose(also, b, a)
    assert variables(choose(and_(yes, compare("<", a, 3)), n, 0)) == {"yes", "a", "n"}


@pytest.mark.parametrize(
    ("integer", "expected"),
    [
        (choose(compare(">", any_number, 0), any_number, 0), "z > 0 ? z : 0"),
        (choose(yes, a, b), "yes ? a : b"),
        (choose(yes, 0, b), "!yes ? b : 0"),
        (choose(yes, 1, 0) + d, "d + (yes ? 1 : 0)"),
        (choose(and_(yes, also), a, b), "also && yes ? a : b"),
        (choose(yes, a, choose(also, b, d)), "yes ? a : also ? b : d"),
        (floor_divide(choose(yes, a, b), 3), "yes ? a / 3 : b / 3"),
    ],
)
def test_printing_choices(integer: object, expected: str) -> None:
    assert str(integer) == expected
