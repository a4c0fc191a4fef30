"""Extents as convolutions and pooling compute them, symbolically. 10,000 of them should take 300 ms."""

from __future__ import annotations

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from snd_analysis.symbolic.integers import Integer, ceil_divide, floor_divide, maximum, variable

COUNT = 10_000
s, p = variable("s", "s", 1), variable("p", "p")
f, t = variable("f", "f", 1), variable("t", "t", 1)


@pytest.mark.budget(0.300)
@pytest.mark.parametrize("stride", [t, 2], ids=["any stride", "stride 2"])
def test_ten_thousand_convolutions(benchmark: BenchmarkFixture, stride: Integer | int) -> None:
    def compute() -> Integer:
        for _ in range(COUNT):
            extent = floor_divide(s + p - f, stride) + 1
        return extent

    extent = benchmark(compute)
    assert str(extent) == ("(p + s - f) / t + 1" if stride is t else "(p + s - f) / 2 + 1")


def test_forty_layers_with_same_padding(benchmark: BenchmarkFixture) -> None:
    def compute() -> Integer:
        extent = s
        for _ in range(40):
            padding = maximum((ceil_divide(extent, t) - 1) * t + f - extent, 0)
            extent = floor_divide(extent + padding - f, t) + 1
        return extent

    assert benchmark(compute).value is None
