"""Reductions along rows as loops: their results equal NumPy's for reals of 64 bits."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest

from snd_runtime.execution import Execution, execute
from snd_runtime.lowering.compiled import kernels
from support.runtime.executing import instance_of, net
from support.sampling import sample

REDUCTIONS = {
    "sum_reduce": np.sum,
    "prod_reduce": np.prod,
    "max_reduce": np.max,
    "min_reduce": np.min,
}
SHAPES = [
    ((3, 70), [1]),
    ((300,), [0]),
    ((5, 9), [0, 1]),
    ((4, 9, 2, 17), [1, 3]),
    ((3, 2, 8, 5), [2, 3]),
    ((6, 3), [0]),
    ((2, 40, 3, 9, 5), [1, 3]),
]
"""With the axes that are reduced: rows, everything, several rows, and what lies side by side, many of it in the end."""

pytest.importorskip("numba")


@pytest.fixture
def loops(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The texts of the loops that are compiled, as soon as they can be."""
    made: list[str] = []
    entry = kernels._entry

    def noted(source: str, *rest: Any) -> int:
        made.append(source)
        return entry(source, *rest)

    monkeypatch.setattr(kernels, "_entry", noted)
    monkeypatch.setattr(kernels, "WORTH_COMPILING", 0)
    return made


def _again(name: str, axes: list[int], x: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Return the result of the second run, which has loops."""
    rank, dtype = x.ndim, {"f": "real", "i": "int", "b": "bool"}[x.dtype.kind]
    names = ", ".join("abcde"[:rank])
    rest = ", ".join("1" if at in axes else each for at, each in enumerate("abcde"[:rank]))
    text = net(f"x: {dtype}[{names}];", f"y: {dtype}[{rest}];", f"y = math.{name}{{axes={axes}}}(x);")
    session, specialization = instance_of(text, [x])
    real = np.dtype(x.dtype if x.dtype.kind == "f" else np.float32)
    request = Execution(real=real, compiles=True)
    execute(session, specialization, [x], request)
    (found,) = execute(session, specialization, [x], request).outputs.values()
    return np.asarray(found)


@pytest.mark.parametrize(
    ("shape_and_axes", "name", "real"), sample(product(SHAPES, REDUCTIONS, [np.float32, np.float64]), 9)
)
def test_rows_are_reduced_as_numpy_does(
    shape_and_axes: tuple[tuple[int, ...], list[int]], name: str, real: type, loops: list[str]
):
    shape, axes = shape_and_axes
    random = np.random.default_rng(len(shape))
    x = random.uniform(0.8, 1.2, shape).astype(real) * random.choice([-1, 1], shape).astype(real)
    for special in (None, np.nan, np.inf, -np.inf):
        if special is not None:
            x.flat[random.integers(x.size, size=2)] = special
        with np.errstate(all="ignore"):
            expected = REDUCTIONS[name](x.astype(np.float64), axis=tuple(axes), keepdims=True)
        found = _again(name, axes, x)
        assert found.dtype == real
        np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-5 if name == "sum_reduce" else 0)
    assert loops


def test_ints_and_bools_are_reduced(loops: list[str]):
    k = np.random.default_rng(1).integers(-(2**62), 2**62, (3, 20))
    np.testing.assert_array_equal(_again("max_reduce", [1], k), k.max(1, keepdims=True))
    np.testing.assert_array_equal(_again("min_reduce", [1], k), k.min(1, keepdims=True))
    assert len(loops) == 2
    flags = np.array([[True] * 20, [True] * 19 + [False], [False] * 20])
    np.testing.assert_array_equal(_again("all_reduce", [1], flags), flags.all(1, keepdims=True))
    np.testing.assert_array_equal(_again("any_reduce", [1], flags), flags.any(1, keepdims=True))
    assert len(loops) == 4


@pytest.mark.parametrize("real", [np.float32, np.float64])
@pytest.mark.parametrize("axis", [0, 1])
def test_the_length_of_a_sum_costs_no_accuracy(axis: int, real: type, loops: list[str]):
    count = 300_000
    x = np.full((count, 3) if axis == 0 else (3, count), 0.1, real)
    found = _again("sum_reduce", [axis], x).reshape(-1)
    assert loops
    exact = count * float(real(0.1))
    np.testing.assert_allclose(found, [exact] * 3, rtol=128 * np.finfo(real).eps)


@pytest.mark.parametrize("axis", [0, 1])
def test_a_sum_of_finite_blocks_may_be_infinite(axis: int, loops: list[str]):
    x = np.full((1000, 2), 3e38, np.float32)
    x[:, 1] = -3e38
    found = _again("sum_reduce", [axis], np.ascontiguousarray(x if axis == 0 else x.T)).reshape(-1)
    np.testing.assert_array_equal(found, [np.inf, -np.inf])
    assert loops
