"""Operations without a value and limits: messages and places."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from snd_analysis.skriptnd.names import OperatorName
from snd_runtime.errors import EvaluationFailed
from snd_runtime.limits import Budget, Limits
from support.memory import snapshot_of
from support.runtime.formulas import operator
from support.runtime.operators import FLOAT64, InvalidError, compiled, specialized

LARGE = 1 << 62


def failure(text: str, *inputs: Any, budget: Budget | None = None) -> EvaluationFailed:
    with pytest.raises(EvaluationFailed) as caught:
        compiled(text, inputs).run(inputs, real=FLOAT64, budget=budget)
    found = caught.value
    assert found.place is not None
    assert found.place.definition == "f"
    return found


def blamed(text: str, found: EvaluationFailed) -> str:
    assert found.place is not None
    return text[found.place.span.start : found.place.span.end]


def test_an_index_out_of_bounds_says_where():
    text = operator("x: real[n]; at: int[m];", "y: real[m];", "y[i,] = x[at[i,],] * 2.0, i < m;")
    found = failure(text, np.zeros(3), np.array([0, 2, 5, -1]))
    assert found.rule.name == "index-out-of-range"
    assert found.message == "the index 5 is outside of dimension 0 of 'x', whose extent is 3 (at i = 2)"
    assert blamed(text, found) == "x[at[i,],]"


def test_negative_indices_are_out_of_bounds():
    text = operator("x: real[n]; at: int[m];", "y: real[m];", "y[i,] = x[at[i,],], i < m;")
    assert "-1" in failure(text, np.zeros(3), np.array([0, -1])).message


@pytest.mark.parametrize(
    ("value", "x", "rule"),
    [
        ("x[i,] + x[i,]", LARGE, "int-overflow"),
        ("x[i,] - -x[i,]", LARGE, "int-overflow"),
        ("x[i,] * 4", LARGE, "int-overflow"),
        ("x[i,] ** 2", LARGE, "int-overflow"),
        ("-(x[i,] - 1)", -(1 << 63) + 1, "int-overflow"),
        ("abs(x[i,] - 1)", -(1 << 63) + 1, "int-overflow"),
        ("1 / (x[i,] - 1)", 1, "division-by-zero"),
        ("1 % (x[i,] - 1)", 1, "division-by-zero"),
        ("2 ** (1 - x[i,] / 2)", 1 << 40, "negative-exponent"),
        ("[1, 2][x[i,]]", 2, "index-out-of-range"),
        ("int(1.0 / real(x[i,]))", 0, "cast-type"),
        ("int(real(x[i,]) * 4.0)", LARGE, "int-overflow"),
    ],
)
def test_operations_without_a_value(value: str, x: int, rule: str):
    text = operator("x: int[n];", "y: int[n];", f"y[i,] = {value}, i < n;")
    found = failure(text, np.array([3, x]) if x != 2 else np.array([0, x]))
    assert found.rule.name == rule
    assert "i = 1" in found.message


@pytest.mark.parametrize("value", ["+= x[i,], i < n", "+= x[i,] * x[j,], i < n, j < n", "*= x[i,], i < n"])
def test_accumulations_that_overflow(value: str):
    lower = f"y[] {value};"
    assert failure(operator("x: int[n];", "y: int[];", lower), np.full(3, LARGE)).rule.name == "int-overflow"


def test_sums_that_only_pass_through_large_numbers_are_exact():
    text = operator("x: int[n];", "y: int[];", "y[] += x[i,], i < n;")
    x = np.array([LARGE, LARGE, -LARGE, -LARGE + 5])
    (y,) = compiled(text, [x]).run([x])
    assert y == 5


@pytest.mark.parametrize(
    ("formula", "place"),
    [
        ("y[i,] = 2 ** n, i < 2;", "2 ** n"),
        ("y[i,] = x[i,] + -(2 ** n) - 1, i < 2;", "-(2 ** n)"),
        ("y[i,] = x[i,] + 2 ** n * 1, i < 2;", "2 ** n * 1"),
        ("y[i,] = x[|i + 2 ** n|,], i < 2;", "2 ** n"),
        ("y[i,] = x[|2 ** n|,], i < 2;", "2 ** n"),
        ("y[|2 ** n|,] += x[i,], i < 2;", "2 ** n"),
        ("y[|i|,] = 1, i < 2 ** n;", "2 ** n"),
        ("y[i,] = [1, 2 ** n][x[i,]], i < 2;", "[1, 2 ** n][x[i,]]"),
        ("with z = 2 ** n: y[i,] = x[i,] < z ? 1 : 0, i < 2;", "2 ** n"),
        ("y[i,] = x[i,] > 0 ? 2 ** n : 0, i < 2;", "2 ** n"),
    ],
)
def test_ints_known_before_that_are_wider_than_64_bits(formula: str, place: str):
    text = operator("x: int[2];", "y: int[2];", formula, attributes="n: int = 64;")
    name = OperatorName("operators.sknd", "f")
    (found,) = specialized(snapshot_of({name.path: text}), name, [np.array([1, 0])], {}).failures
    assert found.rule.name == "int-overflow"
    assert found.message.endswith("18446744073709551616 does not fit into 64 bits")
    span = found.sites[0].place.span
    assert text[span.start : span.end] == place


def test_wide_ints_on_the_way_to_others():
    text = operator(
        "x: int[2];", "y: int[2]; z: real[2];",
        "with b = 2 ** n: y[i,] = b / (b / 2) + x[i,], i < 2; with b = 2 ** n: z[i,] = real(b), i < 2;",
        attributes="n: int = 64;",
    )  # fmt: skip
    y, z = compiled(text, (np.array([1, 0]),)).run((np.array([1, 0]),), real=FLOAT64)
    assert isinstance(y, np.ndarray)
    assert isinstance(z, np.ndarray)
    assert (y.tolist(), z.tolist()) == ([3, 2], [2.0**64] * 2)


@pytest.mark.parametrize(
    ("formulas", "message", "place"),
    [
        (["y[m,] = x[i,], i < n | x[i,] > 0.0;", "z[m,] = i, i < n | x[i,] > 1.0;"],
         "'m' is 2 in 'z', but 3 in 'y'", 1),
        (["z[m,] = i, i < n | x[i,] > 1.0;", "y[m,] = x[i,], i < n | x[i,] > 0.0;"],
         "'m' is 3 in 'y', but 2 in 'z'", 1),
        (["z[m,] = i, i < n | x[i,] > 9.0;", "y[m,] = x[i,], i < n | x[i,] > 0.0;"],
         "'m' is 3 in 'y', but 0 in 'z'", 1),
    ],
)  # fmt: skip
def test_an_extent_that_formulas_count_differently(formulas: list[str], message: str, place: int):
    text = operator("x: real[n];", "y: real[m | n]; z: int[m];", "".join(formulas))
    found = failure(text, np.array([0.5, 2, 3]))
    assert (found.rule.name, found.message) == ("extent-conflict", message)
    assert blamed(text, found) + ";" == formulas[place]


def test_tensors_that_are_too_large_are_not_allocated():
    text = operator("x: real[n];", "y: real[n, n, n, n];", "y[i, i, i, i] = x[i,], i < n;")
    found = failure(text, np.zeros(3000))
    assert found.rule.name == "limit-exceeded"
    assert "'y'" in found.message
    few = Budget(Limits(elements=80))
    assert "81 elements" in failure(text, np.zeros(3), budget=few).message


def test_loops_that_are_unrolled_too_often():
    text = operator("xs: real[..s]..(n);", "y: int[];", "unroll..(k -> 1000000) y[] += k, j < 1;")
    with pytest.raises(InvalidError, match="unrolled 16,384 times at most"):
        compiled(text, [[np.zeros(1), np.zeros(2)]])


def test_time_is_checked_between_chunks():
    ticks = iter(range(10**9))
    budget = Budget(Limits(seconds=50, chunk_elements=16), clock=lambda: float(next(ticks)))
    text = operator("", "y: real[];", "y[] += real(i), i < 1000000000000;")
    assert failure(text, budget=budget).rule.name == "limit-exceeded"
    sequence = operator("", "y: int[];", "y[] = 0; y[] := y[] + i, i < 1000000000000;")
    budget = Budget(Limits(seconds=50), clock=lambda: float(next(ticks)))
    assert failure(sequence, budget=budget).rule.name == "limit-exceeded"


@pytest.mark.parametrize(
    ("outputs", "formula", "message"),
    [
        ("y: real[s.., t..];", "y[i.., j..] = x[i..] * z[j..], i < s, j < t;", "this has 33 indices"),
        ("y: real[s..];", "y[i..] += x[i..] * z[j..], i < s, j < t;", "this has 33 indices"),
        ("y: real[s.., t..];", "y[i.., t - 1..] = x[i..], i < s;", "'y' would have 33 dimensions"),
    ],
)
def test_more_dimensions_than_there_may_be(outputs: str, formula: str, message: str):
    text = operator("x: real[s..]; z: real[t..];", outputs, formula)
    found = failure(text, np.zeros((1,) * 20), np.zeros((1,) * 13))
    assert found.rule.name == "limit-exceeded"
    assert found.message.startswith(f"{message}, but snd computes with 32 ")
    compiled(text, (x := (np.zeros((1,) * 20), np.zeros((1,) * 12)))).run(x)


@pytest.mark.parametrize(
    "formula",
    [
        "y[i..] = x[i..] * 2.0, i < s;",
        "y[i..] = x[int(x[i..]) ..(32)], i < s;",
        "y[i..] += x[i..] * x[i..], i < s | x[i..] > 0.0;",
        "y[0 ..(32)] += x[i..] * x[i..], i < s;",
        "y[0 ..(32)] = 0.0; y[0 ..(32)] := y[0 ..(32)] + x[i..], i < s;",
        "y[s - 1 - i..] <?= x[|i - 1|..], i < s;",
    ],
)
def test_the_most_dimensions(formula: str):
    text = operator("x: real[s..];", "y: real[s..];", formula)
    x = np.arange(4.0).reshape(2, 2, *(1,) * 30) / 4
    (y,) = compiled(text, (x,)).run((x,), real=FLOAT64)
    assert isinstance(y, np.ndarray)
    assert y.shape == x.shape
