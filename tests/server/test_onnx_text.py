"""The statements that nodes of ONNX become, as a person would write them."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from textwrap import dedent
from typing import Any

import numpy as np
import pytest

from support.sampling import sample

onnx = pytest.importorskip("onnx")
pytest.importorskip("onnxruntime")

Run = Callable[..., Any]

# The graph, and its expected @compose.
TEXTS = {
    "dimensions that are added one after the other": (
        """main (float[N] x) => (float[1, N, 1] y)
        <int64[1] first = {0}, int64[1] last = {2}>
        { a = Unsqueeze(x, first)  y = Unsqueeze(a, last) }""",
        "y = layout.unsqueeze{axes=[0, 2]}(x);",
    ),
    "what is undone at once": (
        """main (float[N, 4] x) => (float[N, 4] y)
        <int64[1] axis = {1}, int64[3] s = {0, 2, 2}, int64[2] t = {-1, 4}>
        { a = Unsqueeze(x, axis)  b = Squeeze(a, axis)  c = Reshape(b, s)  d = Reshape(c, t)  y = Relu(d) }""",
        "y = nn.relu(x);",
    ),
    "an extent of -1 that is as it was": (
        """main (float[N, M, 4] x) => (float[N, M, 4] y)
        <int64[1] zero = {0}, int64[1] one = {1}, int64[1] minus = {-1}, int64[1] two = {2}>
        {
            s = Shape(x)  m = Gather<axis = 0>(s, one)  c = Gather<axis = 0>(s, two)
            t = Concat<axis = 0>(minus, m, c)
            a = Reshape(x, t)
            y = Relu(a)
        }""",
        "y = nn.relu(x);",
    ),
    "neutral numbers": (
        """main (float[N] x, bool[N] b) => (float[N] y, bool[N] z)
        <float one = {1.0}, bool yes = {1}, bool no = {0}>
        { p = Mul(x, one)  q = Div(p, one)  y = Relu(q)  u = And(yes, b)  v = Or(u, no)  z = Not(v) }""",
        "y = nn.relu(x); z = math.not(b);",
    ),
    "a number that is no neutral one for its place": (
        """main (float[N] x, float[1] w) => (float[N] y, float[N] z)
        <float one = {1.0}, float[2, 1] wide = {1.0, 1.0}>
        { y = Div(one, x)  z = Mul(x, w) }""",
        "y = math.div(1.0, x); z = math.mul(x, w);",
    ),
    "what is computed twice": (
        """main (float[N] x) => (float[N] y)
        { a = Exp(x)  b = Exp(x)  y = Add(a, b) }""",
        "a = math.exp(x); y = math.add(a, a);",
    ),
    "opposites, and casts of casts": (
        """main (int64[N] x, int64[N] z) => (float[N] y)
        { a = Equal(x, z)  b = Not(a)  c = Cast<to = 7>(b)  y = Cast<to = 1>(c) }""",
        "b = math.ne(x, z); y = layout.cast<real>(b);",
    ),
    "equal elements": (
        """main (float[N, 4] x) => (float[N] y)
        <int64[1] four = {4}, int64[1] zero = {0}, int64[1] one = {1}, int64[1] two = {2}, int64[2] perm = {1, 0}>
        {
            s = Shape(x)  n = Gather<axis = 0>(s, zero)  t = Concat<axis = 0>(n, four)
            zeros = ConstantOfShape(t)
            a = Slice(zeros, one, two, one)  b = Squeeze(a, one)
            c = ReduceSum<keepdims = 0>(x, one)
            y = Add(b, c)
        }""",
        "b = layout.uniform{shape=[n]}(0.0); c = math.sum_reduce{axes=[1], squeeze=true}(x); y = math.add(b, c);",
    ),
    "matrices that are transposed in a batch": (
        """main (float[N, 2, M, 4] x) => (float[N, 2, 4, M] y)
        <int64[1] minus = {-1}, int64[1] zero = {0}, int64[1] two = {2}, int64[1] four = {4}>
        {
            s = Shape(x)  n = Gather<axis = 0>(s, zero)  m = Gather<axis = 0>(s, two)
            joined = Concat<axis = 0>(minus, m, four)  parted = Concat<axis = 0>(n, two, four, m)
            a = Reshape(x, joined)  b = Transpose<perm = [0, 2, 1]>(a)  y = Reshape(b, parted)
        }""",
        "y = layout.transpose{perm=[0, 1, 3, 2]}(x);",
    ),
    "a product of joined rows": (
        """main (float[N, M, 4] x) => (float[N, M, 2] y)
        <int64[2] joined = {-1, 4}, int64[1] zero = {0}, int64[1] one = {1}, int64[1] two = {2}, float[4, 2] w>
        {
            s = Shape(x)  n = Gather<axis = 0>(s, zero)  m = Gather<axis = 0>(s, one)
            parted = Concat<axis = 0>(n, m, two)
            a = Reshape(x, joined)  b = MatMul(a, w)  y = Reshape(b, parted)
        }""",
        "y = linalg.matmul(x, w);",
    ),
    "silu": (
        """main (float[N] x) => (float[N] y)
        { a = Sigmoid(x)  y = Mul(a, x) }""",
        "y = nn.silu(x);",
    ),
    "gelu": (
        """main (float[N] x) => (float[N] y)
        <float root = {1.4142135}, float one = {1.0}, float half = {0.5}>
        { a = Div(x, root)  b = Erf(a)  c = Add(b, one)  d = Mul(x, c)  y = Mul(d, half) }""",
        "y = nn.gelu(x);",
    ),
    "gelu by tanh": (
        """main (float[N] x) => (float[N] y)
        <float k = {0.044715}, float root = {0.7978846}, float one = {1.0}, float half = {0.5}, float three = {3.0}>
        {
            h = Mul(half, x)  p = Pow(x, three)  q = Mul(p, k)  r = Add(x, q)  s = Mul(r, root)
            t = Tanh(s)  u = Add(one, t)  y = Mul(h, u)
        }""",
        "y = nn.gelu{approximate='TANH'}(x);",
    ),
    "what is nearly gelu": (
        """main (float[N] x) => (float[N] y)
        <float root = {1.41}, float one = {1.0}, float half = {0.5}>
        { a = Div(x, root)  b = Erf(a)  c = Add(b, one)  d = Mul(x, c)  y = Mul(d, half) }""",
        "a = math.div(x, 1.41); b = nn.erf(a); c = math.add(b, 1.0); d = math.mul(x, c); y = math.mul(d, 0.5);",
    ),
    "normalization by the root of the mean square": (
        """main (float[N, 4] x) => (float[N, 4] y)
        <float two = {2.0}, int64[1] last = {-1}, float epsilon = {0.001}, float one = {1.0}, float[4] w>
        {
            a = Pow(x, two)  b = ReduceMean(a, last)  c = Add(b, epsilon)  d = Sqrt(c)
            e = Div(one, d)  f = Mul(x, e)  y = Mul(w, f)
        }""",
        "y = onnx.rms_norm{epsilon=0.001}(x, w);",
    ),
    "normalization of a layer before version 17": (
        """main (float[N, 4] x) => (float[N, 4] y)
        <float two = {2.0}, int64[1] last = {-1}, float epsilon = {0.001}, float[4] w, float[4] v>
        {
            m = ReduceMean(x, last)  d = Sub(x, m)  a = Pow(d, two)  b = ReduceMean(a, last)  c = Add(b, epsilon)
            e = Sqrt(c)  f = Div(d, e)  g = Mul(f, w)  y = Add(g, v)
        }""",
        "y = onnx.layer_norm{epsilon=0.001}(x, w, v);",
    ),
    "normalization along another dimension": (
        """main (float[4, 4] x) => (float[4, 4] y)
        <float two = {2.0}, int64[1] first = {0}, float epsilon = {0.001}, float[4] w>
        {
            a = Pow(x, two)  b = ReduceMean(a, first)  c = Add(b, epsilon)  d = Sqrt(c)
            f = Div(x, d)  y = Mul(w, f)
        }""",
        "a = math.sqr(x); b = math.mean_reduce{axes=[0]}(a); c = math.add(b, 0.001); d = math.sqrt(c); "
        "f = math.div(x, d); y = math.mul(w, f);",
    ),
    "indices that are counted": (
        """main (int64[N] ids) => (float[N, 4] y)
        <int64 zero = {0}, int64 one = {1}, int64[1] minus = {-1}, float[9, 4] places, float[9, 4] words>
        {
            s = Shape(ids)  n = Squeeze(s)  r = Range(zero, n, one)
            a = Gather<axis = 0>(places, r)  b = Gather<axis = 0>(words, ids)  y = Add(a, b)
        }""",
        "r = layout.range{first=0, last=n}(); a = layout.gather{axis=0}(places, r); b_mod = math.mod(ids, 9); "
        "b = layout.gather{axis=0}(words, b_mod); y = math.add(a, b);",
    ),
    "numbers to choose from": (
        """main (bool[N, 4] x) => (float[N, 4] y)
        <float[1] zero = {0.0}, float[1] low = {-100.0}>
        { y = Where(x, zero, low) }""",
        "y = math.select(x, 0.0, -100.0);",
    ),
    "an extent as a number": (
        """main (int64[N] x) => (int64[N] y)
        { s = Shape(x)  y = Mul(x, s) }""",
        "y = math.mul(x, n);",
    ),
    "states that are 0": (
        """main (float[T, N, 3] x) => (float[t, 1, n, 2] y)
        <float[1, 8, 3] W, float[1, 8, 2] R, int64[1] one = {1}, int64[1] two = {2}>
        {
            s = Shape(x)  n = Gather<axis = 0>(s, one)  t = Concat<axis = 0>(one, n, two)
            z = ConstantOfShape(t)
            y, h, c = LSTM<hidden_size = 2>(x, W, R, , , z, z)
        }""",
        "y_lstm, ~, ~ = nn.lstm(x, w, r, bias); y_reshape = layout.reshape{shape=[t, n, 2]}(y_lstm); "
        "y = layout.unsqueeze{axes=[1]}(y_reshape);",
    ),
    "names in a loop": (
        """main (float[4] x, int64 n) => (float[4] y)
        <bool yes = {1}>
        {
            y = Loop(n, yes, x) <body = while_loop_body_graph_0 (
                int64 i, bool c, float[4] x_while_loop_body_graph_0__subgraph_in
            ) => (bool c, float[4] mul_while_loop_body_graph_0)
            { mul_while_loop_body_graph_0 = Exp(x_while_loop_body_graph_0__subgraph_in) }>
        }""",
        "y = with x_2 = x do..(n) { mul = math.exp(x_2); yield mul; };",
    ),
}


@pytest.mark.parametrize("name", sample(TEXTS, 11))
def test_statements_are_those_of_a_person(name: str, project: Path, real: Run):
    graph, expected = TEXTS[name]
    _save(graph, Path("model.onnx"))
    outcome = real("convert", "model.onnx", "-o", "new", "--verify")
    assert outcome.status == 0, outcome.stderr
    assert real("check", "new").stdout.strip() == "1 file is clean"  # without hints
    assert _composed(Path("new/main.sknd").read_text()) == expected
    outcome = real("export", "new", "-o", "back.onnx", "--verify")
    assert outcome.status == 0, outcome.stderr


def _save(graph: str, path: Path) -> None:
    """Save a model; weights without elements, ``float[4, 4] w``, are random."""
    model = onnx.parser.parse_model(f'<ir_version: 9, opset_import: ["" : 18]> {dedent(graph)}')
    chance = np.random.default_rng(7)
    for declared in model.graph.value_info:
        array = chance.standard_normal([each.dim_value for each in declared.type.tensor_type.shape.dim])
        model.graph.initializer.append(onnx.numpy_helper.from_array(array.astype(np.float32), declared.name))
    del model.graph.value_info[:]
    onnx.save(model, path)


def _composed(text: str) -> str:
    found = re.search(r"@compose \{(.*)\}\s*\}\s*$", text, re.DOTALL)
    assert found is not None
    return " ".join(found[1].split())
