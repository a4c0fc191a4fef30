"""Conditions that protect a divisor, in runs and in proofs alike."""

from __future__ import annotations

import time

import numpy as np
import pytest

pytest.importorskip("z3", reason="proofs need z3-solver, the extra snd[proofs]")

from snd_analysis.proofs import Verdict, proofs_of_operator
from snd_analysis.skriptnd.names import OperatorName
from snd_runtime.errors import EvaluationFailed
from support.memory import snapshot_of
from support.runtime.formulas import operator
from support.runtime.operators import FLOAT64, InvalidError, compiled

PROTECTED = (
    "y[i,] += real(6 / k), i < n | k > 0;",
    "y[i,] += real(6 / k), i < n | i < k;",
    "y[i,] = i < k ? real(6 / k) : 0.0, i < n;",
    "y[i,] = (i < k && 6 / k > 1) ? 1.0 : 0.0, i < n;",
    "y[i,] = i < k ? real(6 % (k + 0) + 2 ** k / k) : 0.0, i < n;",
    "y[i,] += z[j,] * real(6 / k), i < n, j < k;",
    "y[i,] += real(6 / k), i < n, j < i | n < 2;",
    "y[i,] += real((i + 6) / k), i < n, j < i | i < k;",
)
UNPROTECTED = (
    "y[i,] += real(6 / k), i < n;",
    "y[i,] += real(6 / k), i < n | i < k + 1;",
    "y[i,] = i < 1 ? real(6 / k) : 0.0, i < n;",
    "with a = 6 / k: y[i,] = i < k ? real(a) : 0.0, i < n;",
    "y[i,] += x[|i + 5|,] * real(6 / k), i < n;",
    "y[i,] += 1.0, i < n, j < 6 / k;",
    "with a = (i + 6) / k: y[i,] += real(a), i < n, j < i | i < k;",
    "with a = (i + 6) / k: y[i,] += i < k ? real(a) : 0.0, i < n, j < i;",
)


def is_proved(formula: str) -> bool:
    text = operator("x: real[n]; z: real[k];", "y: real[n];", formula)
    proofs = proofs_of_operator(snapshot_of({"m.sknd": text}), OperatorName("m.sknd", "f"), time.thread_time)
    found = [each.verdict for each in proofs if each.condition == "no divisor is zero"]
    assert found
    return all(each is Verdict.PROVED for each in found)


def runs(formula: str, n: int) -> bool:
    inputs = (np.zeros(n), np.zeros(0))
    text = operator("x: real[n]; z: real[k];", "y: real[n];", formula)
    try:
        compiled(text, inputs).run(inputs, real=FLOAT64)
    except (EvaluationFailed, InvalidError) as failed:
        return "is 0 here" not in str(failed)
    return True


@pytest.mark.parametrize("formula", PROTECTED)
def test_a_protected_divisor_may_be_zero(formula: str):
    assert is_proved(formula)
    assert all(runs(formula, n) for n in range(4))


@pytest.mark.parametrize("formula", UNPROTECTED)
def test_an_unprotected_divisor_is_zero_if_there_is_a_point(formula: str):
    assert not is_proved(formula)
    assert runs(formula, 0)
    assert not runs(formula, 3)
