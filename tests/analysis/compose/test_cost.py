"""Multiply-adds of operations: of formulas, of what is composed of them, of branches and loops (2.10.1, 2.12)."""

from __future__ import annotations

import pytest

from snd_analysis.compose.cost import NOTHING, UNKNOWN, Cost, multiply_adds, total
from support.analysis.composing import composed

HEAD = """\
operator matmul {
    @input { a: real[m,k]; b: real[k,n]; }
    @output { c: real[m,n]; }
    @lower { c[i,j] += a[i,l] * b[l,j], i < m, j < n, l < k; }
}
operator negated { @input { a: real[s..]; } @output { b: real[s..]; } @lower { b[i..] = -a[i..], i < s; } }
operator provided { @input { a: real[s..]; } @output { b: real[s..]; } }
operator twice {
    @input { a: real[m,m]; }
    @output { b: real[m,m]; }
    @compose { t = matmul(a, a); b = matmul(t, a); }
}
"""
INPUTS = "x: real[4,4]; wide: real[s|5,4]; c: bool[]; k: int[]; xs: real[4,4]..(3);"


def _cost(statement: str, output: str = "y: real;") -> Cost:
    text = f"{HEAD}graph net {{ @input {{ {INPUTS} }} @output {{ {output} }} @compose {{ {statement} }} }}"
    composition = composed(text)
    assert not composition.failures
    assert composition.graph is not None
    return total(composition.graph.operations)


@pytest.mark.parametrize(
    ("statement", "cost"),
    [
        ("y = negated(x);", NOTHING),
        ("y = matmul(x, x);", Cost(64, 64)),
        ("y = matmul(wide, x);", Cost(0, 80)),
        ("y = twice(x);", Cost(128, 128)),
        ("y = provided(x);", UNKNOWN),
        ("t = matmul(x, x); y = provided(t);", Cost(64, None)),
        ("y = if c then matmul(x, x) else twice(x);", Cost(64, 128)),
        ("y = if c then matmul(x, x) else provided(x);", Cost(0, None)),
        ("y = if c then twice(x) else twice(x);", Cost(128, 128)),
        ("y = with a = x do..(5) twice(a);", Cost(640, 640)),
        ("y = with a = x do..(0) twice(a);", NOTHING),
        ("y = with a = x do..(k) negated(a);", NOTHING),
        ("y = with a = x do..(k) twice(a);", UNKNOWN),
        ("y = with a = x for e : xs do matmul(a, e);", Cost(192, 192)),
        ("y = with a = x for e : xs do..(k) matmul(a, e);", Cost(0, 192)),
        ("y = with a = x unroll..(3) twice(a);", Cost(384, 384)),
    ],
)
def test_costs(statement, cost):
    assert _cost(statement) == cost


def test_what_many_operations_share_is_looked_at_once():
    chain = "".join(
        f"operator o{at} {{ @input {{ a: real[2,2]; }} @output {{ b: real[2,2]; }} "
        f"@compose {{ t = o{at - 1}(a); b = o{at - 1}(t); }} }}\n"
        for at in range(1, 61)
    )
    first = "operator o0 { @input { a: real[2,2]; } @output { b: real[2,2]; } @compose { b = matmul(a, a); } }\n"
    graph = "graph net { @input { x: real[2,2]; } @output { y: real; } @compose { y = o60(x); } }"
    (operation,) = composed(HEAD + first + chain + graph).graph.operations
    assert multiply_adds(operation).exact == 8 * 2**60
