"""Bounds of ints that are calculated in reals: no value that they can have lies outside."""

from __future__ import annotations

import math

import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

from snd_analysis.skriptnd.evaluate import EvaluationError
from snd_analysis.symbolic import integers as shapes
from snd_analysis.symbolic.integers import Integer
from support.analysis.value_reading import value
from support.sampling import examples

_LIMITS = {"a": (0, 7), "b": (-4, 3), "c": (1, 100), "d": (2, None)}
_SYMBOLS = {name: shapes.variable(name, name, *limits) for name, limits in _LIMITS.items()}
_SIMPLE = st.sampled_from(
    [*(f"real({name})" for name in _LIMITS), "0.5", "-1.5", "2.0", "0.0", "1e300", "inf", "real(a - b)"]
)


def _larger(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    pairs = st.tuples(inner, st.sampled_from(["+", "-", "*", "/", "<?", ">?", "**"]), inner)
    calls = st.tuples(st.sampled_from(["round", "floor", "ceil", "abs", "sqrt", "frac", "sign", "exp", "-"]), inner)
    return st.one_of(
        pairs.map(lambda parts: f"({parts[0]} {parts[1]} {parts[2]})"),
        calls.map(lambda parts: f"{parts[0]}({parts[1]})"),
        st.tuples(inner, inner).map(lambda parts: f"(a > 3 ? {parts[0]} : {parts[1]})"),
    )


@settings(max_examples=examples(400), deadline=None)
@given(
    st.recursive(_SIMPLE, _larger, max_leaves=6),
    st.integers(0, 7), st.integers(-4, 3), st.integers(1, 100), st.integers(2, 10**6),
)  # fmt: skip
def test_no_value_lies_outside(text: str, a: int, b: int, c: int, d: int) -> None:
    try:
        symbolic = value(f"int({text})", False, **_SYMBOLS)
        number = value(f"int({text})", False, a=a, b=b, c=c, d=d)
    except EvaluationError:
        event("no value")
        return
    assert isinstance(symbolic, Integer)
    assert isinstance(number, Integer)
    low, high = shapes.bounds(symbolic)
    event("bounded" if high is not None else "unbounded")
    assert (-math.inf if low is None else low) <= number.value <= (math.inf if high is None else high)


@pytest.mark.parametrize(
    ("text", "limits"),
    [
        ("int(round(real(c) * 1.5))", (2, 150)),
        ("int(real(b) / 0.5)", (-8, 6)),
        ("int(ceil(real(a) / real(c)))", (0, 7)),
        ("int(sqrt(real(c) - 1.0) * 2.0)", (0, 19)),
        ("int(abs(real(b)) >? 1.5)", (1, 4)),
        ("int(real(d) <? 9.5)", (2, 9)),
        ("int(a > 3 ? real(a) * 0.5 : 8.25)", (0, 8)),
        ("int(real(d) * 0.5)", (1, None)),
        ("int(1.0 / real(b))", (None, None)),
    ],
)
def test_tight_bounds(text: str, limits: tuple[int | None, int | None]) -> None:
    found = value(text, False, **_SYMBOLS)
    assert isinstance(found, Integer)
    assert shapes.bounds(found) == limits
