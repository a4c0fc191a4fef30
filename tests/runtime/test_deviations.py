"""Deviations of the library from chapter 4, as docs/language.md states (4.1.2, 4.1.4, 4.5.2, 4.5.4)."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from support.memory import snapshot_of
from support.runtime.executing import run

ROW = np.array([1.0, 2.0, 3.0])


def net(call: str, inputs: str) -> dict[str, str]:
    """A graph of one statement."""
    graph = f"graph net {{ @input {{ {inputs} }} @output {{ y: real; }} @compose {{ y = {call}; }} }}\n"
    return {"main.sknd": f"import layout, image;\n{graph}"}


def invoked(call: str, shape: str, *inputs: Any) -> Any:
    """Run a statement on ``x`` of a shape, and a grid if one is given."""
    return run(net(call, f"x: real[{shape}];" + (" g: real[1,1,7,2];" if len(inputs) > 1 else "")), *inputs)


def test_an_empty_dimension_is_unflattened():
    """4.1.2 demands positive items of ``shape``; an empty tensor has an extent of 0."""
    assert invoked("layout.unflatten{axis=0, shape=[0, 3]}(x)", "0,2", np.zeros((0, 2))).shape == (0, 3, 2)
    assert invoked("layout.shuffle{axis=0, groups=2}(x)", "0,2", np.zeros((0, 2))).shape == (0, 2)


@pytest.mark.parametrize(
    ("method", "border", "expected"),
    [
        ("REFLECT", 2, [3, 2, 1, 2, 3, 2, 1]),
        ("SYMMETRIC", 3, [3, 2, 1, 1, 2, 3, 3, 2, 1]),
        ("REPLICATE", 4, [1, 1, 1, 1, 1, 2, 3, 3, 3, 3, 3]),
    ],
)
def test_a_border_may_be_as_wide_as_the_formula_reaches(method: str, border: int, expected: list[float]):
    """4.1.4 mirrors once."""
    assert invoked(f"layout.pad{{padding=[{border}, {border}], method='{method}'}}(x)", "3", ROW).tolist() == expected


@pytest.mark.parametrize(("method", "border"), [("REFLECT", 3), ("SYMMETRIC", 4)])
def test_a_wider_border_is_an_error(method: str, border: int):
    files = net(f"layout.pad{{padding=[{border}, 0], method='{method}'}}(x)", "x: real[3];")
    found = [each.message for each in snapshot_of(files).diagnostics("main.sknd") if each.severity == "error"]
    assert len(found) == 1
    assert "the border must" in found[0]


def test_nearest_positions_below_0_are_clamped():
    """4.5.2 has the upper limit only, and would read element -1."""
    call = "image.nearest_resize{size=[8], coordinate_transform='SYMMETRIC', rounding_method='FLOOR'}(x)"
    assert invoked(call, "2", ROW[:2]).tolist() == [1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 2.0, 2.0]


def test_grids_are_reflected_repeatedly():
    """4.5.4 reflects once, and would read beyond the image for positions further away than its extent."""
    image = np.array([1.0, 2.0, 3.0, 4.0]).reshape(1, 1, 1, 4)
    columns = np.array([-13.0, -7.0, -1.0, 1.0, 5.0, 9.0, 11.0])
    grid = np.stack([columns, np.zeros(7)], axis=-1).reshape(1, 1, 7, 2)
    found = invoked("image.grid_sample{padding='REFLECT', aligned=true}(x, g)", "1,1,1,4", image, grid)
    period = 2 * (image.size - 1)
    offsets = np.round((columns + 1) / 2 * (image.size - 1)).astype(int) % period
    assert found.ravel().tolist() == [float(1 + min(each, period - each)) for each in offsets]
