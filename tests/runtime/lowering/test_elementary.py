"""Functions of one real of 32 bits against those of 64 bits, at every exponent."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from snd_runtime.lowering.compiled.elementary import exp_of_one, log_of_one, tanh_with
from snd_runtime.lowering.compiled.functions import function_named

FUNCTIONS = [
    pytest.param("exp", exp_of_one, np.exp, 1.1, id="exp"),
    pytest.param("log", log_of_one, np.log, 1.1, id="log"),
    pytest.param("tanh", tanh_with(exp_of_one), np.tanh, 1.5, id="tanh"),
]
"""Names of compiled functions, the same in Python and of reals of 64 bits; what they lose in last places."""


def _arguments() -> np.ndarray[Any, np.dtype[np.float32]]:
    """Numbers with all exponents and signs, and those where the results are neither 0, 1 nor infinite."""
    random = np.random.default_rng(1)
    fractions = np.append(random.integers(0, 2**23, 3), [0, 1, 2**23 - 1])
    bits = (np.arange(512)[:, None] << 23 | fractions).astype(np.uint32).view(np.float32).reshape(-1)
    near = [random.uniform(-105, 90, 400), random.uniform(0.5, 2, 400), np.linspace(-1, 1, 401)]
    return np.concatenate([bits, *near]).astype(np.float32)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("is_compiled", [False, True], ids=["Python", "numba"])
@pytest.mark.parametrize(("name", "function", "of_doubles", "units"), FUNCTIONS)
def test_results_are_exact_but_for_the_last_bits(
    name: str, function: Callable[[Any], Any], of_doubles: Callable[[Any], Any], units: float, is_compiled: bool
):
    if is_compiled:
        pytest.importorskip("numba")
        function = function_named(name)
    x = _arguments()
    found = np.array([function(each) for each in x], np.float32)
    exact = of_doubles(x.astype(np.float64))
    nearest = exact.astype(np.float32)
    is_plain = np.isfinite(nearest)
    np.testing.assert_array_equal(found[~is_plain], nearest[~is_plain])
    np.testing.assert_array_equal(np.signbit(found[is_plain]), np.signbit(nearest[is_plain]))
    apart = np.abs(found.astype(np.float64) - exact)[is_plain] / np.spacing(np.abs(nearest[is_plain]))
    assert apart.max() < units
