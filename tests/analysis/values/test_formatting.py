"""Values as text (2.4, String formatting; LANGUAGE, Expressions)."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from snd_analysis.symbolic import integers as shapes
from snd_analysis.symbolic.values import Maybe, format_value, pack_of
from support.analysis.value_reading import of, value, wrapped


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("'a = {a + 2}'", "a = 42"),
        ("'{s}'", "[4, 5, 6]"),
        ("'{[]}'", "[]"),
        ("'{n}'", "[NCX, NXC]"),
        ("'{f}{a}'", "NCX40"),
        ("'{1.0}'", "1.0"),
        ("'{0.1 + 0.2}'", "0.30000000000000004"),
        ("'{1e20}'", "1.0e+20"),
        ("'{1e-9}'", "1.0e-09"),
        ("'{100000.0}'", "100000.0"),
        ("'{inf} {-inf} {inf - inf}'", "inf -inf nan"),
        ("'{-0.0}'", "-0.0"),
        ("'{a > 1} {a < 1}'", "true false"),
        ("'{o}'", "null"),
        (r"'\{a\} \\ \'x\' {a}'", r"{a} \ 'x' 40"),
        ("'one ' \"two {a}\"", "one two 40"),
        ("''", ""),
        ('\'{a > 1 ? "x" : "y"}\'', "x"),
    ],
)
def test_formatting(text: str, expected: str) -> None:
    assert of(text, a=40, s=[4, 5, 6], n=["NCX", "NXC"], f="NCX", o=None) == expected


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_reals_make_the_round_trip(x: float) -> None:
    text = of("'{x}'", x=x)
    assert isinstance(text, str)
    assert "." in text
    assert float(text) == x
    assert of(text.replace("-", "", 1) if x < 0 or text.startswith("-") else text) == abs(x)


def test_strings_in_the_notation_of_the_language() -> None:
    text = "it's {x}\n\t\\"
    assert of(format_value(text, quoted=True)) == text
    assert format_value(wrapped(["a", "b"]), quoted=True) == "['a', 'b']"


def test_unknown_values_print_as_they_would_be_written() -> None:
    length = shapes.variable("d", "d")
    extents = pack_of("s", "s", length)
    assert format_value(extents) == "[s ..(d)]"
    assert format_value(value("2 * s + 1", s=extents)) == "[(2 * s + 1) ..(d)]"
    assert format_value(value("s[2:]", s=pack_of("s", "s", length + 2))) == "[s[i + 2] ..(d)]"
    assert format_value(value("[1, s[0]]", s=extents)) == "[1, s[0]]"
    assert format_value(value("'got {s} of {n}'", s=extents, n=3)) == "got [s ..(d)] of 3"
    assert format_value(value("real(n) / 2.0", n=length)) == "(real(d) / 2.0)"
    assert format_value(Maybe(shapes.proposition("c", "c"), length)) == "c ? d"
    assert format_value(math.pi) == "3.141592653589793"
