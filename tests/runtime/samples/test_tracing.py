"""Trace of the tensors of a graph: every name has a value, however the graph is run."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from snd_analysis.ide.evaluation import TensorName, graph_tensors
from snd_analysis.skriptnd.names import OperatorName
from snd_runtime.evaluation.binding import FoundShapes
from snd_runtime.samples import GraphTrace, SampleRequest, TracedTensor, TraceRequest
from snd_runtime.samples.tracing import trace_graph
from support.memory import snapshot_of

FLOW = """import math;

# >>> net([1.0, 2.0], [[1.0], [2.0], [3.0]], true)
graph net {
    @input { x: real[2]; xs: real[1]..(m|4); c: bool[]; }
    @output { y: real[2]; }
    @constant { k: real[2] = 3.0; }
    @variable { v: real[2]; w: real[2]; }
    @compose {
        a = if c then {
            s = math.add(x, 1.0);
            yield s;
        } else {
            t = math.add(x, 2.0);
            yield t;
        };
        b = math.mul(a, k);
        e = with u = b do..(i -> 3) {
            g = math.mul(u, 2.0);
            yield g;
        };
        z = for q : xs do math.mul(q, 2.0);
        h = with r = x for p : xs unroll..(j -> m) {
            l = math.add(r, p);
            yield l;
        };
        f, ~ = with o = x, n = 0.0 while math.lt(n, 2.0) do {
            o1 = math.mul(o, 3.0);
            n1 = math.add(n, 1.0);
            yield o1, n1;
        };
        again = f;
        block = {
            within = math.neg(h);
            yield within;
        };
        d = math.add(e, again);
        y = math.add(d, block);
    }
    @update {
        v = a;
        w = math.add(w, v);
    }
}
"""
# Only the run tells how many elements of a tensor are not zero: such a body is run statement by statement.
STEPWISE = FLOW.replace("import math;", "import math;\nimport layout;").replace(
    "@compose {", "@compose {\n        nz = layout.nonzero(x);"
)
EXPECTED = {
    "x": [1, 2], "c": True, "k": [3, 3], "s": [2, 3], "a": [2, 3], "b": [6, 9], "e": [48, 72], "h": [7, 8],
    "l": [7, 8], "r": [4, 5], "p": [3], "j": 2, "f": [9, 18], "again": [9, 18], "within": [-7, -8], "block": [-7, -8],
    "d": [57, 90], "y": [50, 82],
}  # fmt: skip
LAST = {"u": (2, [24, 36]), "i": (2, 2), "g": (2, [48, 72]), "q": (2, [3]), "o": (1, [3, 6]), "n": (1, 1),
        "o1": (1, [9, 18]), "n1": (1, 2)}  # fmt: skip


def traced(text: str) -> GraphTrace:
    """Return the trace of a graph by its sample."""
    files = {"main.sknd": text}
    snapshot = snapshot_of(files)
    request = TraceRequest(SampleRequest("main.sknd", files), OperatorName("main.sknd", "net"), 0)
    return trace_graph(snapshot, request, FoundShapes())


def elements(tensor: TracedTensor) -> Any:
    """The elements of a tensor; of a pack a list of those of its tensors."""
    found = [None if each.values is None else each.values.tolist() for each in tensor.shown]
    return found[0] if tensor.shown[0].item is None else found


@pytest.mark.parametrize("text", [FLOW, STEPWISE], ids=["at once", "statement by statement"])
def test_every_name_of_a_graph_has_a_value(text: str):
    trace = traced(text)
    assert trace.message is None
    assert {name: elements(trace.values[TensorName(name)]) for name in EXPECTED} == EXPECTED
    assert {
        name: (trace.values[TensorName(name)].iterations[0], elements(trace.values[TensorName(name)])) for name in LAST
    } == LAST
    assert elements(trace.values[TensorName("xs")]) == [[1], [2], [3]]
    assert elements(trace.values[TensorName("z")]) == [[2], [4], [6]]
    snapshot = snapshot_of({"main.sknd": text})
    ((_, definition),) = snapshot.tree("main.sknd").definitions
    names = {name for _, name in graph_tensors(snapshot.resolution("main.sknd", definition)).of_symbols}
    assert names - trace.values.keys() == {TensorName("t")}, "of the branch that was not taken nothing is known"


@pytest.mark.parametrize("text", [FLOW, STEPWISE], ids=["at once", "statement by statement"])
def test_a_variable_is_what_the_statements_see_and_its_update_what_the_next_run_will(text: str):
    values = traced(text).values
    before, after = values[TensorName("v")], values[TensorName("v", updated=True)]
    assert elements(after) == [2, 3]
    assert elements(before) != elements(after)
    sums = np.array(elements(before)) + np.array(elements(values[TensorName("w")]))
    assert np.allclose(elements(values[TensorName("w", updated=True)]), sums)


def test_loops_without_iterations_and_failures_leave_names_without_values():
    text = FLOW.replace("[[1.0], [2.0], [3.0]]", "[]")
    values = traced(text).values
    assert not {"q", "r", "p", "j", "l"} & {name.name for name in values}
    assert elements(values[TensorName("h")]) == [1, 2]
    text = FLOW.replace("b = math.mul(a, k)", "b = pick(a, at)").replace(
        "@constant {", "@constant { at: int[2] = 7;"
    ) + (
        "operator pick { @input { x: real[n]; at: int[m]; } @output { y: real[m]; }"
        " @lower { y[i,] = x[at[i,],], i < m; } }"
    )
    trace = traced(text)
    assert trace.message is not None
    known = {name.name for name in trace.values}
    assert {"x", "at", "v", "s", "a"} <= known
    assert not {"u", "i", "e", "y"} & known
