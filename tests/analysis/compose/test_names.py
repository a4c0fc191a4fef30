"""Names by which variables and tensors are found (2.10, Labelling): each has its own, within control flow, too."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import pytest

from snd_analysis.model import Graph, Tensor, TensorKind, tensors_of
from support.analysis.composing import composed, flat

HEAD = """
import math;
operator lin { @input { x: real[n]; } @output { y: real[n]; } @variable { w: real[n]; }
    @compose { y = math.mul(x, w); } }
operator two { @input { x: real[n]; } @output { y: real[n]; z: real[n]; } @variable { w: real[n]; }
    @compose { y = math.mul(x, w); z = math.add(x, y); } }
operator test { @input { x: real[n]; } @output { y: bool[]; } @lower { y[] |= x[i,] > 0.0, i < n; } }
operator positive { @input { x: real[n]; } @output { y: bool[]; } @variable { w: real[n]; }
    @compose { z = math.mul(x, w); y = test(z); } }
operator halve { @input { x: real[n]; } @output { y: real[n]; } @lower { y[i,] = x[i,] / 2.0, i < n; } }
"""
GRAPH = """graph net {{
    @input {{ x: real[4]; c: bool[]; xs: real[4]..(2); n: int[]; }}
    @output {{ y: real[4]; }}
    @compose {{ {0} }}
}}
"""

VARIABLES = {
    "y = if c then lin(x) else lin(x);": ["y.then.w", "y.else.w"],
    "y = if c then lin(x) elif test(x) then lin(x) else x;": ["y.then.w", "y.then[1].w"],
    "y = if positive(x) then lin(x) else x;": ["y.if.w", "y.then.w"],
    "y = if positive(x) then x else x;": ["y.w"],
    "y = if c then lin(x) else x;": ["y.w"],
    "y = if c then lin(x) else math.neg(x);": ["y.w"],
    "y = if 1 > 2 then lin(x) else lin(x);": ["y.w"],
    "y = if c then a: lin(x) else b: lin(x);": ["a.w", "b.w"],
    "y = if c then { t = lin(x); yield t; } else { t = lin(x); yield t; };": ["y.then.t.w", "y.else.t.w"],
    "y = if c then { t = lin(x); yield t; } else x;": ["y.t.w"],
    "y, z = if c then two(x) else two(x);": ["y.then.w", "y.else.w"],
    "y, z = two(x);": ["w"],
    "y, z = two(x); a, b = two(y);": ["w", "a.w"],
    "y, z = two(x); ~, b = two(y); ~, ~ = two(x);": ["w", "b.w", "~[0].w"],
    "y = lin(x); z = if c then { y = lin(x); yield y; } else x;": ["y.w", "z.y.w"],
    "y = with t = x while positive(t) do lin(t);": ["y.while.w", "y.do.w"],
    "y = with t = x while test(t) do lin(t);": ["y.w"],
    "y = with t = x unroll..(2) { a, b = two(t); yield a; };": ["y[0].w", "y[1].w"],
    "y = with t = x unroll..(2) { u = with v = t do..(n) lin(v); yield u; };": ["y[0].u.w", "y[1].u.w"],
    "y, ss..(2) = with t = x unroll..(2) { a, b..(2) = with v = t do..(2) two(v); yield a, b[1]; };": [
        "y[0].w", "y[1].w",
    ],
    "y, ss..(2) = with t = x unroll..(2) two(t);": ["y[0].w", "y[1].w"],
    "y, ss..(2) = with t = x unroll..(2) l: two(t);": ["l[0].w", "l[1].w"],
}  # fmt: skip


@pytest.mark.parametrize("statements", VARIABLES)
def test_variables(statements: str) -> None:
    composition = composed(HEAD + GRAPH.format(statements))
    assert not composition.failures
    graph = flat(HEAD + GRAPH.format(statements))
    assert list(graph.variables) == VARIABLES[statements]
    held = Counter(tensor.name for tensor in _tensors(graph) if tensor.kind is TensorKind.VARIABLE)
    assert sorted(held) == sorted(VARIABLES[statements])
    assert set(held.values()) == {1}


def test_a_second_scope_does_not_depend_on_what_follows() -> None:
    statements = "y, z = two(x); a, b = two(y);"
    longer = flat(HEAD + GRAPH.format(f"{statements} d, e = two(a);"))
    assert list(longer.variables)[:2] == list(flat(HEAD + GRAPH.format(statements)).variables)


def test_collected_tensors_of_a_loop_inside_of_an_unrolled_one() -> None:
    body = "{ a, bs..(2) = with v = t for s : xs do two(v); yield a, bs[1]; }"
    graph = flat(HEAD + GRAPH.format(f"y, ss..(2) = with t = x unroll..(2) {body};"))
    names = {tensor.name for operation in graph.operations for each in operation.outputs for tensor in tensors_of(each)}
    assert names == {"y[0].a", "y[0].bs[0]", "y[0].bs[1]", "y[1].a", "y[1].bs[0]", "y[1].bs[1]"}


def test_one_name_quantizes_a_tensor_in_all_branches_and_iterations() -> None:
    statements = "y = with t = x unroll..(2) { u = if c then lin(t) else lin(t); yield u; };"
    quantized = GRAPH.format(statements).rstrip().removesuffix("}") + "@quantize { y.u.w: halve; } }"
    graph = flat(HEAD + quantized)
    assert [tensor.name for tensor in _tensors(graph) if tensor.quantization] == [
        "y[0].u.then.w", "y[0].u.else.w", "y[1].u.then.w", "y[1].u.else.w",
    ]  # fmt: skip


def _tensors(graph: Graph) -> Iterator[Tensor]:
    """Every tensor of a graph and its parts, once."""
    seen: dict[Tensor, None] = {}
    pending = [graph]
    while pending:
        part = pending.pop(0)
        values = [*part.inputs.values(), *part.variables.values()]
        for operation in part.operations:
            values += [*operation.inputs, *operation.outputs]
            pending += operation.subgraphs.values()
        seen.update((tensor, None) for value in values for tensor in tensors_of(value))
    yield from seen
