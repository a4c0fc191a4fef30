"""Elements in another order, in compiled loops: tile by tile where neighbours get far from each other."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from snd_runtime.execution import Execution, execute
from snd_runtime.lowering.compiled import kernels
from support.runtime.executing import instance_of, net

pytest.importorskip("numba")

TURNED = """
operator turned { @input { x: real[n, m]; z: real[m, n]; } @output { y: real[m, n]; }
    @lower { y[j, i] = 2.0 * x[i, j] - z[j, n - 1 - i], i < n, j < m; } }
operator edge { @input { x: real[n, m]; } @output { y: real[m, n]; }
    @lower { y[j, i] = x[i, j] + x[i, 0] + x[0, j], i < n, j < m; } }
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


def _again(text: str, inputs: list[Any]) -> Any:
    session, specialization = instance_of(text, inputs)
    for _ in range(2):
        (found,) = execute(session, specialization, inputs, Execution(compiles=True)).outputs.values()
    return found


@pytest.mark.parametrize(
    ("shape", "order", "is_tiled"),
    [
        ((33, 50), [1, 0], True),
        ((16, 16), [1, 0], True),
        ((5, 70), [1, 0], False),
        ((2, 17, 3, 40), [0, 2, 3, 1], True),
        ((3, 9, 4, 20), [2, 0, 3, 1], False),
        ((3, 9, 4, 20), [0, 2, 1, 3], False),
    ],
)
@pytest.mark.parametrize(
    "dtype", ["real", *(pytest.param(each, marks=pytest.mark.exhaustive) for each in ("int", "bool"))]
)
def test_dimensions_are_exchanged(
    shape: tuple[int, ...], order: list[int], is_tiled: bool, dtype: str, compiled: list[str]
):
    x = np.random.default_rng(1).integers(0, 2 if dtype == "bool" else 999, shape)
    x = x.astype({"real": np.float32, "int": np.int64, "bool": np.bool_}[dtype])
    names = "abcd"[: len(shape)]
    text = net(f"x: {dtype}[{', '.join(names)}];", f"y: {dtype}[{', '.join(names[each] for each in order)}];",
               f"y = layout.transpose{{perm={order}}}(x);")  # fmt: skip
    np.testing.assert_array_equal(_again(text, [x]), x.transpose(order))
    assert ["tile" in each for each in compiled] == [is_tiled]


def test_what_is_read_in_several_orders_is_turned(compiled: list[str]):
    random = np.random.default_rng(1)
    x, z = random.standard_normal((40, 35)).astype(np.float32), random.standard_normal((35, 40)).astype(np.float32)
    text = net("x: real[n, m];", "y: real[m, n];", "y = edge(x);", operators=TURNED)
    np.testing.assert_array_equal(_again(text, [x]), (x + x[:, :1] + x[:1]).T)
    assert ["tile" in each for each in compiled] == [True]
    text = net("x: real[n, m]; z: real[m, n];", "y: real[m, n];", "y = turned(x, z);", operators=TURNED)
    np.testing.assert_array_equal(_again(text, [x, z]), 2 * x.T - z[:, ::-1])
