"""Later uses of a result with a declared shape see the tensor with that shape (2.6.1)."""

from __future__ import annotations

from support.analysis.composing import composed, shape

TEXT = """\
operator pos {
    @input { x: real[n]; }
    @output { y: real[k|n]; at: int[k|n]; }
    @lower { y[k,] = x[i,], i < n | x[i,] > 0.0; at[k,] = i, i < n | x[i,] > 0.0; }
}
operator neg {
    @input { x: real[s..(d)]; }
    @output { y: real[s..]; }
    @lower { y[i..] = -x[i..], i < s; }
}
graph net {
    @input { a: real[4]; }
    @output { y: real[4]; z: real[~|4]; }
    @compose { r: real[4], ~ = pos(a); z = neg(r); y = r; }
}
"""


def test_what_follows_a_declared_extent_has_it():
    graph = composed(TEXT).graph
    assert [shape(graph.tensors[name]) for name in ("r", "z", "y")] == [[4]] * 3
    produced = {id(output) for operation in graph.operations for output in operation.outputs}
    assert all(id(tensor) in produced for name, tensor in graph.tensors.items() if name in ("r", "z", "y"))
