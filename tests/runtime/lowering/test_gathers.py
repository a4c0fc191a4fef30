"""Elements whose indices a tensor says, in compiled loops."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from snd_runtime.errors import EvaluationFailed
from snd_runtime.execution import Execution, execute
from snd_runtime.lowering.compiled import kernels
from support.runtime.executing import instance_of, net

pytest.importorskip("numba")

SHAPES = ["p, q, b, c", "a, p, q, c", "a, b, p, q"]
TWICE = """
operator twice { @dtype { T: type; } @input { x: T[n]; i: int[m]; j: int[k]; } @output { y: T[k]; }
    @lower { y[a,] = x[i[j[a,],],], a < k; } }
"""


@pytest.fixture
def compiled(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The texts of the kernels that are compiled, as soon as they can be."""
    made: list[str] = []
    entry = kernels._entry

    def noted(source: str, *rest: Any) -> int:
        made.append(source)
        return entry(source, *rest)

    monkeypatch.setattr(kernels, "_entry", noted)
    monkeypatch.setattr(kernels, "WORTH_COMPILING", 0)
    return made


def _again(text: str, inputs: list[Any], then: list[Any]) -> Any:
    session, specialization = instance_of(text, inputs)
    execute(session, specialization, inputs, Execution(compiles=True))
    (found,) = execute(session, specialization, then, Execution(compiles=True)).outputs.values()
    return found


@pytest.mark.parametrize("dtype", ["real", "int", "bool"])
@pytest.mark.parametrize("axis", [0, 1, 2])
def test_rows_are_gathered(axis: int, dtype: str, compiled: list[str]):
    random = np.random.default_rng(1)
    x = random.integers(0, 2 if dtype == "bool" else 99, (7, 6, 5))
    x = x.astype({"real": np.float32, "int": np.int64, "bool": np.bool_}[dtype])
    i = random.integers(0, x.shape[axis], (4, 3))
    text = net(f"x: {dtype}[a, b, c]; i: int[p, q];", f"y: {dtype}[{SHAPES[axis]}];",
               f"y = layout.gather{{axis={axis}}}(x, i);")  # fmt: skip
    np.testing.assert_array_equal(_again(text, [x, i], [x, i]), np.take(x, i, axis))
    assert compiled


@pytest.mark.parametrize("wrong", [-1, 7])
@pytest.mark.parametrize("axis", [0, 2])
def test_an_index_out_of_bounds_is_reported_as_ever(axis: int, wrong: int, compiled: list[str]):
    x, i = np.ones((7, 7, 7), np.float32), np.array([[0, 1], [2, 3]])
    text = net(
        "x: real[a, b, c]; i: int[p, q];", f"y: real[{SHAPES[axis]}];", f"y = layout.gather{{axis={axis}}}(x, i);"
    )
    _again(text, [x, i], [x, i])
    assert compiled
    j = np.array([[0, 1], [wrong, 3]])
    with pytest.raises(EvaluationFailed, match=f"index {wrong} .*7.*ni.0. = 1, ni.1. = 0"):
        _again(text, [x, i], [x, j])


def test_an_index_may_be_gathered_itself(compiled: list[str]):
    x, i, j = np.arange(9, dtype=np.float32), np.array([8, 2, 4]), np.array([2, 0, 1, 1])
    text = net("x: real[n]; i: int[m]; j: int[k];", "y: real[k];", "y = twice(x, i, j);", operators=TWICE)
    np.testing.assert_array_equal(_again(text, [x, i, j], [x, i, j]), x[i[j]])
