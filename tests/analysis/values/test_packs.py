"""Lists, ranges, zips, indexing, substitution, folds, membership, identity on known values (2.4)."""

from __future__ import annotations

import math
from itertools import accumulate, combinations, pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from snd_analysis.skriptnd.evaluate import EvaluationError
from snd_analysis.symbolic import integers as shapes
from snd_analysis.symbolic.values import UNDEFINED
from support.analysis.value_reading import of, value

Ints = st.integers(-9, 9)
Packs = st.lists(Ints, max_size=6)


# ---- lists -----------------------------------------------------------------------------------------------------------
@given(Packs, Packs, Ints)
def test_lists_are_flat(a: list[int], b: list[int], k: int) -> None:
    assert of("[k, a.., b.., k]", a=a, b=b, k=k) == [k, *a, *b, k]


@given(Ints, st.integers(-2, 6), st.booleans(), Packs)
def test_repetitions(k: int, count: int, flag: bool, a: list[int]) -> None:
    assert of("[k..(n)]", k=k, n=count) == [k] * max(count, 0)
    assert of("[k..(c), 1]", k=k, c=flag) == [k] * flag + [1]
    assert of("[a..(c), 1]", a=a, c=flag) == a * flag + [1]
    assert of("[a..(n), 1]", a=a, n=len(a)) == [*a, 1]


@given(Ints, Ints, Ints.filter(bool))
def test_ranges(first: int, last: int, step: int) -> None:
    assert of("[a:b:c]", a=first, b=last, c=step) == list(range(first, last, step))
    assert of("[0, a:b, 1]", a=first, b=last) == [0, *range(first, last), 1]


@given(st.lists(st.tuples(Ints, Ints, Ints), min_size=1, max_size=5))
def test_zips_and_unzips(rows: list[tuple[int, int, int]]) -> None:
    a, b, c = ([row[place] for row in rows] for place in range(3))
    assert of("[(a, b, c)..]", a=a, b=b, c=c) == [item for row in rows for item in row]
    assert of("[(a, b)..][0::2]", a=a, b=b) == a
    assert of("[(a, b)..][1::2]", a=a, b=b) == b


def test_long_repetitions_are_not_written_out() -> None:
    assert of("([1 ..(10000000)] * 2 + 1) := ..") == 3
    assert of("[1 ..(10000000)] + ..") == 10_000_000
    assert of("[1 ..(10000000)][-1]") == 1


# ---- indexing --------------------------------------------------------------------------------------------------------
@given(Packs.filter(bool), st.data())
def test_one_index(a: list[int], data: st.DataObject) -> None:
    index = data.draw(st.integers(-len(a), len(a) - 1))
    assert of("a[i]", a=a, i=index) == a[index]
    indices = data.draw(st.lists(st.integers(-len(a), len(a) - 1), max_size=5))
    assert of("a[i]", a=a, i=indices) == [a[i] for i in indices]


@given(Packs, st.data())
def test_slices(a: list[int], data: st.DataObject) -> None:
    bound = st.one_of(st.none(), st.integers(-len(a), len(a)))
    first, last = data.draw(bound), data.draw(bound)
    step = data.draw(st.one_of(st.none(), Ints.filter(bool)))
    names = {name: number for name, number in (("f", first), ("l", last), ("s", step)) if number is not None}
    text = f"a[{'f' if 'f' in names else ''}:{'l' if 'l' in names else ''}{':s' if 's' in names else ''}]"
    assert of(text, a=a, **names) == a[first:last:step]


def test_an_explicit_minus_one_is_the_last_item() -> None:
    assert of("a[:-1:-1]", a=[1, 2, 3]) == []
    assert of("a[::-1]", a=[1, 2, 3]) == [3, 2, 1]


@given(st.lists(st.tuples(Ints, st.booleans()), max_size=6))
def test_masks(rows: list[tuple[int, bool]]) -> None:
    a, mask = [row[0] for row in rows], [row[1] for row in rows]
    assert of("a[m]", a=a, m=mask) == [item for item, bit in rows if bit]


@given(st.text("abcde", min_size=1, max_size=6), st.data())
def test_strings(text: str, data: st.DataObject) -> None:
    index = data.draw(st.integers(-len(text), len(text) - 1))
    indices = data.draw(st.lists(st.integers(-len(text), len(text) - 1), max_size=4))
    assert of("t[i]", t=text, i=index) == text[index]
    assert of("t[i]", t=text, i=indices) == "".join(text[i] for i in indices)
    assert of("t[i:]", t=text, i=index) == text[index:]
    assert of("t[::-1]", t=text) == text[::-1]


# ---- substitution ----------------------------------------------------------------------------------------------------
@given(Packs.filter(bool), st.data())
def test_substitution(a: list[int], data: st.DataObject) -> None:
    indices = data.draw(st.lists(st.integers(-len(a), len(a) - 1), max_size=5))
    values = data.draw(st.lists(Ints, min_size=len(indices), max_size=len(indices)))
    many, single = list(a), list(a)
    for index, new in zip(indices, values, strict=True):
        many[index] = new
        single[index] = 7
    # If an index repeats, its last value wins.
    assert of("a[i] <- b", a=a, i=indices, b=values) == many
    assert of("a[i] <- 7", a=a, i=indices) == single
    assert of("a[0] <- 1 + 2", a=a) == [3, *a[1:]]
    assert of("a[1:] <- b", a=a, b=values[: len(a) - 1]) == [a[0], *values] if len(values) == len(a) - 1 else True


# ---- folds -----------------------------------------------------------------------------------------------------------
@given(Packs)
def test_folds_of_ints(a: list[int]) -> None:
    assert of("a + ..", a=a) == sum(a)
    assert of("a * ..", a=a) == math.prod(a)
    assert of("a < ..", a=a) is all(x < y for x, y in pairwise(a))
    assert of("a <= ..", a=a) is all(x <= y for x, y in pairwise(a))
    assert of("a > ..", a=a) is all(x > y for x, y in pairwise(a))
    assert of("a >= ..", a=a) is all(x >= y for x, y in pairwise(a))
    assert of("a != ..", a=a) is all(x != y for x, y in combinations(a, 2))
    assert of("a == ..", a=a) is (len(set(a)) <= 1)
    assert of("a := ..", a=a) == (a[0] if len(set(a)) == 1 else None)
    if a:
        assert of("[a <? .., a >? ..]", a=a) == [min(a), max(a)]
    assert of("(a + ..) + 42", a=a) == of("a + .. + 42", a=a) == sum(a) + 42


@given(st.lists(st.floats(-1e6, 1e6), max_size=5))
def test_folds_of_reals(a: list[float]) -> None:
    total, product = 0.0, 1.0
    for item in a:
        total, product = total + item, product * item
    assert of("a + ..", a=a) == pytest.approx(total)
    assert of("a * ..", a=a) == pytest.approx(product)
    assert of("a == ..", a=a) is (len(set(a)) <= 1)


@given(st.lists(st.booleans(), max_size=5))
def test_folds_of_bools(a: list[bool]) -> None:
    assert of("a && ..", a=a) is all(a)
    assert of("a || ..", a=a) is any(a)
    assert of("a && ...", a=a) == list(accumulate(a, lambda x, y: x and y))
    assert of("a || ...", a=a) == list(accumulate(a, lambda x, y: x or y))


@given(Packs)
def test_cumulative_folds(a: list[int]) -> None:
    assert of("a + ...", a=a) == list(accumulate(a))
    assert of("a * ...", a=a) == list(accumulate(a, lambda x, y: x * y))
    assert of("a <? ...", a=a) == list(accumulate(a, min))
    assert of("a >? ...", a=a) == list(accumulate(a, max))


def test_a_fold_takes_what_was_read_at_its_level() -> None:
    assert of("2 * p + ..", p=[1, 2, 3]) == 12
    assert of("s - 1 + .. == 3", s=[2, 3]) is True


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[7 ..(0)] := ..", 7),
        ("([7 ..(0)] + 1) := ..", 8),
        ("[7 ..(3)][3:] := ..", 7),
        ("[7, 7] := ..", 7),
        ("[7, 8] := ..", None),
        ("[] := ..", None),
        ("['a', 'a'] := ..", "a"),
        ("[7, 7][2:] := ..", None),
        ("[[1 ..(0)].., 2 ..(0)] := ..", None),
    ],
)
def test_uniform_values(text: str, expected: object) -> None:
    assert of(text) == expected


# ---- membership and identity -----------------------------------------------------------------------------------------
@given(Ints, Packs, Packs)
def test_membership(k: int, a: list[int], b: list[int]) -> None:
    assert of("k in a", k=k, a=a) is (k in a)
    assert of("b in a", a=a, b=b) == [item in a for item in b]


def test_membership_of_strings_and_bools() -> None:
    assert of("f in ['NCX', 'NXC']", f="NXC") is True
    assert of("f in ['NCX', 'NXC']", f="XCN") is False
    assert of("true in [false]") is False


def test_identity_of_known_values_is_equality() -> None:
    assert of("3 is 3") is True
    assert of("a is -1", a=[1, -1, 2]) == [False, True, False]
    assert of("'a' is 'a'") is True
    assert of("1.5 is 2.5") is False


def test_tensors_are_passed_on_as_they_are() -> None:
    x, y = object(), object()
    assert value("c ? x : y", c=True, x=x, y=y) is x
    assert value("o ?? y", o=None, y=y) is y
    assert value("[x, y][1]", x=x, y=y) is y
    assert value("[x, y][::-1][0]", x=x, y=y) is y
    assert value("x is x", x=x) is shapes.TRUE
    assert value("x is y", x=x, y=y) is shapes.FALSE
    assert value("[x, x] := ..", x=x) is x
    assert value("x + y", x=x, y=y) is UNDEFINED


# ---- select ----------------------------------------------------------------------------------------------------------
@given(st.lists(st.tuples(st.booleans(), Ints, Ints), max_size=5), Ints)
def test_select_by_item(rows: list[tuple[bool, int, int]], k: int) -> None:
    c, a, b = ([row[place] for row in rows] for place in range(3))
    assert of("c ? a : b", c=c, a=a, b=b) == [x if bit else y for bit, x, y in rows]
    assert of("c ? a : k", c=c, a=a, k=k) == [x if bit else k for bit, x, _ in rows]
    assert of("c ? 1 : 0", c=c) == [int(bit) for bit, _, _ in rows]


def test_branches_need_not_have_the_same_length() -> None:
    assert of("c ? [1, 2] : [3]", c=True) == [1, 2]
    assert of("c ? [1, 2] : [3]", c=False) == [3]
    # A single value beside a pack counts as a pack.
    assert of("c ? [1, 2] : 5", c=False) == [5, 5]


def test_what_is_not_chosen_need_not_have_a_value() -> None:
    assert of("n != 0 ? 10 / n : 0", n=0) == 0
    assert of("d > 2 ? s[2] : 1", d=2, s=[4, 5]) == 1
    assert of("n == 0 || 10 / n > 3", n=0) is True
    assert of("n != 0 && 10 / n > 3", n=0) is False
    assert of("n != 0 => 10 / n > 3", n=0) is True
    # Also item by item.
    assert of("a != 0 ? 10 / a : 0", a=[0, 5]) == [0, 2]
    assert of("a != 0 && 10 / a > 1", a=[0, 5, 10]) == [False, True, False]
    assert of("i < 2 ? s[i] : -1", i=[0, 5, 1], s=[7, 8]) == [7, -1, 8]
    with pytest.raises(EvaluationError):
        of("a == 0 ? 10 / a : 0", a=[0, 5])


def test_a_selection_without_alternative_is_null_where_the_condition_is_not_met() -> None:
    assert of("c ? 1", c=True) == 1
    assert of("c ? 1", c=False) is None
    assert of("c ? a", c=[True, True], a=[1, 2]) == [1, 2]
    assert of("c ? a", c=[True, False], a=[1, 2]) is None
