"""Expressions without a value: the rule, the node and the message."""

from __future__ import annotations

import pytest

from snd_analysis.skriptnd.evaluate import EvaluationError
from snd_analysis.symbolic import integers as shapes
from snd_analysis.symbolic.values import UNDEFINED, pack_of
from support.analysis.value_reading import of, source, value

CASES = [
    ("1 + 6 / (n - 2)", "division-by-zero", "(n - 2)", "the right side of '/' is 0 here"),
    ("1 % z", "division-by-zero", "z", "the right side of '%' is 0 here"),
    ("1 \\ z", "division-by-zero", "z", "the right side of '\\' is 0 here"),
    ("s / [1, z, 1]", "division-by-zero", "[1, z, 1]", "the right side of '/' is 0 here"),
    ("n ** (-1)", "negative-exponent", "(-1)", "an int can't be raised to a negative power"),
    ("s[3]", "index-out-of-range", "3", "the index 3 is outside of 's', which has 3 items"),
    ("s[-4]", "index-out-of-range", "-4", "the index -4 is outside of 's', which has 3 items"),
    ("s[[0, 7]]", "index-out-of-range", "[0, 7]", "the index 7 is outside of 's', which has 3 items"),
    ("[1][1]", "index-out-of-range", "1", "the index 1 is outside of '[1]', which has 1 item"),
    ("s[-4:]", "index-out-of-range", "-4", "the bound -4 is outside of 's', which has 3 items"),
    ("s[:n + 2]", "index-out-of-range", "n + 2", "the bound 4 is outside of 's', which has 3 items"),
    ("'abc'[3]", "index-out-of-range", "3", "the index 3 is outside of the string, which has 3 characters"),
    ("s[5] <- 1", "index-out-of-range", "5", "the index 5 is outside of 's', which has 3 items"),
    ("s[[0, 5]] <- 1", "index-out-of-range", "[0, 5]", "the index 5 is outside of 's', which has 3 items"),
    ("s[[true]]", "length-mismatch", "[true]", "the mask has 1 item, but the pack that it masks has 3"),
    (
        "s[[0, 1]] <- [1]",
        "length-mismatch",
        "s[[0, 1]] <- [1]",
        "there are 2 items to replace, but 1 to replace them by",
    ),
    ("s + [1, 2]", "length-mismatch", "s + [1, 2]", "these packs have different lengths: 3 and 2"),
    ("s > 0 ? s : [1]", "length-mismatch", "s > 0 ? s : [1]", "these packs have different lengths: 3 and 1"),
    ("[(s, [1])..]", "length-mismatch", "(s, [1])", "these packs have different lengths: 3 and 1"),
    ("[s..(2)]", "length-mismatch", "s..(2)", "this pack has 3 items, not 2"),
    ("s[3:] <? ..", "empty-extremum", "s[3:] <? ..", "an empty pack has no minimum"),
    ("s[3:] >? ..", "empty-extremum", "s[3:] >? ..", "an empty pack has no maximum"),
    ("[0:3:z]", "zero-step", "z", "the step of a range can't be 0"),
    ("s[::z]", "zero-step", "z", "the step of a range can't be 0"),
    ("int(inf)", "cast-type", "inf", "infinity has no int value"),
    ("int(x * 0.0)", "cast-type", "x * 0.0", "NaN has no int value"),
    ("T(-inf)", "cast-type", "-inf", "infinity has no int value"),
    ("'{1 / z}'", "division-by-zero", "z", "the right side of '/' is 0 here"),
]


@pytest.mark.parametrize(("text", "rule", "where", "message"), CASES)
def test_failures_at_their_nodes(text: str, rule: str, where: str, message: str) -> None:
    with pytest.raises(EvaluationError) as caught:
        of(text, types={"T": "int"}, n=2, z=0, s=[1, 2, 3], x=float("inf"))
    assert (caught.value.rule.name, caught.value.message) == (rule, message)
    assert source(caught.value.node, text) == where


def test_both_sides_are_told() -> None:
    text = "[1, 2, 3] + [1]"
    with pytest.raises(EvaluationError) as caught:
        of(text)
    notes = [(source(node, text), message) for node, message in caught.value.notes]
    assert notes == [("[1, 2, 3]", "this has 3 items"), ("[1]", "this has 1 item")]


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("s[d]", "index-out-of-range"),
        ("s[-d - 1]", "index-out-of-range"),
        ("s[:d + 1]", "index-out-of-range"),
        ("s + [1, s..]", "length-mismatch"),
        ("s[[true, q..]]", "length-mismatch"),
        ("(d - d) ** (-1)", "negative-exponent"),
        ("s[0:0] >? ..", "empty-extremum"),
    ],
)
def test_what_certainly_fails_for_unknown_values(text: str, rule: str) -> None:
    length = shapes.variable("d", "d", 0)
    with pytest.raises(EvaluationError) as caught:
        value(text, s=pack_of("s", "s", length), q=pack_of("q", "q", length, dtype="bool"), d=length)
    assert caught.value.rule.name == rule


@pytest.mark.parametrize(
    "text", ["s[0]", "s[d - 1]", "s + t", "s <? ..", "1 / d", "s / t", "s[n]", "[1, 2] + s", "s / 0"]
)
def test_what_may_fail_is_silent(text: str) -> None:
    length = shapes.variable("d", "d", 0)
    names = {
        "s": pack_of("s", "s", length),
        "t": pack_of("t", "t", shapes.variable("e", "e", 0)),
        "d": length,
        "n": shapes.variable("n", "n", None),
    }
    assert value(text, **names) is not UNDEFINED


def test_a_branch_that_may_not_be_chosen_is_silent() -> None:
    unknown = shapes.proposition("c", "c")
    assert value("c ? 1 / 0 : 2", c=unknown) is not UNDEFINED
    assert value("c && 1 / 0 > 1", c=unknown) is not UNDEFINED
    with pytest.raises(EvaluationError):
        value("c ? 1 / 0 : [1][2]", c=unknown)
    with pytest.raises(EvaluationError):
        value("1 / 0 > 1 && c", c=unknown)
