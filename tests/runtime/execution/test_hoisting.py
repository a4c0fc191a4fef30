"""Steps of a loop that are computed for all iterations at once: the values are the same, whatever a row depends on."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from snd_runtime.execution import Execution, execute
from snd_runtime.execution.flat.hoisting import Ahead
from snd_runtime.lowering.arithmetic import Array
from support.runtime.executing import instance_of, net

OPERATORS = """
operator share { @input { x: real[n, m]; w: real[k, m]; } @output { y: real[n, k]; }
    @lower { y[i, j] += x[i, l] * w[j, l] / real(n), i < n, j < k, l < m; } }
operator turn { @input { x: real[n, m]; w: real[k, m]; } @output { y: real[n, k]; }
    @lower { y[i, j] += x[i, l] * w[j, l] * real(i + 1), i < n, j < k, l < m; } }
operator mix { @input { x: real[n, m]; w: real[k, m]; } @output { y: real[n, k]; }
    @lower { y[i, j] += x[n - 1 - i, l] * w[j, l], i < n, j < k, l < m; } }
operator blend { @input { x: real[n, m]; w: real[n, m]; } @output { y: real[n, m]; }
    @lower { y[i, j] = x[i, j] * w[i, j], i < n, j < m; } }
"""
GIVEN = "x: real[t, b, m]; h: real[b, m]; w: real[m, m];"
MADE = "y: real[t, b, m]; z: real[b, m];"
SCAN = """
xs..(t) = layout.unstack{{axis=0}}(x);
z, ys..(t) = with s = h for e : xs do {{
    a = {step};
    s1 = math.add(s, a);
    yield s1, s1;
}};
y = layout.stack{{axis=0}}(ys);
"""


@pytest.fixture
def ahead(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """Return whether each step that could be computed ahead was."""
    found: list[bool] = []
    compute = Ahead._all

    def noted(self: Ahead, frame: Any) -> Array | None:
        results = compute(self, frame)
        found.append(results is not None)
        return results

    monkeypatch.setattr(Ahead, "_all", noted)
    return found


def _is_the_same(step: str, shape: tuple[int, ...] = (5, 2, 64)) -> None:
    random = np.random.default_rng(1)
    inputs = [random.standard_normal(each).astype(np.float32) for each in (shape, shape[1:], (64, 64))]
    text = net(GIVEN, MADE, SCAN.format(step=step), operators=OPERATORS)
    session, specialization = instance_of(text, inputs)
    first, *again = (execute(session, specialization, inputs, Execution()).outputs for _ in range(3))
    for each in again:
        for name, value in first.items():
            np.testing.assert_allclose(each[name], value, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("step", ["nn.linear(e, w)", "linalg.matmul(e, w)"])
def test_a_product_with_the_same_weights_is_computed_ahead(step: str, ahead: list[bool]):
    _is_the_same(step)
    assert ahead == [True, True]


@pytest.mark.parametrize(
    ("step", "shape"),
    [
        ("share(e, w)", (5, 2, 64)),  # depends on how many rows there are
        ("turn(e, w)", (5, 2, 64)),  # on the position of the row
        ("mix(e, w)", (5, 2, 64)),  # on another row
        ("blend(e, w)", (5, 64, 64)),  # on a row of the other input
    ],
)
def test_rows_that_depend_on_more_are_not(step: str, shape: tuple[int, ...], ahead: list[bool]):
    _is_the_same(step, shape)
    assert not any(ahead)


@pytest.mark.parametrize("step", ["nn.linear(s, w)", "math.mul(e, h)"])
def test_what_is_carried_and_what_is_small_is_not(step: str, ahead: list[bool]):
    _is_the_same(step)
    assert not ahead


def test_a_loop_that_may_end_early_computes_nothing_ahead(ahead: list[bool]):
    inputs = [np.ones(each, np.float32) for each in ((5, 2, 64), (2, 64), (64, 64))]
    compose = """
    xs..(t) = layout.unstack{axis=0}(x);
    z, n, more = with s = h, k = 0, go = true for e : xs while go do {
        a = nn.linear(e, w);
        s1 = math.add(s, a);
        k1 = math.add(k, 1);
        go1 = math.lt(k1, 3);
        yield s1, k1, go1;
    };
    """
    session, specialization = instance_of(net(GIVEN, "z: real[b, m]; n: int[]; more: bool[];", compose), inputs)
    first, again = (execute(session, specialization, inputs, Execution()).outputs for _ in range(2))
    assert int(first["n"]) == 3
    np.testing.assert_array_equal(first["z"], again["z"])
    assert not ahead
