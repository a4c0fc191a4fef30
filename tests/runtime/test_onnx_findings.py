"""Findings of the comparison with ONNX, kept without it: formulas that real numbers of 32 bits led astray."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from snd_runtime.lowering import lower
from support.runtime.operators import bind_library


def in_32_bits(name: str, *inputs: Any, **attributes: Any) -> Any:
    """The only output of a library operator."""
    (output,) = lower(bind_library(name, inputs, attributes)).run(inputs)
    return output


@pytest.mark.parametrize("size", [5, 7, 9, 13, 100, 1001])
@pytest.mark.parametrize("extent", [2, 3, 10])
def test_positions_halfway_between_elements_are_exact(extent: int, size: int):
    """In exact numbers, element ``i`` lies at ``((2 i + 1) * extent - size) / (2 size)``: rounded, halves down."""
    x = np.arange(extent, dtype=np.float32)
    rounded = [-((2 * size - (2 * i + 1) * extent) // (2 * size)) for i in range(size)]
    wanted = [min(max(each, 0), extent - 1) for each in rounded]
    assert in_32_bits("image.nearest_resize", x, size=[size]).tolist() == wanted


def test_aligned_positions_end_at_the_last_element():
    x = np.arange(8, dtype=np.float32)
    for name in ("nearest", "linear", "cubic"):
        found = in_32_bits(f"image.{name}_resize", x, size=[50], coordinate_transform="ALIGNED")
        assert found[0] == 0
        assert found[-1] == pytest.approx(7, abs=1e-6)
        assert in_32_bits(f"image.{name}_resize", x, size=[1], coordinate_transform="ALIGNED").tolist() == [0]


def test_remainders_of_large_ints_are_exact():
    x, y = np.array([100000003, -100000003, 2**62 + 1, -7, 7]), np.array([2, 2, 2, -2, -2])
    np.testing.assert_array_equal(in_32_bits("math.mod", x, y), np.mod(x, y))
