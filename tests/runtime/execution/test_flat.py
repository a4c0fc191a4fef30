"""Repeated runs have fewer and longer steps, and give the same values, bit by bit."""

from __future__ import annotations

import numpy as np
import pytest

from snd_runtime.errors import EvaluationFailed
from snd_runtime.execution import Execution, StatefulGraph, execute
from snd_runtime.execution.flat import repeated_program
from snd_runtime.execution.flat.entry import Entry
from snd_runtime.execution.flat.fused import FusedFormulas
from snd_runtime.execution.prepared import prepared
from snd_runtime.execution.program import Repetition
from snd_runtime.limits import Limits
from support.runtime.executing import FLOAT64, instance_of, net, run

BLOCK = """
operator block { @input { x: real[b, c, h]; } @variable { w: real[c]; } @output { y: real[b, c, h]; }
    @compose { s = math.mul{rhs_align=1}(x, w); y = nn.relu(s); } }
operator twice { @input { x: real[b, c, h]; } @output { y: real[b, c, h]; }
    @compose { a = block(x); y = other: block(a); } }
"""
NET = net("x: real[b, c, h];", "y: real[b, c, h];", "t = twice(x); u = nn.sigmoid(t); y = math.add(u, x);",
          operators=BLOCK)  # fmt: skip


@pytest.mark.parametrize("shape", [(2, 3, 4), (3, 7, 9001), (1, 1, 40_000), (40_000, 2, 1)])
@pytest.mark.parametrize("real", [np.float32, np.float64])
def test_element_wise_operators_are_one_step(shape: tuple[int, ...], real: type):
    x = np.random.default_rng(1).standard_normal(shape).astype(real)
    session, specialization = instance_of(NET, [x])
    request = Execution(real=np.dtype(real))
    first, again = (execute(session, specialization, [x], request) for _ in range(2))
    program = repeated_program(prepared(specialization), is_root=True, compiles=False)
    assert program is not None
    fused = [step for step in program.steps if isinstance(step.action, FusedFormulas)]
    assert len(fused) == 1
    assert sum(step.weight for step in program.steps) == 6
    assert np.array_equal(first.outputs["y"], again.outputs["y"])  # type: ignore[arg-type]
    assert first.drawn == again.drawn == ("t.a.w", "t.other.w")
    watched: list[str] = []
    execute(session, specialization, [x], Execution(real=FLOAT64, watch=lambda each: watched.append(each.name)))
    assert "t.other.s" in watched


def test_what_stands_between_comes_first_unless_it_reads_them():
    text = net(
        "x: real[n]; z: real[m];", "y: real[n]; s: real[1]; r: real[n];",
        "a = math.exp(x); b = nn.softmax{axes=[0]}(z); y = math.neg(a); s = math.sum_reduce{axes=[0]}(y);"
        "t = math.add(y, s); r = math.sub(t, x);",
    )  # fmt: skip
    x, z = np.arange(5.0), np.arange(3.0)
    y, s, r = run(text, x, z)
    assert np.allclose(y, -np.exp(x))
    assert np.allclose(r, y + s - x)


def test_copies_and_both_results_of_a_group():
    text = net(
        "x: real[n, n];", "y: real[n, n]; z: real[n, n]; t: real[n, n]; k: real[n, n];",
        "y = math.abs(x); z = math.sqrt(y); t = layout.transpose{perm=[1, 0]}(z); k = math.mul(t, z);",
    )  # fmt: skip
    x = np.arange(-8.0, 8.0).reshape(4, 4)
    y, z, t, k = run(text, x)
    assert (t == np.sqrt(np.abs(x)).T).all()
    assert (k == t * z).all()
    assert (y == np.abs(x)).all()


def test_limits_hold_for_what_is_never_there_as_a_whole():
    x = np.ones((1, 2, 4))
    session, specialization = instance_of(NET, [x])
    seen = []
    for _ in range(2):
        with pytest.raises(EvaluationFailed) as caught:
            execute(session, specialization, [x], Execution(real=FLOAT64, limits=Limits(elements=5)))
        seen.append((caught.value.rule, caught.value.message, caught.value.chain))
    assert seen[0] == seen[1]


def test_bodies_of_loops_are_flat_and_updates_are_kept():
    operators = """
operator step { @input { x: real[n]; d: real[n]; } @variable { w: real[n]; } @output { y: real[n]; }
    @compose { a = math.mul(x, w); b = math.add(a, d); y = math.tanh(b); } }
operator count { @input { x: real[n]; } @variable { total: real[n]; } @output { y: real[n]; }
    @compose { y = math.add(x, total); } @update { total = y; } }
"""
    text = net(
        "x: real[n]; ds: real[n]..(3);", "y: real[n]; c: real[n];",
        "y = with h = x for d : ds do step(h, d); c = count(y);", operators=operators,
    )  # fmt: skip
    x, ds = np.arange(4.0), [np.full(4, d) for d in (0.1, -0.2, 0.3)]
    session, specialization = instance_of(text, [x, ds])
    graph = StatefulGraph(session, specialization, Execution(real=FLOAT64))
    first = graph.run([x, ds])
    w, total = graph.variables["y.w"], graph.variables["c.total"]
    h = x
    for d in ds:
        h = np.tanh(h * np.asarray(w) + d)
    assert np.array_equal(first["y"], h)  # type: ignore[arg-type]
    assert np.array_equal(first["c"], total)  # type: ignore[arg-type]
    again = graph.run([x, ds])
    program = repeated_program(prepared(specialization), is_root=True, compiles=False)
    assert program is not None
    (body,) = [step.action.body for step in program.steps if isinstance(step.action, Repetition)]
    assert [type(step.action) for step in body.steps] == [Entry, FusedFormulas]
    assert np.array_equal(again["y"], h)  # type: ignore[arg-type]
    assert np.array_equal(again["c"], h + np.asarray(total))  # type: ignore[arg-type]
