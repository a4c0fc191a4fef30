"""Place of a failure of a run: at the author's statement, with the operator and the iteration."""

from __future__ import annotations

import pytest

from snd_analysis.skriptnd.names import is_library
from snd_runtime.errors import EvaluationFailed
from support.runtime.executing import R, net, run

PICK = """operator pick { @input { x: real[n]; } @output { y: real[k|n]; }
    @lower { y[k,] = x[i,], i < n | x[i,] > 0.0; } }"""


def failure(text: str, *inputs: object) -> EvaluationFailed:
    with pytest.raises(EvaluationFailed) as caught:
        run(text, *inputs)
    return caught.value


def test_what_fails_in_the_library_is_reported_at_the_invocation_with_the_operator():
    text = net("x: real[n]; i: int[m];", "y: real[m];", "y = layout.gather{axis=0}(x, i);")
    found = failure(text, R([1.0, 2.0]), R([0, 5]))
    assert is_library(found.place.path)
    seen = found.outside_of_library()
    assert seen.place.path == "model.sknd"
    start = text.index("layout.gather") - text.index("operator net")
    assert seen.place.span.start == start
    assert seen.message.startswith("in 'layout.gather': the index 5 is outside of dimension 0")
    assert [(is_library(site.place.path), site.message) for site in seen.related] == [(True, "it fails here")]


@pytest.mark.parametrize(
    ("compose", "inputs"),
    [
        ("y = for d : ds do math.div(10, d);", "ds: int[n]..(3);"),
        ("y = for d : ds do { q = math.div(10, d); yield q; };", "ds: int[n]..(3);"),
    ],
)
def test_a_failure_in_a_loop_names_the_iteration(compose: str, inputs: str):
    found = failure(net(inputs, "y: int[n]..(3);", compose), [R([1]), R([2]), R([0])]).outside_of_library()
    assert found.message == "in 'math.div': the right side of '/' is 0 (at zi[0] = 0)"
    assert [site.message for site in found.chain] == ["in iteration 2 of this loop, counted from 0"]


def test_statement_by_statement_as_well():
    text = net(
        "xs: real[n]..(3);", "y: real[2]..(3);",
        "y = for x : xs do { p = pick(x); q = layout.reshape{shape=[2]}(p); yield q; };", operators=PICK,
    )  # fmt: skip
    found = failure(text, [R([1.0, 2.0]), R([1.0, -1.0]), R([1.0, 1.0])])
    assert [site.message for site in found.chain][-1:] == ["in iteration 1 of this loop, counted from 0"]


def test_what_has_no_library_around_it_is_where_it_fails():
    operators = "operator half { @input { x: int[n]; } @output { y: int[n]; } @lower { y[i,] = 1 / x[i,], i < n; } }"
    found = failure(net("x: int[n];", "y: int[n];", "y = half(x);", operators=operators), R([1, 0]))
    assert found.outside_of_library() is found
