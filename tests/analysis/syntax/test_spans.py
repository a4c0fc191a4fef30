"""Spans of each kind of node: exactly the text that it was read from."""

from __future__ import annotations

import pytest

from snd_analysis.skriptnd.syntax import parse
from support.analysis.trees import NODE_KINDS, placed_nodes

PROGRAM = """\
# The head.
version 2.0;  # a version
extension KHR_a KHR_b, KHR_c;
import nn, math.more;

public operator f {
    @dtype { T: num = real; U: type; }
    @attrib {
        a: optional int..(2*d) = [1, n..(d), 2:d:-1, (b, c)..];
        s: str = "x{ a + 1 }\\n" 'y';
        k: dynamic real..(static n|8) = real();
    }
    @input { x: T^(r)[b, static ..t, (c ? u)..(d), n|16]..(m); }
    @constant { w: real[2, ~] = 1.5e3, i < 2, j < 3; }
    @using {
        p = -q ** 2 + .. ;
        [g, (h, e)..] = v[i] <- true;
        z..(2) = u ?? (inf);
    }
    @assert { n > 1: "small {n}", "n": n, m + 1; }
    @lower {
        unroll..(o -> n) with y = 1: out[o][i, j] += |i + 1| * |j <> 0 : n|, i < n | c;
        out[i,] = in_(0);
    }
}
graph g {
    @compose {
        [l, (y, z: real[2])..(2)], ~ = lab: nn.conv<real, T>{stride=[1, 1], a=2}(x, ~);
        r: real[1] = if c then a elif d(x) then { q = b(x); yield q, 1; } else e;
        s = with i: int[] = 0, j = 1 for t : x, u : y while k do..(n -> 3) m(i);
        v = do m(i) while k;
    }
    @quantize { a.b: quant.zero{bits=8}(c); }
}
"""

SPANS = {
    "Document": [PROGRAM[PROGRAM.index("version") :].rstrip("\n")],
    "Version": ["version 2.0;"],
    "Extension": ["extension KHR_a KHR_b, KHR_c;"],
    "Import": ["import nn, math.more;"],
    "Definition": ["public operator f {…}", "graph g {…}"],
    "Block": ["@dtype { T: num = real; U: type; }", "@input { x: T^(r)[b, static ..t, (c ? u)..(d), n|16]..(m); }"],
    "Entry": ["T: num = real;", "p = -q ** 2 + .. ;", "a.b: quant.zero{bits=8}(c);", "out[i,] = in_(0);"],
    "Name": ["KHR_b", "f", "T", "r", "lab", "x", "stride", "q", "a", "b"],
    "Qualified": ["math.more", "nn.conv", "a.b", "quant.zero", "v"],
    "Tilde": ["~"],
    "TypeName": ["num", "real", "type", "T", "str", "int"],
    "Literal": ["1.5e3", "true", "inf", "2", "8"],
    "Text": ["x", "\\n", "y", "small "],
    "Field": ["{ a + 1 }", "{n}"],
    "String": ["\"x{ a + 1 }\\n\" 'y'", '"small {n}"', '"n"'],
    "List": ["[1, n..(d), 2:d:-1, (b, c)..]", "[1, 1]"],
    "Range": ["2:d:-1"],
    "Expansion": ["..(d)", "..", "..(2)"],
    "Expanded": ["n..(d)", "(b, c).."],
    "Zip": ["(b, c)"],
    "Index": ["[o]", "[i, j]", "[i,]", "[i]"],
    "Subscript": ["b[0]"],
    "Substitution": ["v[i] <- true"],
    "Operator": ["**", "-", "+", "+=", "=", "do", "*"],
    "Unary": ["-q ** 2", "-1"],
    "Binary": ["q ** 2", "2*d", "a + 1", "n > 1", "m + 1", "|i + 1| * |j <> 0 : n|"],
    "Fold": ["-q ** 2 + .."],
    "Select": ["c ? u"],
    "Coalesce": ["u ?? (inf)"],
    "Attribute": ["stride=[1, 1]", "a=2", "bits=8"],
    "Attributes": ["{stride=[1, 1], a=2}", "{bits=8}"],
    "Generics": ["<real, T>"],
    "Call": ["nn.conv<real, T>{stride=[1, 1], a=2}(x, ~)", "d(x)", "in_(0)", "m(i)"],
    "Cast": ["real()"],
    "Parenthesized": ["(inf)", "(c ? u)"],
    "Bounded": ["|i + 1|", "|j <> 0 : n|"],
    "DtypeDeclaration": ["T: num = real", "U: type"],
    "IndexBound": ["i < 2", "j < 3", "i < n"],
    "Extent": ["b", "static ..t", "(c ? u)..(d)", "n|16", "~"],
    "Shape": ["[b, static ..t, (c ? u)..(d), n|16]", "[2, ~]", "[1]", "[]"],
    "Pack": ["..(2*d)", "..(static n|8)", "..(m)", "..(2)"],
    "Modifier": ["optional", "dynamic"],
    "Default": ["= real()", "= 1.5e3, i < 2, j < 3"],
    "Parameter": ["w: real[2, ~] = 1.5e3, i < 2, j < 3"],
    "NameTarget": ["p", "g", "z..(2)"],
    "TupleTarget": ["(h, e).."],
    "ListTarget": ["[g, (h, e)..]"],
    "Using": ["z..(2) = u ?? (inf)"],
    "Printed": ['"n": n', "m + 1"],
    "Assertion": ['n > 1: "small {n}", "n": n, m + 1'],
    "Unroll": ["unroll..(o -> n)"],
    "Local": ["y = 1"],
    "Access": ["out[o][i, j]", "out[i,]"],
    "Lowering": ["unroll..(o -> n) with y = 1: out[o][i, j] += |i + 1| * |j <> 0 : n|, i < n | c"],
    "ResultType": [": real[2]", ": real[1]", ": int[]"],
    "Result": ["l", "~", "r: real[1]", "s"],
    "ResultTuple": ["(y, z: real[2])..(2)"],
    "ResultList": ["[l, (y, z: real[2])..(2)]"],
    "Labelled": ["lab: nn.conv<real, T>{stride=[1, 1], a=2}(x, ~)"],
    "Yield": ["yield q, 1"],
    "Region": ["{ q = b(x); yield q, 1; }"],
    "Case": ["if c then a", "elif d(x) then { q = b(x); yield q, 1; }"],
    "Branch": ["if c then a elif d(x) then { q = b(x); yield q, 1; } else e"],
    "Carry": ["i: int[] = 0", "j = 1"],
    "Scan": ["t : x", "u : y"],
    "While": ["while k"],
    "Iteration": ["..(n -> 3)"],
    "Loop": ["with i: int[] = 0, j = 1 for t : x, u : y while k do..(n -> 3) m(i)", "do m(i) while k"],
    "Component": ["q = b(x)", "v = do m(i) while k"],
    "Quantization": ["a.b: quant.zero{bits=8}(c)"],
}
# Nodes of broken texts only: a text, and the text of the node.
ERRORS = {
    "ErrorExpression": ('operator f { @using { a = "b{ c d }e"; } }', " c d "),
    "ErrorEntry": ("operator f { @using { ? a b; c = 1; } }", "? a b;"),
    "ErrorBlock": ("operator f { what (is) this; @using { c = 1; } }", "what (is) this;"),
    "ErrorItem": ("what (is) this;\nimport nn;", "what (is) this;"),
}
ELSEWHERE = {"Subscript": "operator f { @using { a = b[0]; } }"}


def texts_of(program: str, kind: str) -> list[str]:
    parsed = parse(program)
    return [
        program[placed.span.start : placed.span.end]
        for placed in placed_nodes(parsed.document, len(program))
        if type(placed.node).__name__ == kind
    ]


def test_the_program_is_right() -> None:
    assert parse(PROGRAM).problems == ()


def test_all_kinds_are_covered() -> None:
    assert {kind.__name__ for kind in NODE_KINDS} == {*SPANS, *ERRORS}


@pytest.mark.parametrize("kind", SPANS)
def test_spans(kind: str) -> None:
    found = texts_of(ELSEWHERE.get(kind, PROGRAM), kind)
    for expected in SPANS[kind]:
        if expected.endswith("{…}"):
            assert any(text.startswith(expected[:-2]) and text.endswith("\n}") for text in found)
        else:
            assert expected in found


@pytest.mark.parametrize("kind", ERRORS)
def test_spans_of_errors(kind: str) -> None:
    text, covered = ERRORS[kind]
    assert texts_of(text, kind) == [covered]


def test_repaired_names_are_empty() -> None:
    parsed = parse("operator f { @using { a = 1 + ; } }")
    names = [placed for placed in placed_nodes(parsed.document, 40) if getattr(placed.node, "text", None) == ""]
    assert {(placed.span.start, placed.span.end) for placed in names} == {(29, 29)}
