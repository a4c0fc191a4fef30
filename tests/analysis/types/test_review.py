"""What a review of the rules of an operator found: programs with everything that is wrong with them, and no more."""

from __future__ import annotations

import pytest

from snd_analysis.base.diagnostics import Severity
from support.memory import check


def lower(
    *formulas: str, inputs: str = "x: real[n];", outputs: str = "y: real[n];", attributes: str = "", head: str = ""
) -> str:
    """An operator with formulas, the first of which stands in line 5."""
    body = "\n".join(formulas)
    return (
        f"operator op {head} {{\n    @attrib {{ {attributes} }}\n    @input {{ {inputs} }} @output {{ {outputs} }}\n"
        f"    @lower {{\n{body}\n    }}\n}}\n"
    )


def compose(
    *statements: str, inputs: str = "x: real[n];", outputs: str = "y: real[n];", attributes: str = "", blocks: str = ""
) -> str:
    """An operator that is composed by statements, the first of which stands in line 19."""
    body = "\n".join(statements)
    return (
        "operator id {\n    @input { x: real[s..(d)]; }\n    @output { y: real[s..]; }\n"
        "    @lower { y[i..] = x[i..], i < s; }\n}\n"
        "operator add {\n    @input { x: real[s..(d)]; z: real[s..(d)]; }\n    @output { y: real[s..]; }\n"
        "    @lower { y[i..] = x[i..] + z[i..], i < s; }\n}\n"
        "operator sp {\n    @attrib { k: int; }\n    @input { x: real[n]; } @output { ys: real[n]..(k); }\n"
        "    @lower { ys[j][i,] = x[i,], i < n, j < k; }\n}\n"
        f"operator op {{ @attrib {{ {attributes} }}\n    @input {{ {inputs} }} @output {{ {outputs} }}{blocks}\n"
        f"    @compose {{\n{body}\n    }}\n}}\n"
    )


def using(*entries: str, attributes: str = "a: int..(k); b: int..(k);") -> str:
    """An operator with helper symbols, the first of which stands in line 4, and none of which is used."""
    body = "\n".join(entries)
    return (
        f"operator op {{\n    @attrib {{ {attributes} }} @input {{ x: real[n]; }} @output {{ y: real[n]; }}\n"
        f"    @using {{\n{body}\n    }}\n}}\n"
    )


def found(text: str) -> list[tuple[str, int]]:
    """The rules that a module breaks, with the lines where it does; hints don't count."""
    lines = [
        (item.rule, text.count("\n", 0, item.location.span.start) + 1)
        for item in check({"operators.sknd": text})["operators.sknd"]
        if item.severity is not Severity.HINT
    ]
    return sorted(lines, key=lambda each: (each[1], each[0]))


FOLDS = {
    "index": (
        lower(
            "y[i,] = x[(idx[i,:] * strides) + ..,], i < m;",
            inputs="x: real[n]; idx: int[m,d];",
            outputs="y: real[m];",
            attributes="strides: int..(d);",
        ),
        [],
    ),
    "guard": (
        lower("y[i,] = x[i,], i < n | (idx[i,:] < n) && ..;", inputs="x: real[n]; idx: int[n,d];"),
        [],
    ),
    "local": (
        lower("with s = idx[i,:] + ..: y[i,] = x[s,], i < n;", inputs="x: real[n]; idx: int[n,d];"),
        [],
    ),
    "last iteration": (lower("y[i,] = x[i,j], i < n, j < m;", inputs="x: real[n,m];"), []),
    "formula": (lower("y[i,] = xs[i,] + .., i < n;", inputs="xs: real[n]..(k);"), [("fold-of-access", 5)]),
}

UNIFORM = {
    "assigned": (compose("c: real[n] = 1.0;", "y = c;"), []),
    "argument": (compose("c: real[n] = 1.0;", "y = add(x, c);"), []),
    "other rank": (compose("c: real[n,n] = 1.0;", "y = add(x, c);"), [("argument-rank", 20)]),
}

RESULTS = {
    "no length": (compose("q.. = sp{k=2}(x);", "y = q[0];"), [("packed-result-without-length", 19)]),
    "list": (compose("[a, b..] = sp{k=3}(x);", "y = add(a, b[0]);"), []),
}

OUTPUTS = {
    "undetermined": (compose("y..(2) = sp{k=2}(x);", outputs="y: real[n]..;"), [("missing-length", 17)]),
}
CASCADES = {
    "tensors computed with": (compose("y = x + x;"), [("tensor-in-expression", 19)]),
    "variable assigned, and updated": (
        compose("y = id(x);", "w = id(x);", blocks=" @variable { w: real[n]; } @update { w = id(y); }"),
        [("illegal-assignment", 20)],
    ),
    "real extent": (
        lower("y[i,] = x[i,], i < n;", attributes="n: real;", inputs="x: real[n]; z: real[n];"),
        [("type-mismatch", 3)],
    ),
    "too many iterations": (
        compose("q..(k) = for a : xs do..(k + 1) { b = id(a); yield b; };", "y = q[0];", inputs="xs: real[n]..(k);"),
        [("scan-lengths", 19)],
    ),
    "output without a length": (
        compose("z = sp{k=2}(x);", "y = id(x);", outputs="y: real[n]; z: real[n]..(3);"),
        [("packed-result-without-length", 19)],
    ),
    "carried variable of another type": (
        compose("y = with a: str[n] = 0.0 do..(3) { b = id(a); yield b; };"),
        [("type-mismatch", 19)],
    ),
    "extent left out": (lower("y[] = 1.0;", inputs="x: real[~|3];", outputs="y: real[];"), [("omitted-extent", 3)]),
    "optional int": (
        lower("y[i,] = o, i < n;", attributes="o: optional int;"),
        [("null-not-allowed", 5)],
    ),
    "index named as the input": (lower("y[i,] = x[i,], x < n;"), [("undefined-name", 5)]),
    "null of another rank": (
        compose("y = add(x, o);", inputs="x: real[n]; o: optional real[n,n];"),
        [("null-not-allowed", 19)],
    ),
    "two inputs of one name": (
        compose("y = add(x, q);", inputs="x: real[n]; q: real[n,n]; q: real[n];"),
        [("duplicate-definition", 17)],
    ),
}

REACH = {
    "number": (lower("y[i,] = x[2,i], i < n;", inputs="x: real[2,n];"), [("access-out-of-range", 5)]),
    "negative": (lower("y[i,] = x[-1,i], i < n;", inputs="x: real[2,n];"), [("access-out-of-range", 5)]),
    "bound": (lower("y[i,] += x[j,i], i < n, j < 3;", inputs="x: real[2,n];"), [("access-out-of-range", 5)]),
    "both sides": (lower("y[i,] = x[i,], i < n + 1;"), [("access-out-of-range", 5)]),
    "extent": (lower("y[i,] = x[n,], i < n;"), [("access-out-of-range", 5)]),
    "next": (lower("y[i,] = x[i + 1,], i < n;"), [("access-out-of-range", 5)]),
    "previous": (lower("y[i,] = x[i - 1,], i < n;"), [("access-out-of-range", 5)]),
    "pack": (lower("y[i,] = xs[k][i,], i < n;", inputs="xs: real[n]..(k);"), [("index-out-of-range", 5)]),
    "unrolled": (
        lower("unroll..(j -> k + 1) y[i,] += xs[j][i,], i < n;", inputs="xs: real[n]..(k);"),
        [("index-out-of-range", 5)],
    ),
    "last of a pack": (lower("y[i,] = xs[-1][i,], i < n;", inputs="xs: real[n]..(k);"), []),
    "reversed": (lower("y[i,] = x[n - 1 - i,], i < n;"), []),
    "condition": (lower("y[i,] = x[i + 1,], i < n | i + 1 < n;"), []),
    "branch": (lower("y[i,] = i + 1 < n ? x[i + 1,] : 0.0, i < n;"), []),
    "guard": (lower("y[i,] += x[|i + 1|,], i < n;"), []),
    "read index": (lower("y[i,] = x[idx[i,] + n,], i < n;", inputs="x: real[n]; idx: int[n];"), []),
    "triangle": (lower("y[i,] += x[i + j,], i < n, j < n - i;"), []),
    "unknown": (lower("y[i,] = x[i + by,], i < n;", attributes="by: int;"), []),
}

SLICES = {
    "without the first": (using("t = a[1:] + a;"), [("length-mismatch", 4)]),
    "without the last": (using("t = a + a[:-1];"), [("length-mismatch", 4)]),
    "two beginnings": (using("t = b[1:] - b[2:];"), [("length-mismatch", 4)]),
    "backwards": (using("t = a[-1:0:-1] + a;"), [("length-mismatch", 4)]),
    "length of a sum": (
        using("t = a + b + e;", "u = t + f;", attributes="a: int..; b: int..; e: int..(k); f: int..(k + 1);"),
        [("length-mismatch", 5)],
    ),
    "length of what may be null": (
        using(
            "t = (a ?? b) + e;", "u = t + f;", attributes="a: optional int..; b: int..; e: int..(k); f: int..(k + 1);"
        ),
        [("length-mismatch", 5)],
    ),
    "empty in the middle": (using("t = a[1:-1] + a[2:];", "u = a[2:1] + a;"), []),
    "backwards to the first": (using("t = a[:0:-1] + a;", "u = a[k:0:-1] + a;"), []),
    "lengths that may agree": (using("t = a[:2] + a[2:];", "u = a[::2] + a;", "v = b[1:] - b[:-1];"), []),
}

NULLS = {
    "loop count": (
        compose("y = with a = x do..(o) { b = id(a); yield b; };", attributes="o: optional int;"),
        [("null-not-allowed", 19)],
    ),
    "loop count with a value for null": (
        compose("y = with a = x do..(o ?? 1) { b = id(a); yield b; };", attributes="o: optional int;"),
        [],
    ),
    "unrolled loop": (
        compose("y = with a = x unroll..(j -> o) { b = id(a); yield b; };", attributes="o: optional int;"),
        [("null-not-allowed", 19)],
    ),
    "unrolled formula": (
        lower("unroll..(j -> o) y[i,] += x[i,], i < n;", attributes="o: optional int;"),
        [("null-not-allowed", 5)],
    ),
    "condition": (lower("y[i,] = x[i,], i < n | o > 1;", attributes="o: optional int;"), [("null-not-allowed", 5)]),
    "tested condition": (lower("y[i,] = x[i,], i < n | ?o && o > 1;", attributes="o: optional int;"), []),
}

DECLARATIONS = {
    "two ranks": (
        lower("y[i,] = x[i,], i < n;", inputs="x: real^(r)[n]; z: real^(r)[n,n];"),
        [("captured-ranks-differ", 3)],
    ),
    "a rank more": (
        lower("y[i,] = x[i,], i < n;", inputs="x: real[n]; z: real^(r)[n..(r+1)];"),
        [("captured-ranks-differ", 3)],
    ),
    "index twice": (
        lower("unroll..(j -> k) y[i,] += x[i,], i < n, j < k;", attributes="k: int;"),
        [("duplicate-definition", 5)],
    ),
    "negative length": (lower("y[i,] = x[i,], i < n;", attributes="a: int..(-1);"), [("negative-extent", 2)]),
    "negative number of extents": (
        lower("y[] = 1.0;", inputs="x: real[n..(-2)];", outputs="y: real[];"),
        [("negative-extent", 3)],
    ),
    "negative count": (compose("y = with a = x do..(-1) { b = id(a); yield b; };"), [("loop-count", 19)]),
    "bound of a known extent": (lower("y[i,] = x[i,], i < n;", outputs="y: real[n|2];"), [("illegal-bound", 3)]),
    "bound of a number": (
        "graph net { @input { x: real[2|4]; } @output { y: real[~]; } @compose { y = x; } }\n",
        [("illegal-bound", 1)],
    ),
    "two outputs of one dynamic extent": (
        lower("y[i,] = x[i,], i < k;", "z[i,] = x[i,], i < k;", outputs="y: real[k|n]; z: real[k|n];"),
        [],
    ),
}

CASES = {
    f"{name}: {case}": (text, expected)
    for name, table in {
        "folds": FOLDS,
        "uniform": UNIFORM,
        "results": RESULTS,
        "outputs": OUTPUTS,
        "cascades": CASCADES,
        "reach": REACH,
        "slices": SLICES,
        "nulls": NULLS,
        "declarations": DECLARATIONS,
    }.items()
    for case, (text, expected) in table.items()
}


@pytest.mark.parametrize(("text", "expected"), CASES.values(), ids=CASES.keys())
def test_review(text: str, expected: list[tuple[str, int]]):
    assert found(text) == expected
