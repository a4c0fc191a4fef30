"""Summaries, generators, and values from lists and to text."""

from __future__ import annotations

import numpy as np
import pytest

from snd_runtime.errors import EvaluationFailed
from snd_runtime.generators import Generator, generate, parse_generator, source_of
from snd_runtime.limits import Budget, Limits
from snd_runtime.summary import number_text, summarize
from snd_runtime.values import array_of, converted, value_text


# ---- summaries -------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("array", "line"),
    [
        (np.array([[1.0, 2.0, 6.0]]), "real[1,3] n=3 x∈[1, 6] μ=3 σ=2.16 nan=0"),
        (np.array([-2.125, 2.637], np.float32), "real[2] n=2 x∈[-2.12, 2.64] μ=0.256 σ=2.38 nan=0"),
        (np.float32(0.1).reshape(()), "real[] n=1 x∈[0.1, 0.1] μ=0.1 σ=0 nan=0"),
        (np.array([np.nan, 1.0, 3.0]), "real[3] n=3 x∈[1, 3] μ=2 σ=1 nan=1"),
        (np.array([1e300, 3e300]), "real[2] n=2 x∈[1e+300, 3e+300] μ=2e+300 σ=1e+300 nan=0"),
        (np.array([1.7e308] * 4), "real[4] n=4 x∈[1.7e+308, 1.7e+308] μ=1.7e+308 σ=0 nan=0"),
        (np.array([np.inf, -np.inf, 1.0]), "real[3] n=3 x∈[-inf, inf] μ=1 σ=0 nan=0 inf=2"),
        (np.array([np.nan, np.nan]), "real[2] n=2 nan=2"),
        (np.array([np.inf]), "real[1] n=1 x∈[inf, inf] nan=0 inf=1"),
        (np.arange(10), "int[10] n=10 x∈[0, 9] μ=4.5 σ=2.87"),
        (np.array([2**63 - 1]), "int[1] n=1 x∈[9223372036854775807, 9223372036854775807] μ=9.22e+18 σ=0"),
        (np.array([True, False, True]), "bool[3] n=3 true=2"),
        (np.array(["a", "b", "a"], object), "str[3] n=3 distinct=2"),
        (np.zeros((0, 3), np.float32), "real[0,3] n=0"),
        (np.zeros((0,), np.int64), "int[0] n=0"),
    ],
)
def test_lines(array, line):
    assert str(summarize(array)) == line
    assert summarize(array).brief == line.replace(" nan=0", "")


def test_statistics_of_many_elements_are_those_of_numpy():
    array = np.random.default_rng(1).normal(1000, 0.01, (1025, 1030)).astype(np.float32)
    summary = summarize(array)
    assert summary.mean == pytest.approx(array.mean(dtype=np.float64), rel=1e-12)
    assert summary.deviation == pytest.approx(array.std(dtype=np.float64), rel=1e-9)


@pytest.mark.parametrize(
    ("number", "text"),
    [(0.0, "0"), (-0.387, "-0.387"), (0.00123, "0.00123"), (1e-4, "0.0001"), (12345.6, "12346"), (1e6, "1e+06"),
     (99.95, "100"), (-3.0, "-3"), (float("nan"), "nan"), (7, "7"), (10.04, "10")],
)  # fmt: skip
def test_numbers(number, text):
    assert number_text(number) == text


# ---- generators ------------------------------------------------------------------------------------------------------
def made(text: str, dtype: str = "real", seed: int = 0):
    generator = parse_generator(text)
    assert generator is not None
    return generate(generator, dtype, source_of(seed, "x"))


def test_generators():
    assert made("zeros[2]").tolist() == [0, 0]
    assert made("ones[1, 2]", "int").tolist() == [[1, 1]]
    assert made("iota[2,3]", "int").tolist() == [[0, 1, 2], [3, 4, 5]]
    assert made("iota[2]").dtype == np.float32
    assert made("ones[]", "bool").tolist() is True
    assert made("zeros[1]", "str").tolist() == [""]
    assert made("random[0,4]").shape == (0, 4)


def test_random_numbers():
    numbers = made("random[10000]")
    assert abs(numbers.mean()) < 0.05
    assert abs(numbers.std() - 1) < 0.05
    assert set(made("random[100]", "int").tolist()) == {0, 1}
    assert made("random[9]", "bool").dtype == bool
    assert (made("random[5]") == made("random[5]")).all()
    assert (made("random[5]") != made("random[5]", seed=1)).any()
    other = generate(Generator("random", (5,)), "real", source_of(0, "y"))
    assert (made("random[5]") != other).any()


@pytest.mark.parametrize("text", ["random", "random(2)", "[1]", "gauss[2]", "random[2] + 1"])
def test_what_is_no_generator(text):
    assert parse_generator(text) is None


@pytest.mark.parametrize("text", ["random[a]", "zeros[-1]", "ones[2,]", "iota[1.5]", f"ones[{'1,' * 40}1]"])
def test_bad_extents(text):
    with pytest.raises(ValueError, match="extents"):
        parse_generator(text)


def test_types_without_a_generator():
    for kind, dtype in (("random", "str"), ("ones", "str"), ("iota", "bool")):
        with pytest.raises(ValueError, match=f"'{kind}' gives no tensor of type '{dtype}'"):
            made(f"{kind}[2]", dtype)


def test_large_ones_are_not_made():
    huge = parse_generator("zeros[1000000,1000000]")
    assert huge is not None
    with pytest.raises(EvaluationFailed, match="takes 4,000,000,000,000 bytes"):
        generate(huge, "real", source_of(0, ""), budget=Budget(Limits()))


# ---- values ----------------------------------------------------------------------------------------------------------
def test_lists():
    assert array_of(3, "real").dtype == np.float32
    assert array_of([[1, 2.5]], "real", np.dtype(float)).tolist() == [[1, 2.5]]
    assert array_of([], "int").shape == (0,)
    assert array_of([[], []], "real").shape == (2, 0)
    assert array_of(["a", "bc"], "str").tolist() == ["a", "bc"]
    assert array_of([True], "bool").tolist() == [True]


@pytest.mark.parametrize(
    ("value", "dtype", "message"),
    [
        ([[1], [2, 3]], "int", r"the list \[1\] has 2 items, but the first one at its depth has 1"),
        ([[1], 2], "int", r"the item \[1\] is no list"),
        ([1, [2]], "int", r"the item \[1\] is a list"),
        ([1.5], "int", "1.5 is no int"),
        ([True], "int", "True is no int"),
        ([1], "bool", "1 is no bool"),
        (["1"], "real", "'1' is no real"),
        ([2**63], "int", "64 bits"),
    ],
)
def test_bad_lists(value, dtype, message):
    with pytest.raises(ValueError, match=message):
        array_of(value, dtype)


def test_arrays_of_other_kinds():
    assert converted(np.array([1, 2], np.uint8), "int").dtype == np.int64
    assert converted(np.array([1, 2]), "real").dtype == np.float32
    assert converted(np.array([1, 0]), "bool").tolist() == [True, False]
    assert converted(np.array(["a"]), "str").dtype == object
    for array, dtype in (
        (np.array([0.5]), "int"),
        (np.array([2]), "bool"),
        (np.array([True]), "int"),
        (np.array([2**64 - 1], np.uint64), "int"),
        (np.array([1j]), "real"),
    ):
        with pytest.raises(ValueError, match=r"type|other than|too large"):
            converted(array, dtype)


def test_text():
    assert value_text(np.array([0.1, 1e-7, np.nan, -np.inf, 2], np.float32)) == "[0.1, 1e-07, nan, -inf, 2.0]"
    assert value_text(np.arange(8).reshape(2, 2, 2), 2) == "[[[0, 1],\n    [2, 3]],\n   [[4, 5],\n    [6, 7]]]"
    assert value_text(np.array(["it's", "\\"], object)) == "['it\\'s', '\\\\']"
    assert value_text(np.array(True)) == "true"
    assert value_text(np.zeros((2, 0))) == "[[],\n []]"


def test_bounds_have_no_negative_zero():
    assert "x∈[0, 1]" in str(summarize(np.array([-0.0, 1.0, 0.0], np.float32)))
    assert "x∈[-1, 0]" in str(summarize(np.array([-0.0, -1.0], np.float32)))
