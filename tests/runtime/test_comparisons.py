"""Comparisons of the library compare exactly (2.3, 4.2.5), and ``nn.relu`` follows its formula (4.4.3)."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np
import pytest

from support.runtime.operators import library

COMPARED = {
    "lt": operator.lt, "gt": operator.gt, "le": operator.le, "ge": operator.ge, "eq": operator.eq, "ne": operator.ne,
}  # fmt: skip
NEIGHBOURS = [2**24, 2**24 + 1, 2**53, 2**53 + 1, 2**63 - 2, 2**63 - 1, -(2**63), -(2**63) + 1, 0, -1]


@pytest.mark.parametrize("name", COMPARED)
@pytest.mark.parametrize("real", [np.float32, np.float64])
def test_ints_compare_exactly(name: str, real: Any):
    x = np.array(NEIGHBOURS)
    for y in (x, x[::-1], np.roll(x, 1)):
        expected = [COMPARED[name](int(a), int(b)) for a, b in zip(x, y, strict=True)]
        assert library(f"math.{name}", x, y, real=np.dtype(real)).tolist() == expected


@pytest.mark.parametrize("name", COMPARED)
def test_numbers_of_different_types_compare_by_their_values(name: str):
    x, y = np.array([2**53 + 1, 2**53, 3, 3]), np.array([2.0**53, 2.0**53, 2.5, 3.5])
    expected = [COMPARED[name](int(a), float(b)) for a, b in zip(x, y, strict=True)]
    assert library(f"math.{name}", x, y).tolist() == expected


@pytest.mark.parametrize("name", ["eq", "ne"])
def test_bools_equal_the_numbers_0_and_1(name: str):
    flags = np.array([True, False, True, False])
    expected = [COMPARED[name](a, b) for a, b in ((1, 1), (0, 1), (1, 0), (0, 0))]
    assert library(f"math.{name}", flags, np.array([1, 1, 0, 0])).tolist() == expected


def test_strings_compare_with_strings():
    x = np.array(["a", "b"], object)
    assert library("math.eq", x, x[::-1]).tolist() == [False, False]
    assert library("math.ne", x, x).tolist() == [False, False]


def test_relu_with_a_slope_and_a_limit_follows_its_formula():
    x = np.array([-2.0, 8.0, 100.0])
    assert library("nn.relu", x, alpha=0.5, max=6.0).tolist() == [-1.0, 6.0, 50.0]


def test_a_range_without_width_quantizes_to_nan():
    x = np.array([[0.5, 2.0]])
    assert np.isnan(library("quant.min_max_linear_quantize", x, min=1.0, max=1.0, bits=8)).all()
