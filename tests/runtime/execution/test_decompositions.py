"""Operators with both formulas and a composition (2.2): run by the formulas, compared with the composition."""

from __future__ import annotations

import numpy as np
import pytest

from snd_runtime.errors import EvaluationFailed
from snd_runtime.execution import Execution
from snd_runtime.rules import DECOMPOSITION_DIFFERS
from support.runtime.executing import FLOAT64, R, net, outcome_of

COMPARING = Execution(real=FLOAT64, compare=True)
SQUARE = """
operator square {{ @input {{ x: real[n]; }} @output {{ y: real[n]; }}
    @lower {{ y[i,] = x[i,] ** 2.0, i < n; }} @compose {{ y = {}; }} }}"""
PICKED = """
operator square { @input { x: real[n]; } @output { y: real[k|n]; }
    @lower { y[k,] = x[i,], i < n | x[i,] > 0.0; } @compose { y = positive(x); } }
operator positive { @input { x: real[n]; } @output { y: real[k|n]; }
    @lower { y[k,] = x[i,], i < n | x[i,] >= 0.0; } }"""
UPDATED = """
operator count { @input { x: real[n]; } @variable { w: real[n]; } @output { y: real[n]; }
    @lower { y[i,] = x[i,] + w[i,], i < n; } @compose { y = math.add(w, x); more = math.mul(y, 2.0); }
    @update { w = math.sub(more, w); } }"""


def calling(operator: str) -> str:
    """A module whose ``net`` invokes ``square``."""
    return net("x: real[n];", "y: real[~|n];", "y = square(x);", operators=operator)


def test_the_formulas_define_what_an_operator_is_run_by():
    outcome = outcome_of(calling(SQUARE.format("math.add(x, x)")), R([1.0, 3.0]))
    assert outcome.outputs["y"].tolist() == [1, 9]


@pytest.mark.parametrize("steps", ["y = math.mul(x, x)", "a = math.log(x); b = math.mul(a, 2.0); y = math.exp(b)"])
def test_both_agree(steps: str):
    text = calling(SQUARE.replace("y = {};", f"{steps};").format())
    assert outcome_of(text, R([1.0, 3.0]), request=COMPARING).outputs["y"] == pytest.approx([1, 9])


@pytest.mark.parametrize(
    ("operator", "x", "message"),
    [
        (SQUARE.format("math.add(x, x)"), [1.0, 2.0, 3.0, 5.0],
         "'@lower' and '@compose' of 'square' disagree about 'y': 3 of 4 items differ, "
         "the largest deviation is 15 at [3]"),
        (PICKED, [1.0, 0.0], "'@lower' and '@compose' of 'square' disagree about 'y': the shapes are [1] and [2]"),
    ],
)  # fmt: skip
def test_the_largest_difference_is_told(operator: str, x: list[float], message: str):
    with pytest.raises(EvaluationFailed) as caught:
        outcome_of(calling(operator), R(x), request=COMPARING)
    assert (caught.value.rule, caught.value.message) == (DECOMPOSITION_DIFFERS, message)
    assert [site.place.path for site in caught.value.chain] == ["model.sknd"]
    outcome_of(calling(operator), R(x))


@pytest.mark.parametrize("compare", [False, True])
def test_updates_use_what_the_composition_computes_and_the_formulas_the_values_before(compare: bool):
    text = net("x: real[n];", "y: real[n];", "y = count(x);", operators=UPDATED)
    request = Execution(real=FLOAT64, variables={"y.w": R([10.0, 20.0])}, compare=compare)
    outcome = outcome_of(text, R([1.0, 2.0]), request=request)
    assert outcome.outputs["y"].tolist() == [11, 22]
    assert np.asarray(outcome.variables["y.w"]).tolist() == [12, 24]
