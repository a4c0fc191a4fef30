"""Branches and loops of every form, with values computed by hand (2.10.1).

Each program is run as it is, and once more behind an operator whose result has a dynamic shape, where everything is
composed and run statement by statement: the results are the same.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from snd_runtime import limits
from snd_runtime.errors import EvaluationFailed
from support.runtime.executing import R, net, outcome_of, run, trace_of

OPERATORS = """
operator positive {
    @input { x: real[n]; }
    @output { y: real[k | n]; }
    @lower { y[k,] = x[i,], i < n | x[i,] > 0.0; }
}
operator both {
    @input { x: real[n]; i: int[]; }
    @output { y: real[n]; z: real[n]; }
    @lower { y[j,] = x[j,] + real(i[]), j < n; z[j,] = x[j,] * 10.0, j < n; }
}
"""


def both_ways(inputs: str, outputs: str, compose: str, *given: Any, **blocks: str) -> Any:
    """The outputs of a graph, after a check that running it statement by statement gives the same."""
    found = run(net(inputs, outputs, compose, operators=OPERATORS, **blocks), *given)
    dynamic = net(
        f"{inputs} probe: real[probed];", f"{outputs} found: real[~|100];", f"{compose} found = positive(probe);",
        operators=OPERATORS, **blocks,
    )  # fmt: skip
    *again, probed = run(dynamic, *given, R([1.0, -1.0, 2.0]))
    assert probed.tolist() == [1, 2]
    again = again[0] if len(again) == 1 else tuple(again)
    assert plain(again) == plain(found)
    return plain(found)


def plain(value: Any) -> Any:
    return [plain(item) for item in value] if isinstance(value, tuple | list) else value.tolist()


X = R([1.0, -2.0])


@pytest.mark.parametrize(("c", "expected"), [(True, [3, 0]), (False, [2, -4])])
def test_a_branch_by_a_tensor(c: bool, expected: list[float]):
    compose = "y = if c then math.add(x, 2.0) else math.mul(x, 2.0);"
    assert both_ways("x: real[n]; c: bool[];", "y: real[n];", compose, X, R(c)) == expected


@pytest.mark.parametrize(("a", "b", "expected"), [(1, 0, "one"), (0, 1, "two"), (1, 1, "one"), (0, 0, "none")])
def test_the_first_case_that_holds(a: int, b: int, expected: str):
    compose = """x0 = math.mul(x, 0.0);
                 y = if math.eq(a, 1) then { s = math.mul(x, 1.0); yield s; }
                     elif math.eq(b, 1) then { s = math.mul(x, 2.0); yield s; }
                     else { yield x0; };"""
    factor = {"one": 1, "two": 2, "none": 0}[expected]
    result = both_ways("x: real[n]; a: int[]; b: int[];", "y: real[n];", compose, X, R(a), R(b))
    assert result == (X * factor).tolist()


def test_a_condition_of_one_element_in_any_rank():
    compose = "y = if c then x else math.neg(x);"
    assert both_ways("x: real[n]; c: bool[1, 1];", "y: real[n];", compose, X, R([[False]])) == [-1, 2]


def test_a_condition_of_several_elements_is_refused():
    program = net("x: real[n]; c: bool[m];", "y: real[n];", "y = if c then x else math.neg(x);")
    with pytest.raises(EvaluationFailed, match="condition"):
        run(program, X, R([True, False]))


def test_branches_of_different_shapes():
    compose = "y = if c then layout.concat{axis=0}([x, x]) else x; z = math.neg(y);"
    text = net("x: real[n]; c: bool[];", "z: real[~|100];", compose)
    assert run(text, X, R(True)).tolist() == [-1, 2, -1, 2]
    assert run(text, X, R(False)).tolist() == [-1, 2]


def test_a_static_branch():
    text = net("x: real[n];", "y: real[n];", "y = if n > 1 then math.neg(x) else x;")
    assert run(text, X).tolist() == [-1, 2]
    assert run(text, X[:1]).tolist() == [1]


def test_a_branch_that_the_extent_of_a_result_decides():
    compose = "p = positive(x); y = if p.shape[0] > 1 then math.neg(p) else math.mul(p, 10.0);"
    text = net("x: real[n];", "y: real[~|100];", compose, operators=OPERATORS)
    assert run(text, R([1.0, -2.0, 3.0])).tolist() == [-1, -3]
    assert run(text, X).tolist() == [10]


def test_several_results_and_packs_of_a_branch():
    compose = "a, b = if c then both(x, 1) else both(x, 2);"
    assert both_ways("x: real[n]; c: bool[];", "a: real[n]; b: real[n];", compose, X, R(False)) == [[3, 0], [10, -20]]


# ---- loops -----------------------------------------------------------------------------------------------------------
XS = [R([1.0, 2.0]), R([3.0, 4.0]), R([5.0, 6.0])]


@pytest.mark.parametrize("keyword", ["do", "unroll"])
def test_a_scan(keyword: str):
    compose = f"ys = for x : xs {keyword} math.add(x, z);"
    assert both_ways("xs: real[n]..(k); z: real[n];", "ys: real[n]..(k);", compose, XS, R([10.0, 20.0])) == [
        [11, 22], [13, 24], [15, 26],
    ]  # fmt: skip


@pytest.mark.parametrize("keyword", ["do", "unroll"])
def test_a_fold(keyword: str):
    compose = f"y = with sum: real[n] = 0.0 for x : xs {keyword} math.add(sum, x);"
    assert both_ways("xs: real[n]..(k);", "y: real[n];", compose, XS) == [9, 12]


@pytest.mark.parametrize("keyword", ["do", "unroll"])
def test_carried_and_collected_with_index(keyword: str):
    compose = f"last, ys = with s = x {keyword}..(i -> 3) both(s, i);"
    last, ys = both_ways("x: real[n];", "last: real[n]; ys: real[n]..(3);", compose, X)
    assert last == [4, 1]
    assert ys == [[10, -20], [10, -20], [20, -10]]


@pytest.mark.parametrize("count", [0, 1, 4])
def test_a_count_that_a_tensor_tells(count: int):
    compose = "sum = with s = 0 do..(i -> k) math.add(s, i);"
    assert both_ways("k: int[];", "sum: int[];", compose, R(count)) == sum(range(count))


def test_part_of_a_pack():
    compose = "y = with s: real[n] = 0.0 for x : xs do..(m) math.add(s, x);"
    args = ("xs: real[n]..(k); m: int[];", "y: real[n];", compose, XS)
    assert both_ways(*args, R(2)) == [4, 6]
    assert both_ways(*args, R(0)) == [0, 0]
    with pytest.raises(EvaluationFailed) as caught:
        both_ways(*args, R(4))
    assert caught.value.rule.name == "scan-lengths"
    assert "counts to 4" in caught.value.message


def test_part_of_a_pack_that_is_collected():
    compose = "ys = for x : xs do..(m) math.neg(x); y = layout.stack{axis=0}(ys);"
    text = net("xs: real[n]..(k); m: int[];", "y: real[~|100, n];", compose)
    assert run(text, XS, R(2)).tolist() == [[-1, -2], [-3, -4]]
    assert run(text, XS, R(3)).shape == (3, 2)


@pytest.mark.parametrize(("form", "first", "expected"), [
    ("while math.lt(x, limit) do {0}", 1.0, 16.0),
    ("do {0} while math.lt(x, limit)", 1.0, 16.0),
    ("while math.lt(x, limit) do {0}", 50.0, 50.0),
    ("do {0} while math.lt(x, limit)", 50.0, 100.0),
])  # fmt: skip
def test_conditions_before_and_behind(form: str, first: float, expected: float):
    compose = f"y = with x = x0 {form.format('math.mul(x, 2.0)')};"
    assert both_ways("x0: real[]; limit: real[];", "y: real[];", compose, R(first), R(10.0)) == expected


def test_a_condition_that_is_carried():
    compose = """n, ~ = with i = 0, go = true while go do {
                     j = math.add(i, 1); more = math.lt(j, limit); yield j, more;
                 };"""
    assert both_ways("limit: int[];", "n: int[];", compose, R(5)) == 5


@pytest.mark.parametrize(("limit", "expected"), [(3.0, 2), (100.0, 3), (-1.0, 0)])
def test_a_scan_with_a_condition(limit: float, expected: int):
    compose = """y, count = with s: real[n] = 0.0, c = 0 for x : xs
        while { r = math.sum_reduce{axes=[0], squeeze=true}(s); h = math.le(r, limit); yield h; }
        do { t = math.add(s, x); d = math.add(c, 1); yield t, d; };"""
    args = ("xs: real[n]..(k); limit: real[];", "y: real[n]; count: int[];", compose, XS, R(limit))
    assert both_ways(*args) == [sum(XS[:expected], np.zeros(2)).tolist(), expected]


def test_what_a_loop_with_a_condition_collects():
    compose = """last, ys = with x = x0 while math.lt(x, 10.0) do
                     { z = math.mul(x, 3.0); w = math.neg(x); yield z, w; };
                 y = layout.stack{axis=0}(ys);"""
    text = net("x0: real[];", "last: real[]; y: real[~|100];", compose)
    last, y = run(text, R(1.0))
    assert last == 27
    assert y.tolist() == [-1, -3, -9]


def test_items_of_different_extents():
    text = net("xs: real[..n]..(k);", "y: real[];", """y = with s = 0.0 for x : xs do {
        r = math.sum_reduce{axes=[0], squeeze=true}(x); t = math.add(s, r); yield t; };""")  # fmt: skip
    assert run(text, [R([1.0]), R([2.0, 3.0]), np.zeros(0)]) == 6


def test_nested_loops_and_captured_tensors():
    compose = """y = with total: real[n] = 0.0 for x : xs do {
                     inner = with t = total do..(j -> 2) { k = math.mul(x, scale); u = math.add(t, k); yield u; };
                     yield inner;
                 };"""
    assert both_ways("xs: real[n]..(k); scale: real[];", "y: real[n];", compose, XS, R(2.0)) == [36, 48]


def test_a_branch_in_a_loop():
    compose = """y = with s = x do..(i -> 4) {
                     c = math.eq(i, 2);
                     t = if c then math.mul(s, 0.0) else math.add(s, 1.0);
                     yield t;
                 };"""
    assert both_ways("x: real[n];", "y: real[n];", compose, X) == [1, 1]


def test_carried_packs_and_reversed_scans():
    compose = "y = with s: real[n] = 0.0 for x : xs[::-1] do { t = math.mul(s, 2.0); u = math.add(t, x); yield u; };"
    assert both_ways("xs: real[n]..(k);", "y: real[n];", compose, XS) == [5 * 4 + 3 * 2 + 1, 6 * 4 + 4 * 2 + 2]


def test_packs_whose_length_the_run_tells():
    compose = """~, ys = with i = 0 while math.lt(i, k) do { j = math.add(i, 1); yield j, j; };
                 back = layout.stack{axis=0}(ys[::-1]); first = ys[0]; n = layout.shape(back);"""
    text = net("k: int[];", "back: int[~|100]; first: int[]; n: int[1];", compose)
    back, first, n = run(text, R(4))
    assert (back.tolist(), int(first), n.tolist()) == ([4, 3, 2, 1], 1, [4])


def test_shapes_change_only_in_unrolled_loops():
    text = net("x: real[n];", "y: real[~|100];", "y = with s = x unroll..(3) layout.concat{axis=0}([s, s]);")
    assert run(text, X).shape == (16,)


def test_steps_of_iterations():
    compose = "last, ys = with s = x do..(i -> 3) both(s, i);"
    text = net("x: real[n];", "last: real[n]; ys: real[n]..(3);", compose, operators=OPERATORS)
    steps = trace_of(text, X)
    assert [step.iterations for step in steps if step.iterations] == [(0,), (0,), (1,), (1,), (2,), (2,)]
    assert [step.name for step in steps if not step.iterations] == ["last", "ys[0]", "ys[1]", "ys[2]"]


NEGATED = """
operator negated {
    @input { xs: real[n]..(k); } @output { ys: real[n]..(k); } @compose { ys = for x : xs do math.neg(x); }
}
"""


def test_packs_of_branches_and_carried_packs():
    compose = "ps..(2) = if c then negated(xs) else negated(xs[::-1]); a = ps[0]; b = ps[1];"
    text = net("xs: real[n]..(2); c: bool[];", "a: real[n]; b: real[n];", compose, operators=NEGATED)
    assert plain(run(text, XS[:2], R(False))) == [[-3, -4], [-1, -2]]
    compose = "ps..(2) = with p = xs do..(m) negated(p[::-1]); a = ps[0]; b = ps[1];"
    text = net("xs: real[n]..(2); m: int[];", "a: real[n]; b: real[n];", compose, operators=NEGATED)
    assert plain(run(text, XS[:2], R(3))) == [[-3, -4], [-1, -2]]


def test_nothing_to_scan():
    text = net("xs: real[n]..(k); z: real[n];", "y: real[n];", "y = with s = z for x : xs do math.add(s, x);")
    assert run(text, [], X).tolist() == X.tolist()
    text = net("xs: real[n]..(k); z: real[n];", "ys: real[n]..(k);", "ys = for x : xs do math.add(x, z);")
    with pytest.raises(EvaluationFailed, match="nothing to scan"):
        run(text, [], X)


def test_graphs_have_scopes_of_their_own():
    text = """import math;
graph sub { @input { x: real[2]; } @variable { w: real[2]; } @output { y: real[2]; } @compose { y = math.mul(x, w); } }
graph net {
    @input { x: real[2]; c: bool[]; }
    @output { y: real[2]; }
    @compose { a = if c then sub(x) else x; y = if c then l: sub(a) else a; }
}
"""
    assert set(outcome_of({"main.sknd": text}, X, R(True)).variables) == {"sub.w", "l.w"}
    assert set(outcome_of({"main.sknd": text}, X, R(False)).variables) == set()


def test_sequences_of_different_length():
    text = net(
        "X: real[t, b, c]; W: real[4 * n, c]; R: real[4 * n, n]; B: real[4 * n]; h: real[b, n];"
        "steps: optional int[b];",
        "Y: real[~|t, b, n]; hN: real[b, n]; cN: real[b, n];", "Y, hN, cN = nn.lstm(X, W, R, B, h, h, steps);",
    )  # fmt: skip
    random = np.random.default_rng(3)
    given = [random.standard_normal(shape) for shape in ((4, 2, 3), (20, 3), (20, 5), (20,), (2, 5))]
    whole, same, short = (run(text, *given, steps) for steps in (None, R([4, 4]), R([3, 1])))
    assert all(np.allclose(one, other) for one, other in zip(whole, same, strict=True))
    y, hidden, _ = short
    assert y.shape == (3, 2, 5)
    assert np.allclose(y[:, 0], whole[0][:3, 0])
    assert np.allclose(hidden[1], whole[0][0, 1])
    assert not y[1:, 1].any()


@pytest.mark.parametrize("statements", [
    "~, ys = with t = x do..(n) { u = math.neg(t); yield u, u; };",
    "~, us = with t = x do..(n) { u = math.neg(t); yield u, u; }; ys = for u : us do math.neg(u);",
    "~, us = with t = x do..(n) { u = math.neg(t); yield u, u; }; ys..(us.size) = all(us);",
])  # fmt: skip
def test_a_loop_that_never_runs_collects_tensors_of_a_known_shape(statements: str) -> None:
    operators = """
operator all { @input { xs: real[m]..(k); } @output { ys: real[m]..(k); }
    @compose { ys..(k) = for x : xs do math.neg(x); } }
"""
    text = net("x: real[m]; n: int[];", "y: real[~|9, m];", f"{statements} y = layout.stack{{axis=0}}(ys);",
               operators=operators)  # fmt: skip
    assert [run(text, R([1.0, 2.0]), R(count)).shape for count in (0, 3)] == [(0, 2), (3, 2)]


def test_an_lstm_without_steps() -> None:
    text = net(
        "x: real[s, b, c]; w: real[4 * n, c]; r: real[4 * n, n]; bias: real[4 * n]; h: real[b, n]; steps: int[];",
        "y: real[~|s, b, n]; last: real[b, n];",
        "y, last, ~ = nn.lstm_loop(x, w, r, bias, h, h, steps);",
    )
    y, last = run(text, np.ones((3, 1, 1)), np.ones((4, 1)), np.ones((4, 1)), np.ones(4), np.full((1, 1), 5.0), R(0))
    assert (y.shape, last) == ((0, 1, 1), 5.0)


# ---- loops that never end --------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    "compose",
    [
        "y = with s = x while c do math.neg(s);",
        "y = with s = x do math.neg(s) while c;",
        "y, ~ = with s = x, go = c while go do { t = math.neg(s); yield t, go; };",
        "o = math.not(c); y = with s = x while { h = math.not(o); yield h; } do math.neg(s);",
    ],
)
def test_a_condition_that_no_iteration_changes_is_no_end(compose: str):
    text = net("x: real[n]; c: bool[];", "y: real[n];", compose)
    with pytest.raises(EvaluationFailed) as caught:
        run(text, R([1.0]), np.array(True))
    assert (caught.value.rule.name, caught.value.message) == (
        "endless-loop", "this loop never ends: its condition holds, and no iteration changes it",
    )  # fmt: skip
    (y,) = [run(text, R([1.0]), np.array(False))]
    assert y.tolist() in ([1], [-1])


PROBED = [R(0.5), R([1.0])]


def test_a_loop_without_count_is_stopped(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(limits, "MOST_ITERATIONS_WITHOUT_COUNT", 50)
    compose = "y = with s = x while math.lt(s, 1.0) do math.mul(s, 0.5);"
    dynamic = f"{compose} found = positive(probe);"
    for text, given in [
        (net("x: real[];", "y: real[];", compose), [R(0.5)]),
        (net("x: real[]; probe: real[p];", "y: real[]; found: real[~|9];", dynamic, operators=OPERATORS), PROBED),
    ]:  # fmt: skip
        with pytest.raises(EvaluationFailed, match="still holds after 50 iterations"):
            run(text, *given)


def test_a_count_that_no_run_reaches_is_refused():
    with pytest.raises(EvaluationFailed, match="10,000,000 iterations at most, but this is 10,000,001"):
        run(net("x: real[]; k: int[];", "y: real[];", "y = with s = x do..(k) math.neg(s);"), R(1.0), R(10_000_001))
