"""Names by which variables and tensors are found (2.10, Labelling): each has its own, within control flow, too."""

from __future__ import annotations

from snd_analysis.model import tensors_of
from support.analysis.composing import flat
from support.facts import all_tensors

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
    assert [tensor.name for tensor in all_tensors(graph) if tensor.quantization] == [
        "y[0].u.then.w", "y[0].u.else.w", "y[1].u.then.w", "y[1].u.else.w",
    ]  # fmt: skip
