"""Formulas against the same computation written by hand: compare the rows of one group."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

sys.path.append(str(Path(__file__).parents[1] / "runtime"))

from snd_runtime.lowering import Lowered, lower
from support.runtime.operators import bind_library, compiled

_RANDOM = np.random.default_rng(0)


def _reals(*shape: int) -> Any:
    return _RANDOM.standard_normal(shape, np.float32)


def _library(name: str, *inputs: Any, **attributes: Any) -> tuple[Lowered, list[Any]]:
    return lower(bind_library(name, inputs, attributes)), list(inputs)


# ---- convolution -----------------------------------------------------------------------------------------------------
@pytest.fixture(scope="module")
def images() -> tuple[Any, Any]:
    return _reals(4, 32, 224, 224), _reals(64, 32, 5, 5)


@pytest.mark.benchmark(group="conv 32 to 64 channels, 5x5 over 4x224x224", max_time=0.5, min_rounds=2)
def test_convolution(benchmark: Any, images: tuple[Any, Any]):
    lowered, inputs = _library("nn.conv", *images, None)
    benchmark(lambda: lowered.run(inputs))


@pytest.mark.benchmark(group="conv 32 to 64 channels, 5x5 over 4x224x224", max_time=0.5, min_rounds=2)
def test_convolution_by_hand(benchmark: Any, images: tuple[Any, Any]):
    def convolution() -> Any:
        x, f = images
        padded = np.pad(x, ((0, 0), (0, 0), (2, 2), (2, 2)))
        result = np.empty((4, 64, 224, 224), np.float32)
        for at in range(4):
            windows = np.lib.stride_tricks.sliding_window_view(padded[at], (224, 224), (1, 2))
            result[at] = (f.reshape(64, -1) @ windows.reshape(800, -1)).reshape(64, 224, 224)
        return result

    benchmark(convolution)


# ---- matrices --------------------------------------------------------------------------------------------------------
@pytest.mark.benchmark(group="matmul 1024")
def test_matmul(benchmark: Any):
    lowered, inputs = _library("linalg.matmul", _reals(1024, 1024), _reals(1024, 1024), None)
    benchmark(lambda: lowered.run(inputs))


@pytest.mark.benchmark(group="matmul 1024")
def test_matmul_by_hand(benchmark: Any):
    a, b = _reals(1024, 1024), _reals(1024, 1024)
    benchmark(lambda: a @ b)


# ---- pooling ---------------------------------------------------------------------------------------------------------
_POOL = {"axes": [2, 3], "size": [3, 3], "stride": [2, 2], "padding": [0, 0, 0, 0]}


@pytest.mark.benchmark(group="max_pool 3x3 over 8x64x113x113")
def test_max_pool(benchmark: Any):
    lowered, inputs = _library("nn.max_pool", _reals(8, 64, 113, 113), **_POOL)
    benchmark(lambda: lowered.run(inputs))


@pytest.mark.benchmark(group="max_pool 3x3 over 8x64x113x113")
def test_max_pool_by_hand(benchmark: Any):
    x = _reals(8, 64, 113, 113)

    def pool() -> Any:
        result = x[:, :, :-2:2, :-2:2].copy()
        for i in range(3):
            for j in range(3):
                np.maximum(result, x[:, :, i : i + 111 : 2, j : j + 111 : 2], out=result)
        return result

    benchmark(pool)


# ---- softmax ---------------------------------------------------------------------------------------------------------
_SOFTMAX = """
operator softmax {
    @input { x: real[n, c]; }
    @output { m: real[n]; e: real[n, c]; s: real[n]; y: real[n, c]; }
    @lower {
        m[i,] >?= x[i, j], i < n, j < c;
        e[i, j] = exp(x[i, j] - m[i,]), i < n, j < c;
        s[i,] += e[i, j], i < n, j < c;
        y[i, j] = e[i, j] / s[i,], i < n, j < c;
    }
}
"""


@pytest.mark.benchmark(group="softmax 2000x1000")
def test_softmax(benchmark: Any):
    x = _reals(2000, 1000)
    lowered = compiled(_SOFTMAX, [x])
    benchmark(lambda: lowered.run([x]))


@pytest.mark.benchmark(group="softmax 2000x1000")
def test_softmax_by_hand(benchmark: Any):
    x = _reals(2000, 1000)

    def softmax() -> Any:
        e = np.exp(x - x.max(1, keepdims=True))
        return e / e.sum(1, keepdims=True)

    benchmark(softmax)


# ---- the first result ------------------------------------------------------------------------------------------------
@pytest.mark.benchmark(group="first result of a small operator")
@pytest.mark.parametrize("name", ["math.add", "linalg.matmul", "nn.conv"])
def test_first_result(benchmark: Any, name: str):
    inputs = {
        "math.add": [_reals(3, 4), _reals(3, 4)],
        "linalg.matmul": [_reals(3, 4), _reals(4, 3), None],
        "nn.conv": [_reals(1, 2, 5, 5), _reals(2, 2, 3, 3), None],
    }[name]
    specialization = bind_library(name, inputs, {})
    benchmark(lambda: lower(specialization).run(inputs))
