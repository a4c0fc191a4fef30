"""Graphs are run: constants, scalars, variables, updates, names, run-time checks (2.7 to 2.11)."""

from __future__ import annotations

import numpy as np
import pytest

from snd_runtime.errors import EvaluationFailed
from snd_runtime.execution import Execution, StatefulGraph, execute
from support.runtime.executing import FLOAT64, R, instance_of, net, outcome_of, run, trace_of

SCALE = """
operator scale { @input { x: real[n]; } @variable { w: real[n]; } @output { y: real[n]; }
    @compose { y = math.mul(x, w); } }
operator twice { @input { x: real[n]; } @output { y: real[n]; }
    @compose { a = scale(x); y = other: scale(a); } }
operator around { @input { x: real[n]; } @output { y: real[n]; } @compose { y = scale(x); } }
operator positive { @input { x: real[n]; } @output { y: real[k | n]; }
    @lower { y[k,] = x[i,], i < n | x[i,] > 0.0; } }
"""


def failure(text: str, *inputs: object, **attributes: object) -> EvaluationFailed:
    with pytest.raises(EvaluationFailed) as caught:
        run(text, *inputs, **attributes)
    return caught.value


# ---- constants and scalars -------------------------------------------------------------------------------------------
def test_constants_with_index_bounds_are_row_major():
    text = net(
        "x: real[n, m];", "y: real[n, m]; t: real[2, 3]; ones: int[n];",
        "y = math.mul(x, c); t = table; ones = units;",
        constant="c: real[n, m] = real(10 * i + j), i < n, j < m; table: real[2, 3] = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0];"
        "units: int[n] = 1;",
    )  # fmt: skip
    y, t, ones = run(text, np.ones((3, 2)))
    assert y.tolist() == [[0, 1], [10, 11], [20, 21]]
    assert t.tolist() == [[1, 2, 3], [4, 5, 6]]
    assert ones.tolist() == [1, 1, 1]


def test_packs_of_constants():
    text = net("x: real[n];", "y: real[n];", "y = with s = x for c : cs do math.add(s, c);",
               constant="cs: real[n]..(2) = [1.0, 10.0];")  # fmt: skip
    assert run(text, R([0.0, 1.0])).tolist() == [11, 12]


def test_large_constants_are_computed_at_once():
    text = net("x: real[n];", "y: real[n];", "y = linalg.matvec(unit, x);",
               constant="unit: real[n, n] = i == j ? 1.0 : 0.0, i < n, j < n;")  # fmt: skip
    x = np.arange(700.0)
    assert (run(text, x) == x).all()


def test_scalar_arguments_of_every_type():
    text = net("x: real[n]; i: int[n]; b: bool[n];", "u: real[n]; v: int[n]; w: bool[n];",
               "u = math.add(x, 1.0 / sqrt(real(n))); v = math.mul(i, n + 1); w = math.or(b, n > 3);")  # fmt: skip
    u, v, w = run(text, np.zeros(4), np.ones(4, np.int64), np.zeros(4, bool))
    assert (u.tolist(), v.tolist(), w.tolist()) == ([0.5] * 4, [5] * 4, [True] * 4)


def test_scalars_that_only_the_run_knows():
    text = net(
        "x: real[n];", "y: real[~|n];", "p = positive(x); y = math.mul(p, 1.0 / real(p.shape[0]));", operators=SCALE
    )
    assert run(text, R([2.0, -1.0, 4.0])).tolist() == [1, 2]


def test_inputs_with_defaults_and_without_values():
    operators = """
operator f { @input { x: real[n]; z: optional real[n]; d: real[] = 2.0; } @output { y: real[n]; }
    @lower { y[i,] = x[i,] * d[] + (z[i,] ?? 0.5), i < n; } }"""
    text = net("x: real[n]; z: optional real[n];", "a: real[n]; b: real[n]; c: real[n];",
               "a = f(x); b = f(x, z, 3.0); c = if ?z then f(x, z) else f(x, ~, 1.0);",
               operators=operators)  # fmt: skip
    x, z = R([1.0, 2.0]), R([10.0, 20.0])
    assert [each.tolist() for each in run(text, x, z)] == [[2.5, 4.5], [13, 26], [12, 24]]
    text = text.replace("b = f(x, z, 3.0);", "b = f(x);")
    assert [each.tolist() for each in run(text, x, None)] == [[2.5, 4.5], [2.5, 4.5], [1.5, 2.5]]


def test_outputs_that_pass_on_inputs_and_strings():
    text = net("x: real[n]; s: str[m];", "y: real[n]; t: str[m];", "y = x; t = s;")
    y, t = run(text, R([1.0]), R(["a", "b"]))
    assert (y.tolist(), t.tolist()) == ([1], ["a", "b"])


def test_expressions_over_tensors():
    text = net("xs: real[n]..(k); z: optional real[n];", "y: real[n]; w: real[n]; vs: real[n]..(2);",
               "y = k > 1 ? xs[1] : xs[0]; w = z ?? xs[0]; vs..(2) = xs[:2];")  # fmt: skip
    y, w, vs = run(text, [R([1.0]), R([2.0]), R([3.0])], None)
    assert (y.tolist(), w.tolist(), [v.tolist() for v in vs]) == ([2], [1], [[1], [2]])


# ---- variables -------------------------------------------------------------------------------------------------------
def test_variables_have_scoped_names():
    text = net("x: real[n];", "y: real[n];", "a = twice(x); b = l: around(a); y = scale(b);", operators=SCALE)
    names = {"a.a.w": 2.0, "a.other.w": 3.0, "l.w": 5.0, "y.w": 7.0}
    request = Execution(real=FLOAT64, variables={name: R([value]) for name, value in names.items()})
    outcome = outcome_of(text, R([1.0]), request=request)
    assert outcome.outputs["y"] == 210
    assert outcome.variables.keys() == names.keys()
    assert (outcome.drawn, outcome.unused) == ((), ())


def test_given_variables_must_fit_and_be_there():
    text = net("x: real[n];", "y: real[n];", "y = scale(x);", operators=SCALE)
    request = Execution(variables={"y.w": np.zeros(3)})
    with pytest.raises(EvaluationFailed, match=r"'y.w' is 'real\[1\]', but the given value is 'float64\[3\]'"):
        outcome_of(text, R([1.0]), request=request)
    assert outcome_of(text, R([1.0]), request=Execution(variables={"other": np.zeros(3)})).unused == ("other",)


def test_packs_of_variables():
    text = net("x: real[n];", "y: real[n];", "y = with s = x for w : ws do math.mul(s, w);",
               variable="ws: real[n]..(3);")  # fmt: skip
    for variables in (
        {"ws": [R([2.0]), R([3.0]), R([4.0])]},
        {"ws[0]": R([2.0]), "ws[1]": R([3.0]), "ws[2]": R([4.0])},
    ):
        outcome = outcome_of(text, R([1.0]), request=Execution(variables=variables))
        assert outcome.outputs["y"] == 24
        assert outcome.unused == ()


def test_variables_that_nothing_gives_are_drawn_by_name():
    operators = """
operator dense {
    @attrib { m: int; }
    @input { x: real[b, n]; }
    @variable { w: real[m, n]; v: real[m]; }
    @output { y: real[b, m]; }
    @compose { p = linalg.matmul{transB=true}(x, w); y = math.add(p, v); } }"""
    text = net("x: real[b, n];", "y: real[b, 3];", "h = dense{m=300}(x); y = dense{m=3}(h);", operators=operators)
    x = np.ones((1, 700))
    first, again = outcome_of(text, x), outcome_of(text, x)
    assert first.drawn == ("h.v", "h.w", "y.v", "y.w")
    assert (first.outputs["y"] == again.outputs["y"]).all()
    w = first.variables["h.w"]
    assert abs(np.std(w) * np.sqrt(700) - 1) < 0.01
    assert abs(np.mean(w)) < 1e-3
    other = outcome_of(text.replace("h = dense{m=300}(x);", "h = dense{m=300}(x); k = dense{m=5}(x);"), x)
    assert (other.variables["h.w"] == w).all()
    assert (outcome_of(text, x, request=Execution(real=FLOAT64, seed=1)).variables["h.w"] != w).any()


def test_variances_are_positive():
    text = net("x: real[n];", "y: real[n];", "y = math.sqrt(variance);", variable="variance: real[n];")
    assert (np.abs(run(text, np.zeros(1000)) ** 2 - 1) <= 0.5 + 1e-9).all()


@pytest.mark.parametrize(
    ("compose", "mean"),
    [
        ("y = math.add(x, v);", 0),
        ("y = math.mul(x, v);", 1),
        ("a = math.add(x, v); y = math.mul(a, 2.0);", 0),
        ("a = math.add(v, 1e-3); b = math.sqrt(a); y = math.div(x, b);", 1),
        ("y = nn.batch_norm{channel_axis=0}(x, v, x);", 0),
        ("y = nn.batch_norm{channel_axis=0}(x, x, v);", 1),
        ("y = nn.batch_norm{channel_axis=0}(x, x, x, v);", 0),
        ("y = nn.batch_norm{channel_axis=0}(x, x, x, ~, v);", 1),
        ("y = with a = x for w : [v] do math.mul(a, w);", 1),
        ("y = if flag then math.mul(x, v) else x;", 1),
    ],
)
def test_what_is_multiplied_is_drawn_around_1_and_other_vectors_around_0(compose: str, mean: int):
    text = net("x: real[n];", "y: real[n];", compose, variable="v: real[n];", attrib="flag: bool = true;")
    v = outcome_of(text, np.ones(1000)).variables["v"]
    assert abs(np.mean(v) - mean) < 0.05  # type: ignore[arg-type]
    assert 0.05 < np.std(v) < 0.2  # type: ignore[arg-type]


# ---- updates ---------------------------------------------------------------------------------------------------------
COUNTER = """
operator counter { @attrib { step: int = 1; } @input { x: int[]; } @variable { count: int[]; } @output { y: int[]; }
    @compose { y = math.add(x, count); }
    @update { more = math.add(count, step); count = math.mul(more, 1); } }
operator formula { @input { x: int[]; } @variable { count: int[]; } @output { y: int[]; }
    @lower { y[] = x[] + count[]; }
    @update { count = math.add(count, 10); } }
"""


def test_variables_are_looked_at_again_when_they_or_what_they_must_fit_change():
    moved = """operator moved { @input { x: real[n]; } @variable { w: real[n]; } @output { y: real[n]; }
        @compose { y = math.add(x, w); } }"""
    text = net("x: real[n];", "y: real[n];", "y = moved(x);", operators=moved)
    short, long = np.ones(2, np.float32), np.ones(3, np.float32)
    session, specialization = instance_of(text, [short])
    graph = StatefulGraph(session, specialization, Execution(variables={"y.w": short}))
    assert graph.run([short])["y"].tolist() == graph.run([short])["y"].tolist() == [2, 2]  # type: ignore[union-attr]
    with pytest.raises(EvaluationFailed, match=r"the variable 'y\.w'"):
        graph.run([long])
    graph.variables["y.w"] = long
    with pytest.raises(EvaluationFailed, match=r"the variable 'y\.w'"):
        graph.run([short])
    assert graph.run([long])["y"].tolist() == [2, 2, 2]  # type: ignore[union-attr]


def test_variables_keep_their_new_values_from_run_to_run():
    text = net("x: int[];", "a: int[]; b: int[]; c: int[];", "a = counter(x); b = counter{step=5}(x); c = formula(x);",
               operators=COUNTER)  # fmt: skip
    session, specialization = instance_of(text, [R(100)])
    graph = StatefulGraph(session, specialization, Execution())
    results = [[int(value) for value in graph.run([R(100)]).values()] for _ in range(3)]
    assert results == [[100, 100, 100], [101, 105, 110], [102, 110, 120]]
    assert {name: int(value) for name, value in graph.variables.items()} == {"a.count": 3, "b.count": 15, "c.count": 30}


def test_updates_in_loops_run_in_every_iteration():
    text = net("x: int[];", "y: int[];", "y = with s = x do..(4) counter(s);", operators=COUNTER)
    outcome = outcome_of(text, R(0))
    assert outcome.outputs["y"] == 0 + 1 + 2 + 3
    assert outcome.variables["y.count"] == 4


def test_updates_see_intermediate_tensors_and_the_values_before():
    text = net(
        "x: real[];", "y: real[];", "d = math.sub(x, mean); y = math.abs(d);", variable="mean: real[]; old: real[];",
        update="half = math.mul(d, 0.5); mean = math.add(mean, half); old = mean;",
    )  # fmt: skip
    variables = {"mean": R(2.0), "old": R(0.0)}
    outcome = outcome_of(text, R(10.0), request=Execution(variables=variables))
    assert (outcome.outputs["y"], outcome.variables["mean"]) == (8, 6)
    assert outcome.variables["old"] == 2


def test_updates_read_what_formulas_compute():
    moving = """operator moving { @input { x: real[]; } @output { y: real[]; } @variable { w: real[]; }
    @lower { y[] = (x[] + w[]) / 2.0; } @update { w = y; } }"""
    text = net("x: real[];", "y: real[];", "y = with s = x do..(2) moving(s);", operators=moving)
    outcome = outcome_of(text, R(8.0), request=Execution(variables={"y.w": R(0.0)}))
    assert (outcome.outputs["y"], outcome.variables["y.w"]) == (4, 4)


def test_a_run_that_fails_changes_nothing():
    text = net("x: int[];", "y: int[];", "a = counter(x); y = math.div(a, x);", operators=COUNTER)
    session, specialization = instance_of(text, [R(1)])
    graph = StatefulGraph(session, specialization, Execution())
    graph.run([R(1)])
    with pytest.raises(EvaluationFailed):
        graph.run([R(0)])
    assert graph.variables["a.count"] == 1


# ---- random values ---------------------------------------------------------------------------------------------------
def test_random_values_depend_on_the_seed_and_the_place_only():
    text = net("x: real[n];", "a: real[5]; b: real[5]; cs: real[5]..(2);", """
        a = rand.uniform{min=0.0, max=1.0, shape=[5]}(); b = rand.uniform{min=0.0, max=1.0, shape=[5]}();
        cs..(2) = do..(2) rand.uniform{min=0.0, max=1.0, shape=[5]}();""")  # fmt: skip
    a, b, cs = run(text, R([1.0]))
    assert len({tuple(each) for each in (a, b, *cs)}) == 4
    again = run(text, R([1.0]))
    assert (a == again[0]).all()
    assert (cs[1] == again[2][1]).all()
    session, specialization = instance_of(text, [R([1.0])])
    graph = StatefulGraph(session, specialization, Execution(real=FLOAT64))
    first, second = graph.run([R([1.0])])["a"], graph.run([R([1.0])])["a"]
    assert (first == a).all()
    assert (second != a).any()


def test_what_is_drawn_does_not_depend_on_how_exact_reals_are():
    text = net("x: real[n];", "w: real[7]; a: real[5]; b: real[5];", """
        w = weights(); a = rand.uniform{min=-1.0, max=3.0, shape=[5]}(); b = rand.normal{mean=1.0, shape=[5]}();""",
        operators="operator weights { @variable { v: real[7]; } @output { w: real[7]; } @compose { w = v; } }",
    )  # fmt: skip
    exact, rounded = (
        outcome_of(text, R([1.0], real), request=Execution(real=np.dtype(real))).outputs
        for real in (np.float64, np.float32)
    )
    for name, value in exact.items():
        assert rounded[name].dtype == np.float32
        np.testing.assert_allclose(rounded[name], value, rtol=1e-6)
    assert len(set(exact["w"])) == 7


# ---- dynamic shapes --------------------------------------------------------------------------------------------------
def test_an_assertion_that_only_the_run_decides():
    operators = (
        SCALE
        + """
operator pairs { @input { x: real[n]; } @output { y: real[n / 2]; }
    @assert { n % 2 == 0: "the number of items must be even", n; }
    @lower { y[i,] = x[2 * i,] + x[2 * i + 1,], i < n / 2; } }
operator inner { @input { x: real[n]; } @output { y: real[~|n]; } @compose { p = positive(x); y = pairs(p); } }
"""
    )
    text = net("x: real[n];", "y: real[~|n];", "y = inner(x);", operators=operators)
    assert run(text, R([1.0, -1.0, 2.0])).tolist() == [3]
    found = failure(text, R([1.0, 1.0, 2.0]))
    assert found.rule.name == "assertion-fails"
    assert "the number of items must be even (n = 3)" in found.message
    assert found.place is not None
    assert found.place.definition == "inner"
    assert [site.message for site in found.chain] == ["'inner' is invoked here"]
    assert [site.message for site in found.related] == ["this must hold"]


def test_extents_that_must_agree_at_run_time():
    text = net("x: real[n]; z: real[n];", "y: real[~|n];", "p = positive(x); q = positive(z); y = math.add(p, q);",
               operators=SCALE)  # fmt: skip
    assert run(text, R([1.0, -1.0]), R([-1.0, 3.0])).tolist() == [4]
    found = failure(text, R([1.0, 2.0, 3.0]), R([-1.0, 3.0, 4.0]))
    assert found.place is not None
    assert found.place.definition == "net"


def test_a_dynamic_extent_above_its_bound():
    operators = "operator few { @input { x: real[n]; } @output { y: real[k | 1]; }\n" \
        "    @lower { y[k,] = x[i,], i < n | x[i,] > 0.0; } }"  # fmt: skip
    text = net("x: real[n];", "y: real[~|1];", "y = few(x);", operators=operators)
    assert run(text, R([1.0, -2.0])).tolist() == [1]
    assert failure(text, R([1.0, 2.0])).rule.name == "extent-bound"


def test_one_instance_runs_on_inputs_of_any_size():
    text = net("x: real[n];", "y: real[n];", "y = math.mul(x, real(n));")
    session, specialization = instance_of(text, [np.ones(2)])
    for n in (0, 1, 7):
        outcome = execute(session, specialization, [np.ones(n)], Execution())
        assert outcome.outputs["y"].tolist() == [n] * n  # type: ignore[union-attr]


# ---- failures --------------------------------------------------------------------------------------------------------
def test_failures_carry_the_chain_of_invocations():
    operators = """
operator pick { @input { x: real[n]; at: int[m]; } @output { y: real[m]; } @lower { y[i,] = x[at[i,],], i < m; } }
operator first { @input { x: real[n]; at: int[m]; } @output { y: real[m]; } @compose { y = pick(x, at); } }
operator second { @input { x: real[n]; at: int[m]; } @output { y: real[m]; }
    @compose { y = with s = x do..(1) first(s, at); } }
"""
    text = net("x: real[n]; at: int[n];", "y: real[n];", "y = second(x, at);", operators=operators)
    found = failure(text, np.zeros(2), R([0, 5]))
    assert found.rule.name == "index-out-of-range"
    assert found.place is not None
    assert found.place.definition == "pick"
    assert [(site.message, site.place.definition) for site in found.chain] == [
        ("'pick' is invoked here", "first"), ("'first' is invoked here", "second"),
        ("in iteration 0 of this loop, counted from 0", "second"), ("'second' is invoked here", "net"),
    ]  # fmt: skip


def test_an_operator_that_nothing_computes():
    operators = "operator magic { @input { x: real[n]; } @output { y: real[n]; } }"
    found = failure(net("x: real[n];", "y: real[n];", "y = magic(x);", operators=operators), np.zeros(1))
    assert found.message == "'magic' has neither a composition nor formulas, and there is no intrinsic for it"
    assert found.place is not None
    assert found.place.definition == "net"


def test_arguments_that_do_not_fit():
    text = net("x: real[n, 2]; i: int[]; ps: real[n]..(k);", "y: real[n, 2];", "y = math.add(x, 1.0);")
    good = [np.ones((1, 2)), R(1), [np.ones(1)]]
    assert run(text, *good).tolist() == [[2, 2]]
    for at, value, words in [
        (0, np.ones((1, 3)), "2"),
        (0, np.array([["a", "b"]]), "'real'"),
        (1, np.array(1.5), "'int'"),
        (2, np.ones(1), "pack"),
        (2, [np.ones(2)], "n"),
        (0, None, "'x'"),
    ]:
        given = [*good]
        given[at] = value
        assert words in failure(text, *given).message
    assert "2 inputs" not in failure(text, *good, R(1)).message


# ---- tracing ---------------------------------------------------------------------------------------------------------
def test_every_tensor_is_shown_once_by_its_name():
    text = net("x: real[n];", "y: real[n];", "a = twice(x); y = math.neg(a);", operators=SCALE)
    assert [step.name for step in trace_of(text, R([1.0]))] == ["a.a", "a", "y"]
    dynamic = text.replace("y = math.neg(a);", "p = positive(a); y = math.neg(a);")
    assert [step.name for step in trace_of(dynamic, R([1.0]))] == ["a.a", "a", "p", "y"]


def test_progress_reaches_its_end():
    text = net("x: real[n];", "y: real[n];", "a = twice(x); b = with s = a do..(3) math.neg(s); y = math.neg(b);",
               operators=SCALE)  # fmt: skip
    seen: list[tuple[int, int]] = []
    outcome_of(text, R([1.0]), request=Execution(progress=lambda done, total: seen.append((done, total))))
    assert seen[-1] == (6, 6)
    assert [done for done, _ in seen] == sorted(done for done, _ in seen)


@pytest.mark.parametrize("at_once", [True, False])
def test_variables_below_control_flow_have_names_of_their_own(at_once: bool) -> None:
    """The same at once and statement by statement, which a shape that depends on data demands."""
    first = "a = x;" if at_once else "p = positive(x); a = p;"
    text = net("x: real[n]; c: bool[];", "y: real[~|n]; z: real[~|n]; v: real[~|n];",
               f"{first} y = if c then scale(a) else scale(a);"
               "z, ss..(2) = with t = a unroll..(2) { u = scale(t); yield u, u; };"
               "v = with t = a do..(2) { u = if c then { o = scale(t); yield o; } else { o = scale(t); yield o; };"
               " yield u; };", operators=SCALE.replace("w: real[n]", "w: real[]"))  # fmt: skip
    names = {"y.then.w", "y.else.w", "z[0].u.w", "z[1].u.w", "v.u.then.o.w", "v.u.else.o.w"}
    found = set[str]()
    for condition in (True, False):
        found |= outcome_of(text, R([1.0, 2.0]), R(condition)).variables.keys()
    assert found == names


@pytest.mark.parametrize("at_once", [True, False])
def test_a_list_names_the_iterations_of_an_unrolled_loop(at_once: bool) -> None:
    first = "a = x;" if at_once else "p = positive(x); a = p;"
    text = net("x: real[n];", "y: real[~|n]; z: real[~|n];",
               f"{first} [y, z] = for i : [0, 1] unroll scale(a);",
               operators=SCALE.replace("w: real[n]", "w: real[]"))  # fmt: skip
    outcome = outcome_of(text, R([1.0, 2.0]))
    assert outcome.variables.keys() == {"y.w", "z.w"}
    assert outcome.outputs["y"].tolist() != outcome.outputs["z"].tolist()
