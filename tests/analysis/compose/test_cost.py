"""Counting the multiply-adds of a graph takes time in proportion to its text (2.12)."""

from __future__ import annotations

from snd_analysis.compose import multiply_adds
from support.analysis.composing import composed

MATMUL = """\
operator matmul {
    @input { a: real[m,k]; b: real[k,n]; }
    @output { c: real[m,n]; }
    @lower { c[i,j] += a[i,l] * b[l,j], i < m, j < n, l < k; }
}
"""


def test_what_many_operations_share_is_looked_at_once():
    chain = "".join(
        f"operator o{at} {{ @input {{ a: real[2,2]; }} @output {{ b: real[2,2]; }} "
        f"@compose {{ t = o{at - 1}(a); b = o{at - 1}(t); }} }}\n"
        for at in range(1, 61)
    )
    first = "operator o0 { @input { a: real[2,2]; } @output { b: real[2,2]; } @compose { b = matmul(a, a); } }\n"
    graph = "graph net { @input { x: real[2,2]; } @output { y: real; } @compose { y = o60(x); } }"
    (operation,) = composed(MATMUL + first + chain + graph).graph.operations
    assert multiply_adds(operation).exact == 8 * 2**60
