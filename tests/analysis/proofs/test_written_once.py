"""A product with a factor that can be 0 is one element for all indices: ``=`` writes the element more than once."""

from __future__ import annotations

import time

import pytest

pytest.importorskip("z3", reason="proofs need z3-solver, the extra snd[proofs]")

from snd_analysis.proofs import Verdict, proofs_of_operator
from snd_analysis.skriptnd.names import OperatorName
from support.memory import snapshot_of

ONCE = "'=' writes no element of 'y' twice"
STRIDES = {
    # left side: extents of 'y', bounds of the indices, assertions
    "i * k": ("n * k + 1", "i < n", "k >= 0;"),
    "i * m": ("n * m + 1", "i < n", ""),
    "i * k + 3": ("n * k + 5", "i < n", "k >= 0;"),
    "i * k * 2": ("n * k * 2 + 1", "i < n", "k >= 0;"),
    "i * k * k": ("n * k * k + 1", "i < n", "k >= 0;"),
    "i * k * m": ("n * k * m + 1", "i < n", "k >= 0;"),
    "i * (k / 3)": ("n * (k / 3) + 1", "i < n", "k >= 0;"),
    "i * (k % 2)": ("n + 1", "i < n", ""),
    "i * (k - 2)": ("n * (k - 2) + 1", "i < n", "k >= 2;"),
    "n * k - i * k": ("n * k + 1", "i < n", "k >= 0;"),
    "(n - i) * k": ("n * k + 1", "i < n", "k >= 0;"),
    "(i - n) * k + n * k": ("n * k + n", "i < n", "k >= 0;"),
    "(i * n + j) * k": ("n * n * k + 1", "i < n, j < n", "k >= 0;"),
    "i * k + i * 0": ("n * k + 1", "i < n", "k >= 0;"),
    "(i * k) / 1": ("n * k + 1", "i < n", "k >= 0;"),
    "i > 2 ? i * k : i * k": ("n * k + 1", "i < n", "k >= 0;"),
    "i > 2 ? i : i * k": ("n * k + n", "i < n", "k >= 0;"),
    "|i * k|": ("n", "i < n", ""),
    "|n * i * k|": ("n * n", "i < n", ""),
    "i, j * k": ("n, n * k + 1", "i < n, j < n", "k >= 0;"),
    "i * k, j * k": ("n * k + 1, n * k + 1", "i < n, j < n", "k >= 0;"),
    "i * k, j": ("n * k + 1, n", "i < n, j < n", "k >= 0;"),
    "0, i * k": ("1, n * k + 1", "i < n", "k >= 0;"),
    "i * k, i % 2": ("n * k + 1, 2", "i < n", "k >= 0;"),
    "i < 3 ? i * k : n * k + i": ("n * k + n", "i < n", "k >= 0;"),
    "i < k ? k - 1 - i : i - k": ("n", "i < n", "k >= 0; k <= n;"),
    "i / k": ("n + 1", "i < n | i % k <= 1", "k > 0;"),
    # Iterations that only the right side or the condition tells apart.
    "i": ("n", "i < n, j < m | j >= i && j <= i + 1", ""),
    "i, 0": ("n, 1", "i < n, j < m | j * k == i * k", ""),
}
ONE_TO_ONE = {
    "i * k": ("n * k + 1", "i < n", "k > 0;"),
    "i * k, j": ("n * k + 1, n", "i < n, j < n", "k >= 1;"),
    "i * k + j": ("n * k", "i < n, j < k", ""),
    "i * m + j": ("n * m", "i < n, j < m", ""),
    "(n - 1 - i) * k": ("n * k + 1", "i < n", "k > 0;"),
    "(i * n + j) * k": ("n * n * k + 1", "i < n, j < n", "k > 0;"),
    "i > 2 ? i * k : i * k": ("n * k + 1", "i < n", "k > 0;"),
    "|i * k|": ("n", "i < n", "k > 0;"),
    "i < k ? k - 1 - i : i": ("n", "i < n", "k >= 0; k <= n;"),
    "i % 2 == 0 ? i / 2 : (n + 1) / 2 + i / 2": ("n", "i < n", ""),
    "i / k": ("n + 1", "i < n | i % k == 0", "k > 0;"),
    "i": ("n", "i < n, j < m | j == i", ""),
    "i, (j + i * k) % n": ("n, n", "i < n, j < n", ""),
}


def once(left: str, shape: str, bounds: str, assertions: str, local: str = "") -> Verdict:
    """Return the verdict that ``=`` with this left side, before an accumulation, writes no element twice."""
    value = "x[i,] + x[j,]" if "j" in bounds else "x[i,]"
    first = ", ".join("0" for _ in left.split(",")) + ("" if "," in left else ",")
    text = f"""operator m {{
        @attrib {{ k: int; }}
        @input {{ x: real[n]; z: real[m]; }}
        @output {{ y: real[{shape}]; }}
        {f"@assert {{ {assertions} }}" if assertions else ""}
        @lower {{ {local} y[{left}{"" if "," in left else ","}] = {value}, {bounds}; y[{first}] += 1.0, g < n; }}
    }}
    """
    proofs = proofs_of_operator(snapshot_of({"m.sknd": text}), OperatorName("m.sknd", "m"), time.thread_time)
    (found,) = [each.verdict for each in proofs if each.condition == ONCE]
    return found


@pytest.mark.parametrize("left", STRIDES)
def test_a_stride_that_can_be_zero_is_not_proved(left: str):
    assert once(left, *STRIDES[left]) is Verdict.REFUTED


@pytest.mark.parametrize("left", [each for each in STRIDES if "," not in each and "|" not in each + STRIDES[each][1]])
@pytest.mark.parametrize("condition", ["", " | i < 7"])
def test_a_local_value_with_such_a_stride_is_not_proved(left: str, condition: str):
    shape, bounds, assertions = STRIDES[left]
    assert once("e", shape, bounds + condition, assertions, f"with e = {left}:") is Verdict.REFUTED


@pytest.mark.parametrize("left", ONE_TO_ONE)
def test_a_stride_that_is_never_zero_is_proved(left: str):
    assert once(left, *ONE_TO_ONE[left]) is Verdict.PROVED
