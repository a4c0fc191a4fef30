"""Shapes that a declaration demands and only the run can tell (2.6.1): they hold, or the run fails, once, for that."""

from __future__ import annotations

import pytest

from snd_runtime.errors import EvaluationFailed
from support.runtime.executing import R, net, run

OPERATORS = """
operator positive {
    @input { x: real[n]; }
    @output { y: real[k | n]; }
    @lower { y[k,] = x[i,], i < n | x[i,] > 0.0; }
}
operator same { @input { x: real[n]; } @output { y: real[n]; } @compose { y = positive(x); } }
"""
STATEMENTS = {
    "y = positive(x);": "output-shape",
    "y = same(x);": "output-shape",
    "r: real[n] = positive(x); y = math.neg(r);": "result-shape",
    "r: real[n] = { q = positive(x); yield q; }; y = math.neg(r);": "result-shape",
    "y = with z = x do..(2) positive(z);": "carried-shape",
    "r = positive(x); y = with z: real[n] = r do..(1) math.neg(z);": "result-shape",
}


@pytest.mark.parametrize("statements", STATEMENTS)
def test_declared_shapes_hold_or_fail(statements: str):
    text = net("x: real[n];", "y: real[n];", statements, operators=OPERATORS)
    assert [abs(each) for each in run(text, R([1.0, 2.0, 3.0]))] == [1, 2, 3]
    with pytest.raises(EvaluationFailed) as caught:
        run(text, R([1.0, -2.0, 3.0]))
    assert caught.value.rule.name == STATEMENTS[statements]


def test_a_negative_count_fails_if_it_is_not_a_tensor():
    operators = OPERATORS + (
        "operator halved { @input { x: real[n]; y: real[m]; } @output { z: real[n]; }\n"
        "    @compose { z = with a = x do..(m - 2) math.neg(a); } }\n"
    )
    text = net("x: real[n];", "y: real[n];", "r = positive(x); y = halved(x, r);", operators=operators)
    assert run(text, R([1.0, 2.0, 3.0])).tolist() == [-1, -2, -3]
    with pytest.raises(EvaluationFailed) as caught:
        run(text, R([1.0, -2.0, -3.0]))
    assert caught.value.rule.name == "loop-count"
