"""Values of expressions over unknown packs and values."""

from __future__ import annotations

import pickle

import pytest

from snd_analysis.symbolic import integers as shapes
from snd_analysis.symbolic.values import (
    NULL,
    UNDEFINED,
    ItemRun,
    Maybe,
    Pack,
    Value,
    format_value,
    pack_of,
    shifted,
    substitute,
    unknown,
    with_length,
)
from support.analysis.value_reading import value

D = shapes.variable("d", "d", 0)
NAMES: dict[str, Value] = {
    "d": D,
    "n": shapes.variable("n", "n", None),
    "s": pack_of("s", "s", D, 1),
    "t": pack_of("t", "t", D, 1),
    "e": pack_of("e", "e", D + 2, 1),
    "q": pack_of("q", "q", D, dtype="bool"),
    "p": pack_of("p", "p", 2 * D, 0),
    "c": shapes.proposition("c", "c"),
    "x": unknown("real", "x", "x"),
    "w": unknown("str", "w", "w"),
}


def _printed(text: str, composing: bool = True) -> str:
    return format_value(value(text, composing, **NAMES))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("s + t", "[(s + t) ..(d)]"),
        ("s - s", "[0 ..(d)]"),
        ("e[0]", "e[0]"),
        ("e[-1]", "e[d + 1]"),
        ("e[2:]", "[e[i + 2] ..(d)]"),
        ("e[1:-1] + s", "[(e[i + 1] + s) ..(d)]"),
        ("p[:d] + p[d:]", "[(p + p[d + i]) ..(d)]"),
        ("s[::-1][::-1]", "[s ..(d)]"),
        ("[1, s..][1:]", "[s ..(d)]"),
        ("[1, s..] + [2, t..]", "[3, (s + t) ..(d)]"),
        ("[e.., 1][0]", "e[0]"),
        ("[(s, t)..][0::2]", "[s ..(d)]"),
        ("[(s, t)..][1::2]", "[t ..(d)]"),
        ("[0:d]", "[0:d]"),
        ("[3 ..(d)] + ..", "3 * d"),
        ("(2 * s + d) + ..", "d ** 2 + 2 * (s + ..)"),
        ("(2 * s) * ..", "2 ** d * (s * ..)"),
        ("[2, s..] * ..", "2 * (s * ..)"),
        ("[0:d] + ..", "(d ** 2 - d) / 2"),
        ("[2 ..(d)] := ..", "2"),
        ("s == s", "[true ..(d)]"),
        ("(s > 0) && ..", "true"),
        ("(s > 1) && ..", "([(s >= 2) ..(d)] && ..)"),
        ("[0:d] < ..", "true"),
        ("c ? s : t", "[(c ? s : t) ..(d)]"),
        ("d > 3 ? 1 : 2", "d >= 4 ? 1 : 2"),
        ("s[0] <- 7", "[7, s[i + 1] ..(d - 1)]"),
        ("int(ceil(real(d) / real(3)))", "d \\ 3"),
        ("int(floor(real(d) / real(3)))", "d / 3"),
        ("int(real(d))", "d"),
        ("int(c)", "c ? 1 : 0"),
        ("bool(d)", "d != 0"),
        ("x + 1.0", "(x + 1.0)"),
        ("x < 1.0", "(x < 1.0)"),
        ("'{w}!'", "w!"),
        ("3 in [d, 3]", "true"),
        ("3 in [4, d]", "d == 3"),
    ],
)
def test_values_of_unknown_ones(text: str, expected: str) -> None:
    assert _printed(text) == expected


@pytest.mark.parametrize(
    ("text", "now", "later"),
    [
        ("d is 3", "false", "d == 3"),
        ("d is d", "true", "true"),
        ("s is t", "[false ..(d)]", "[(s == t) ..(d)]"),
        ("x is x", "true", "true"),
        ("x is 1.0", "false", "(x == 1.0)"),
        ("c is true", "false", "c"),
        ("[d, n] := ..", "null", "d == n ? d"),
        ("[d, d] := ..", "d", "d"),
        ("[d, d + 1] := ..", "null", "null"),
    ],
)
def test_identity_and_uniformity(text: str, now: str, later: str) -> None:
    """Unknown values become known at run time only when composing; an operator alone may get any values."""
    assert _printed(text, composing=True) == now
    assert _printed(text, composing=False) == later


def test_equal_expressions_have_equal_values() -> None:
    for text in ("x * 2.0 + 1.0", "round(x)", "w == 'a'", "s[q]", "s >? ..", "s + ...", "int(x)", "p[s]", "s[p] <- t"):
        first, second = value(text, **NAMES), value(text, **NAMES)
        assert first == second, text
        assert hash(first) == hash(second)
    assert value("x * 2.0", **NAMES) != value("x * 3.0", **NAMES)
    assert value("x * 0.0", **NAMES) != value("x * -0.0", **NAMES)


def test_a_condition_decides_whether_there_is_a_value() -> None:
    assert value("c ? 1", **NAMES) == Maybe(shapes.proposition("c", "c"), shapes.constant(1))
    assert value("(c ? 1) ?? 2", **NAMES) == value("c ? 1 : 2", **NAMES)
    assert value("?(c ? 1)", **NAMES) == NAMES["c"]
    assert value("c ? o : 1", o=NULL, **NAMES) == Maybe(shapes.not_(shapes.proposition("c", "c")), shapes.constant(1))


def test_items_of_packs_of_known_length() -> None:
    pack = pack_of("s", "s", 3)
    assert format_value(pack) == "[s[0], s[1], s[2]]"
    assert substitute(pack, {}, {"s": _ints(4, 5, 6)}) == _ints(4, 5, 6)


def test_a_length_may_be_given() -> None:
    pack = value("s[q]", **NAMES)
    assert isinstance(pack, Pack)
    assert with_length(pack, D).length == D
    assert with_length(pack_of("s", "s", D), shapes.constant(2)) == pack_of("s", "s", 2)


def test_single_unknowns_are_substituted_everywhere() -> None:
    later = value("[d, n..(c), s..]", **NAMES)
    known = substitute(later, {"d": 2, "n": 5, "c": True}, {"s": _ints(8, 9)})
    assert known == _ints(2, 5, 8, 9)
    text = substitute(value("'{w}{x}'", **NAMES), {"w": "a", "x": 1.5})
    assert text == "a1.5"


def test_shifting_is_what_slicing_does() -> None:
    run = NAMES["e"]
    assert isinstance(run, Pack)
    (segment,) = run.segments
    assert isinstance(segment, ItemRun)
    assert shifted(segment.element, shapes.constant(1)) == value("e[1]", **NAMES)


def test_values_can_be_pickled() -> None:
    for text in ("s[q]", "[1, s..] * ...", "x * 2.0", "c ? 1", "'{w}'", "s + .."):
        original = value(text, **NAMES)
        assert format_value(pickle.loads(pickle.dumps(original))) == format_value(original)
    assert pickle.loads(pickle.dumps(NULL)) is NULL
    assert pickle.loads(pickle.dumps(UNDEFINED)) is UNDEFINED


def test_deeply_shared_operations_stay_small() -> None:
    result: Value = NAMES["x"]
    for count in range(300):
        if count == 50:
            assert substitute(result, {"x": 1.0}) == 1.0
        result = value("y * y", y=result)
    assert len(format_value(result)) < 200
    # Values that nest too deep are forgotten.
    assert substitute(result, {"x": 1.0}) != 1.0
    deep: Value = NAMES["s"]
    for _ in range(300):
        deep = value("(s / (y + ..))[y % s]", y=deep, s=NAMES["s"])
    substitute(deep, {"d": 2}, {"s": _ints(1, 0)})


def _ints(*numbers: int) -> Pack:
    return Pack([shapes.constant(number) for number in numbers])
