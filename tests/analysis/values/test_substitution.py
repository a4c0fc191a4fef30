"""Evaluating with unknowns and then putting numbers in their place is evaluating with the numbers (invariant 13)."""

from __future__ import annotations

import math
from dataclasses import dataclass

import pytest
from hypothesis import HealthCheck, assume, event, given, settings
from hypothesis import strategies as st

from generators.expression_texts import expressions
from snd_analysis.skriptnd.evaluate import EvaluationError
from snd_analysis.symbolic import integers as shapes
from snd_analysis.symbolic.values import UNDEFINED, Maybe, Pack, Value, pack_of, substitute, unknown
from support.analysis.value_reading import plain, value, wrapped
from support.sampling import examples

_LENGTH = shapes.variable("d", "d", 0)
_SYMBOLS: dict[str, Value] = {
    "d": _LENGTH,
    "m": shapes.variable("m", "m", None),
    "n": shapes.variable("n", "n", 1),
    "c": shapes.proposition("c", "c"),
    "x": unknown("real", "x", "x"),
    "w": unknown("str", "w", "w"),
    "s": pack_of("s", "s", _LENGTH, 1),
    "t": pack_of("t", "t", _LENGTH, None),
    "q": pack_of("q", "q", _LENGTH, dtype="bool"),
    "r": pack_of("r", "r", _LENGTH, dtype="real"),
    "p": pack_of("p", "p", 3, None),
    "o": Maybe(shapes.proposition("?o", "?o"), shapes.variable("o", "o", None)),
}


@dataclass(frozen=True)
class Numbers:
    """Values for all symbols."""

    single: dict[str, int | bool | float | str]
    packed: dict[str, list[object]]

    def names(self) -> dict[str, object]:
        """As named values."""
        given: dict[str, object] = {"d": len(self.packed["s"]), **self.single}
        if not given.pop("?o"):
            given["o"] = None
        return given | {name: _pack(name, items) for name, items in self.packed.items()}

    def substituted(self, symbolic: Value) -> Value:
        """A value with these numbers in place of the symbols."""
        packs = {name: _pack(name, items) for name, items in self.packed.items()}
        return substitute(symbolic, {"d": len(self.packed["s"]), **self.single}, packs)


def _pack(name: str, items: list[object]) -> Pack:
    return Pack([wrapped(item) for item in items], dtype={"q": "bool", "r": "real"}.get(name, "int"))


@st.composite
def numbers(draw: st.DrawFn) -> Numbers:
    length = draw(st.integers(0, 4))

    def items(of: st.SearchStrategy[object], count: int = length) -> list[object]:
        return draw(st.lists(of, min_size=count, max_size=count))

    reals = st.sampled_from([0.0, 0.5, -1.5, 2.0, 3.25])
    return Numbers(
        {
            "m": draw(st.integers(-3, 4)),
            "n": draw(st.integers(1, 5)),
            "c": draw(st.booleans()),
            "x": draw(reals),
            "w": draw(st.sampled_from(["", "ab", "<1>"])),
            "?o": draw(st.booleans()),
            "o": draw(st.integers(-2, 3)),
        },
        {
            "s": items(st.integers(1, 5)),
            "t": items(st.integers(-3, 3)),
            "q": items(st.booleans()),
            "r": items(reals),
            "p": items(st.integers(-2, 4), 3),
        },
    )


def _same(a: object, b: object) -> bool:
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(map(_same, a, b))
    if isinstance(a, list):
        # Beside a pack that has no value a single one stays single: nobody can say how often it counts.
        return all(_same(item, b) for item in a)
    if isinstance(a, float) and isinstance(b, float):
        return a == b or (math.isnan(a) and math.isnan(b))
    return type(a) is type(b) and a == b


def _evaluated(text: str, names: dict[str, object]) -> Value | EvaluationError:
    try:
        return value(text, False, **names)
    except EvaluationError as error:
        return error


@settings(max_examples=examples(300), deadline=None, suppress_health_check=list(HealthCheck))
@given(expressions(), numbers())
def test_substituting_afterwards_is_the_same(text: str, given_numbers: Numbers) -> None:
    expected = _evaluated(text, given_numbers.names())
    symbolic = _evaluated(text, _SYMBOLS)
    if isinstance(symbolic, EvaluationError):
        # A certain failure fails for every number.
        assert isinstance(expected, EvaluationError), (text, symbolic.message, expected)
        event("fails")
        return
    # A single value that ought to be as many as a pack that has no value can't be sliced.
    assume(not isinstance(expected, EvaluationError) and expected is not UNDEFINED)
    if symbolic is UNDEFINED:
        event("undefined")
        return
    event("compared")
    result = given_numbers.substituted(symbolic)
    assert not isinstance(expected, EvaluationError)
    assert _same(plain(result), plain(expected)), (text, str(symbolic), result, expected)


# ---- ranges ----------------------------------------------------------------------------------------------------------
_BOUND = st.sampled_from(["0", "1", "2", "d", "d + 1", "d + 2", "n", "n + d", "m", "d - 1", "-1"])
_STEP = st.sampled_from(["", "", "", ":-1", ":2", ":n"])


@st.composite
def ranges(draw: st.DrawFn) -> str:
    parts = [f"{draw(_BOUND)}:{draw(_BOUND)}{draw(_STEP)}", draw(_BOUND), "s..", "2 * [0:d]..", "[1:d + 1][::-1].."]
    return f"[{', '.join(draw(st.lists(st.sampled_from(parts), min_size=1, max_size=3)))}]"


@pytest.mark.parametrize("axes", ["[1:d + 2]", "[0:d + 2]", "[2:d + 2]", "[d - 1:d]", "[m:d]", "[n:d]", "[d:0:-1]"])
@pytest.mark.parametrize("dims", ["[0:d]", "[0:d + 2]", "[d:-1:-1]", "[0, 1:d + 1, d]"])
def test_parts_of_ranges_are_those_of_their_numbers(dims: str, axes: str) -> None:
    for length in range(4):
        for n in (1, 2):
            single = {"m": n - 2, "n": n, "c": True, "x": 0.0, "w": "", "?o": True, "o": 0}
            packs = {
                "s": list(range(length)),
                "t": [0] * length,
                "q": [True] * length,
                "r": [0.0] * length,
                "p": [0] * 3,
            }
            _check_range(dims, axes, Numbers(single, packs))


@settings(max_examples=examples(200), deadline=None, suppress_health_check=list(HealthCheck))
@given(ranges(), ranges(), numbers())
def test_ranges_in_ranges_are_those_of_their_numbers(dims: str, axes: str, given_numbers: Numbers) -> None:
    _check_range(dims, axes, given_numbers)


def _check_range(dims: str, axes: str, given_numbers: Numbers) -> None:
    folds = (
        f"{axes} {sign} {bound} {fold} .." for sign in ("<", ">=") for bound in ("d", "n") for fold in ("&&", "||")
    )
    for text in (
        f"{dims} != ..",
        *folds,
        f"{dims} in {axes}",
        f"{dims}[!({dims} in {axes})]",
        f"({dims} in {axes}) ? 1 : {dims}",
    ):
        expected, symbolic = _evaluated(text, given_numbers.names()), _evaluated(text, _SYMBOLS)
        assert not isinstance(expected, EvaluationError), text
        assert not isinstance(symbolic, EvaluationError), text
        result = given_numbers.substituted(symbolic)
        assert _same(plain(result), plain(expected)), (text, str(symbolic), result, expected)
