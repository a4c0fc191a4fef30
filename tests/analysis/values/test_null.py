"""Null through every form of expression (2.4.1; LANGUAGE, Expressions)."""

from __future__ import annotations

import pytest

from snd_analysis.skriptnd.evaluate import evaluate
from snd_analysis.symbolic import integers as shapes
from snd_analysis.symbolic.values import NULL, UNDEFINED, Maybe, format_value
from support.analysis.expression_reading import expression
from support.analysis.value_reading import Names, of, value, wrapped

PROPAGATING = [
    "o + 1",
    "1 + o",
    "-o",
    "o < 1",
    "!o",
    "o && true",
    "true && o",
    "false && o",
    "true || o",
    "false => o",
    "o is 1",
    "o in [1]",
    "1 in o",
    "[1, o]",
    "[1, o..]",
    "[o..(3)]",
    "[1 ..(o)]",
    "[0:o]",
    "[(o, [1])..]",
    "o[0]",
    "[1][o]",
    "o[1:]",
    "[1, 2][o:]",
    "[1, 2][:1:o]",
    "o[0] <- 1",
    "[1][o] <- 1",
    "[1][0] <- o",
    "[1, 2][o:] <- 1",
    "o[1:] <- 1",
    "o + ..",
    "o := ..",
    "o * ...",
    "o ? 1 : 2",
    "true ? o : 1",
    "false ? 1 : o",
    "real(o)",
    "int(o)",
    "T(o)",
    "sqrt(o)",
    "(o)",
    "o ?? o",
]


@pytest.mark.parametrize("text", PROPAGATING)
def test_null_propagates(text: str) -> None:
    assert of(text, types={"T": "int"}, o=None) is None


def test_null_is_resolved() -> None:
    assert of("o ?? 3", o=None) == 3
    assert of("o ?? 3", o=4) == 4
    assert of("o ?? [1, 2]", o=None) == [1, 2]
    assert of("o + 1 ?? 3", o=None) == 3
    assert of("o ?? 1 / 0", o=2) == 2
    assert of("?o", o=None) is False
    assert of("?o", o=[1, 2]) is True
    assert of("?(o + 1)", o=None) is False


def test_null_tests_promote() -> None:
    assert of("?o ? o : 0", o=None) == 0
    assert of("?o ? o : 0", o=5) == 5
    assert of("?o && c ? o : 0", o=None, c=True) == 0
    assert of("?o && o > 3", o=None) is False
    assert of("?o && o > 3", o=5) is True
    # Without a null test null wins over the side that would decide.
    assert of("c && o > 3", o=None, c=False) is None


def test_only_the_branch_that_is_chosen_can_be_null() -> None:
    assert of("c ? o : 1", o=None, c=False) == 1
    assert of("f == 'A' ? 1 : f == 'B' ? 2", f="A") == 1
    assert of("f == 'A' ? 1 : f == 'B' ? 2", f="C") is None


def test_null_is_text_in_a_string() -> None:
    assert of("'{o}'", o=None) == "null"


FORMS = [
    "o + 1",
    "o + p",
    "-o",
    "[1, o]",
    "[o..(3)]",
    "[0:o]",
    "p[o:]",
    "p[o]",
    "p[o] <- 9",
    "p[0] <- o",
    "o ?? 7",
    "o + 1 ?? 7",
    "[o, o] + ..",
    "[o, 1] * ...",
    "?o",
    "?o ? o : 7",
    "?o && o > 0",
    "o > 0 && c",
    "c ? o : 1",
    "c ? 1 : o",
    "o > 0 ? 1 : 2",
    "o > 0 ? p : o",
    "o is 1",
    "o in p",
    "real(o)",
    "'<{o}>'",
    "c ? o",
    "(c ? o) ?? 3",
    "?(c ? o)",
]


@pytest.mark.parametrize("text", FORMS)
@pytest.mark.parametrize("c", [False, True])
@pytest.mark.parametrize("o", [None, 1, 2])
def test_what_may_be_null_is_decided_later(text: str, c: bool, o: int | None) -> None:
    from snd_analysis.symbolic.values import substitute

    present, number = shapes.proposition("?o", "?o"), shapes.variable("o", "o")
    names = {"p": wrapped([4, 5, 6])}
    optional = Names({**names, "o": Maybe(present, number), "c": shapes.proposition("c", "c")}, composing=False)
    known = Names({**names, "o": wrapped(o), "c": wrapped(c)}, composing=False)
    later = substitute(evaluate(expression(text), optional), {"?o": o is not None, "o": o or 0, "c": c})
    assert later == evaluate(expression(text), known)


# ---- undefined -------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("text", [text.replace("o", "missing") for text in PROPAGATING if "T(" not in text])
def test_an_unknown_name_is_silent(text: str) -> None:
    assert value(text) is UNDEFINED


def test_what_is_not_looked_at_may_be_undefined() -> None:
    assert of("c ? missing : 1", c=False) == 1
    assert of("o ?? missing", o=1) == 1
    assert value("?missing") is UNDEFINED
    assert value("'{missing}'") is UNDEFINED
    assert value("missing + o", o=None) is NULL
    assert format_value(UNDEFINED) == "?"
