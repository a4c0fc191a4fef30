"""Casts, logic and positions in compiled loops: their results equal NumPy's."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest

from snd_runtime.execution import Execution, execute
from snd_runtime.lowering.compiled import kernels
from support.runtime.executing import instance_of, net
from support.sampling import sample

pytest.importorskip("numba")

VALUES = """
operator mixed { @input { k: int[n, m]; b: bool[n, m]; x: real[n, m]; } @output { y: real[n, m]; }
    @lower { y[i, j] = real(k[i, j]) + (x[i, j] > 0.5 => b[i, j] ? 2.0 : real(b[i, j])), i < n, j < m; } }
operator logic { @input { k: int[n, m]; b: bool[n, m]; x: real[n, m]; } @output { y: bool[n, m]; }
    @lower { y[i, j] = b[i, j] ^ bool(x[i, j]) ^ bool(k[i, j]), i < n, j < m; } }
operator counted { @input { k: int[n, m]; b: bool[n, m]; x: real[n, m]; } @output { y: int[n, m]; }
    @lower { y[i, j] = x[i, j] > 0.5 ? 2 * i - j : int(b[i, j]), i < n, j < m; } }
operator below { @input { k: int[n, m]; b: bool[n, m]; x: real[n, m]; } @output { y: real[n, m]; }
    @lower { y[i, j] = i >= j && b[i, j] ? x[i, j] : 0.0, i < n, j < m; } }
operator turned { @input { k: int[n, m]; b: bool[n, m]; x: real[n, m]; } @output { y: real[m, n]; }
    @lower { y[j, i] = x[i, j] * real(i), i < n, j < m; } }
"""


def _expected(name: str, k: Any, b: Any, x: Any) -> Any:
    i, j = np.indices(k.shape)
    match name:
        case "mixed":
            return (k.astype(x.dtype) + np.where(~(x > 0.5) | b, 2, b)).astype(x.dtype)
        case "logic":
            return b ^ (x != 0) ^ (k != 0)
        case "counted":
            return np.where(x > 0.5, 2 * i - j, b)
        case "below":
            return np.where((i >= j) & b, x, 0)
    return (x * i.astype(x.dtype)).T


CASES = product(["mixed", "logic", "counted", "below", "turned"], [np.float32, np.float64], [(20, 17), (1, 9), (6, 1)])


@pytest.mark.parametrize(("name", "real", "shape"), sample(CASES, 6))
def test_loops_give_the_values_of_numpy(name: str, real: type, shape: tuple[int, int], monkeypatch: pytest.MonkeyPatch):
    made: list[str] = []
    entry = kernels._entry

    def noted(source: str, *rest: Any) -> int:
        made.append(source)
        return entry(source, *rest)

    monkeypatch.setattr(kernels, "_entry", noted)
    monkeypatch.setattr(kernels, "WORTH_COMPILING", 0)
    random = np.random.default_rng(1)
    k = random.integers(-(2**40), 2**40, shape) * random.integers(0, 2, shape)
    b, x = random.random(shape) < 0.5, (random.random(shape) * random.integers(0, 2, shape)).astype(real)
    dtype = {"logic": "bool", "counted": "int"}.get(name, "real")
    result = f"y: {dtype}[{'m, n' if name == 'turned' else 'n, m'}];"
    inputs = [k, b, x]
    text = net("k: int[n, m]; b: bool[n, m]; x: real[n, m];", result, f"y = {name}(k, b, x);", operators=VALUES)
    session, specialization = instance_of(text, inputs)
    for _ in range(2):
        outputs = execute(session, specialization, inputs, Execution(real=np.dtype(real), compiles=True)).outputs
        np.testing.assert_array_equal(outputs["y"], _expected(name, k, b, x))
    assert made
