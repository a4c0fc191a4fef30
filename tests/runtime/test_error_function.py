"""``erf`` in 32 bits against that in 64, of arrays and of single elements."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from snd_runtime.lowering.compiled.functions import function_named
from snd_runtime.lowering.error_function import error_function, error_function_of_one


def _of_each(values: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    found = np.array([error_function_of_one(each) for each in values.reshape(-1)])
    assert found.dtype == np.float32
    return found.reshape(values.shape)


def _compiled(values: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    pytest.importorskip("numba")
    erf = function_named("erf")
    return np.array([erf(each) for each in values.reshape(-1)], np.float32).reshape(values.shape)


in_all_ways = pytest.mark.parametrize(
    "erf", [error_function, _of_each, _compiled], ids=["arrays", "elements", "compiled"]
)


@in_all_ways
def test_single_precision_differs_by_less_than_two_units_in_the_last_place(erf: Any) -> None:
    x = np.concatenate([np.linspace(-6, 6, 40001), np.geomspace(1e-30, 1, 2000)]).astype(np.float32)
    exact = error_function(x.astype(np.float64))
    units = np.abs(erf(x) - exact) / np.spacing(np.abs(exact).astype(np.float32))
    assert units.max() < 1.5
    assert abs(exact[3] - math.erf(float(x[3]))) < 1e-15


@in_all_ways
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_single_precision_has_the_limits_and_signs(erf: Any) -> None:
    x = np.array([[np.inf, -np.inf, 0.0], [-0.0, np.nan, 9.0]], np.float32)
    found = erf(x)
    assert found.dtype == np.float32
    np.testing.assert_array_equal(found, np.array([[1, -1, 0], [0, np.nan, 1]], np.float32))
    assert np.signbit(found[1, 0])
