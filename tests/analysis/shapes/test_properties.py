"""Whatever is built, simplified, decided or printed agrees with plain evaluation of what was written."""

from __future__ import annotations

import pickle

from hypothesis import HealthCheck, assume, given, settings

from generators.shape_trees import (
    PROPOSITIONS,
    VARIABLES,
    Tree,
    assignments,
    built,
    built_condition,
    condition_trees,
    condition_value,
    defined,
    integer_trees,
    polynomial_trees,
    value,
)
from snd_analysis.symbolic import integers as shapes
from snd_analysis.symbolic.integers import (
    FALSE,
    TRUE,
    DivisionByZero,
    EqualityVerdict,
    Integer,
    NegativeExponent,
    Truth,
)
from support.analysis.shape_reading import read
from support.sampling import examples

FAILURES = (DivisionByZero, NegativeExponent)
quick = settings(max_examples=examples(200), deadline=None, suppress_health_check=list(HealthCheck))


def build(tree: Tree) -> Integer:
    """The integer, unless a part of it has no value, whatever the variables are."""
    try:
        return built(tree)
    except FAILURES:
        assume(False)
        raise


def build_condition(tree: Tree) -> Truth:
    try:
        return built_condition(tree)
    except FAILURES:
        assume(False)
        raise


@quick
@given(integer_trees(), assignments())
def test_simplified_integers_have_the_value_of_what_was_written(tree: Tree, variables: dict[str, int]) -> None:
    integer = build(tree)
    expected = defined(tree, variables)
    if expected is not None:
        assert shapes.evaluate(integer, variables) == expected


@quick
@given(condition_trees(), assignments())
def test_simplified_conditions_hold_where_what_was_written_holds(tree: Tree, variables: dict[str, int]) -> None:
    condition = build_condition(tree)
    try:
        expected = condition_value(tree, variables)
    except FAILURES:
        return
    assert shapes.evaluate(condition, variables) is expected
    assert condition is not (FALSE if expected else TRUE)


@quick
@given(integer_trees(), assignments())
def test_bounds_hold(tree: Tree, variables: dict[str, int]) -> None:
    low, high = shapes.bounds(build(tree))
    number = defined(tree, variables)
    if number is not None:
        assert low is None or low <= number
        assert high is None or number <= high


@quick
@given(integer_trees(6), integer_trees(6), assignments())
def test_equality_is_never_decided_wrongly(a: Tree, b: Tree, variables: dict[str, int]) -> None:
    first, second = build(a), build(b)
    verdict = shapes.decide_equal(first, second)
    assert first != second or verdict is EqualityVerdict.EQUAL
    left, right = defined(a, variables), defined(b, variables)
    if left is None or right is None:
        return
    if verdict is EqualityVerdict.EQUAL:
        assert left == right
    if verdict is EqualityVerdict.DIFFERENT:
        assert left != right


@quick
@given(polynomial_trees(6), polynomial_trees(6), polynomial_trees(4), assignments())
def test_what_is_written_differently_is_not_called_different(
    a: Tree, b: Tree, c: Tree, variables: dict[str, int]
) -> None:
    first, second = ("*", ("+", a, b), c), ("+", ("*", c, b), ("*", a, c))
    # Divisors of unknown sign may keep the two forms apart, but then they are UNKNOWN, never DIFFERENT.
    assert shapes.decide_equal(build(first), build(second)) is not EqualityVerdict.DIFFERENT
    quotient, left = ("/", a, b), ("%", a, b)
    assert shapes.decide_equal(build(("+", ("*", quotient, b), left)), build(a)) is not EqualityVerdict.DIFFERENT
    if defined(quotient, variables) is not None:
        assert shapes.evaluate(build(left), variables) == value(left, variables)


@quick
@given(integer_trees(), integer_trees(4), assignments())
def test_substitution_is_evaluation_with_the_value_of_what_is_put_in(
    tree: Tree, inner: Tree, variables: dict[str, int]
) -> None:
    integer, replacement = build(tree), build(inner)
    number = defined(inner, variables)
    # Powers of powers get astronomic.
    assume(number is not None and abs(number) < 100)
    assert number is not None
    for name in ("n", "d"):
        low = VARIABLES[name].low
        least = shapes.bounds(replacement)[0]
        if low is not None and (least is None or least < low):
            continue
        after = variables | {name: number}
        expected = defined(tree, after)
        if expected is None:
            continue
        try:
            substituted = shapes.substitute(integer, {name: replacement})
        except FAILURES:
            # Nothing has a value there but branches that are not known yet not to be taken.
            assert "?" in str(tree)
            continue
        assert shapes.evaluate(substituted, variables) == expected


@quick
@given(integer_trees(), assignments())
def test_substitution_of_all_values_leaves_a_number(tree: Tree, variables: dict[str, int]) -> None:
    integer = build(tree)
    expected = defined(tree, variables)
    if expected is not None:
        assert shapes.substitute(integer, variables).value == expected


@quick
@given(integer_trees())
def test_substitution_of_variables_by_themselves_changes_nothing(tree: Tree) -> None:
    integer = build(tree)
    same = {leaf.key: shapes.variable(leaf.key, leaf.name, leaf.low, leaf.high) for leaf in integer.leaves}
    same = {key: variable for key, variable in same.items() if key not in PROPOSITIONS}
    again = shapes.substitute(integer, same)
    assert shapes.decide_equal(again, integer) is not EqualityVerdict.DIFFERENT


@quick
@given(integer_trees(), assignments())
def test_printed_integers_read_back_with_the_same_value(tree: Tree, variables: dict[str, int]) -> None:
    integer = build(tree)
    text = str(integer)
    if "..." in text:
        return
    expected = defined(tree, variables)
    if expected is not None:
        # Conditions print in canonical order: what one guards in the source may stand before it then.
        assert defined(read(text), variables) in ((expected, None) if "?" in text else (expected,)), text


@quick
@given(polynomial_trees(), assignments())
def test_printed_quotients_read_back_with_the_same_value(tree: Tree, variables: dict[str, int]) -> None:
    integer = build(tree)
    text = str(integer)
    if "..." in text:
        return
    again = read(text)
    assert shapes.decide_equal(built(again), integer) is not EqualityVerdict.DIFFERENT, text
    expected = defined(tree, variables)
    if expected is not None:
        assert value(again, variables) == expected, text


@quick
@given(condition_trees(), assignments())
def test_printed_conditions_read_back_with_the_same_meaning(tree: Tree, variables: dict[str, int]) -> None:
    condition = build_condition(tree)
    text = str(condition)
    if "..." in text:
        return
    if condition in (TRUE, FALSE):
        return
    try:
        expected = condition_value(tree, variables)
        found = condition_value(read(text), variables)
    except FAILURES:
        return
    assert found is expected, text


@quick
@given(integer_trees())
def test_pickled_integers_are_equal(tree: Tree) -> None:
    integer = build(tree)
    assert pickle.loads(pickle.dumps(integer)) == integer
