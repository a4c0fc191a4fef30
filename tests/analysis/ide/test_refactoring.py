"""Refactorings: the text that they make checks and computes the same, and what can't be done is refused."""

from __future__ import annotations

import re
import tomllib

import pytest

from snd_analysis.base import Severity, Span
from snd_analysis.ide.refactoring import (
    EXTRACT,
    REPLACE,
    RefactoringError,
    edited,
    extract_operator,
    formatted,
    inline_operator,
    replace_formula,
    selected_statements,
    switch_channels,
)
from snd_analysis.skriptnd.format import format_text
from snd_analysis.skriptnd.names import OperatorName
from snd_runtime.limits import Limits
from snd_runtime.samples import RefactoringAnswer, RefactoringRequest, SampleRequest
from snd_runtime.samples.equivalence import Comparison, Equivalence
from snd_runtime.samples.refactoring import refactor
from support.memory import snapshot_of

PATH = "m.sknd"
TEXT = """import math, nn;

# Doubles.
# >>> twice([1.0, -2.0], [1, 2])
operator twice {
    @dtype { T: num = real; }
    @input { x: real[s..]; z: T[n]; }
    @output { y: real[s..]; w: T[n]; }
    @compose {
        a = nn.relu(x);
        # both
        p = math.add(z, z);
        w = math.add(p, p);
        y = math.add(a, a);
    }
}

operator pooled {
    @attrib { k: int = 2; }
    @input { x: real[b,c,h,w]; }
    @output { y: real[b,c,h / k,w / k]; }
    @using { size = k * 1; }
    @compose {
        a = nn.max_pool{size=size, stride=k}(x);
        y = nn.relu(a);
    }
}

graph G {
    @input { x: real[1,3,8,8]; }
    @variable { filter: real[4,3,3,3]; weights: real[5,4]; bias: real[5]; }
    @output { y: real[1,5]; }
    @compose {
        a = nn.conv{padding=1}(x, filter);
        b = pooled(a);
        c = math.mean_reduce{axes=[2, 3], squeeze=true}(b);
        y = nn.linear(c, weights, bias);
    }
}

graph Labelled {
    @input { x: real[2,3]; }
    @output { y: real[2,3]; }
    @compose {
        a = one: shifted(x);
        y = nn.relu(a);
    }
}

operator shifted {
    @input { x: real[n,m]; }
    @variable { by: real[m]; }
    @output { y: real[n,m]; }
    @compose { y = math.add(x, by); }
}
"""


def compared(before: str, after: str, name: str) -> Equivalence:
    """Return what comes of the definition before and after an edit of its file."""
    snapshot = snapshot_of({PATH: before})
    around = SampleRequest(PATH, {PATH: before})
    return Comparison(snapshot, OperatorName(PATH, name), around, None).with_edit(snapshot.changed({PATH: after}))


def refactored_by(kind: str, text: str, at: int, end: int | None = None) -> RefactoringAnswer:
    """Return what the worker of the language server answers."""
    request = RefactoringRequest(
        SampleRequest(PATH, {PATH: text}, limits=Limits(seconds=None)), kind, Span(at, at if end is None else end)
    )
    return refactor(snapshot_of({PATH: text}), request)


def span_of(first: str, last: str, text: str = TEXT) -> Span:
    start = text.index(first)
    return Span(start, text.index(last, start) + len(last))


# The selection, from and to; the declarations of the operator; its invocation; the number of evaluations.
EXTRACTED = (
    (
        ("a = nn.relu(x)", "add(p, p);"),
        ["T: num = real;", "x: real[s..];", "z: T[n];", "a: real[s..];", "w: T[n];", "# both"],
        "a, w = extracted(x, z);",
    ),
    (("p = math", "z, z)"), ["z: T[n];", "p: T[n];"], "p = extracted(z);"),
    (
        ("a = nn.max", "relu(a)"),
        ["size: int;", "k: int;", "x: real[b, c, h, w];", "y: real["],
        "y = extracted{size=size, k=k}(x);",
    ),
    (
        ("a = nn.conv", "pooled(a);"),
        ["x: real[n, m, k, l];", "filter: real[p, q, r, s];", "b: real[n, p,"],
        "b = extracted(x, filter);",
    ),
    (("y = nn.linear", "bias"), ["c: real[", "weights: real[", "bias: real["], "y = extracted(c, weights, bias);"),
)


@pytest.mark.parametrize(("selected", "declared", "invocation"), EXTRACTED, ids=lambda each: each[0][:12])
@pytest.mark.parametrize("line_break", ["\n", "\r\n"], ids=["lf", "crlf"])
def test_selected_statements_become_an_operator(
    selected: tuple[str, str], declared: list[str], invocation: str, line_break: str
):
    text = TEXT.replace("\n", line_break)
    snapshot = snapshot_of({PATH: text})
    assert not snapshot.diagnostics(PATH)
    (refactored,) = extract_operator(snapshot, PATH, span_of(*selected, text))
    new = edited(text, refactored.edits)
    head, body = refactored.edits
    assert body.text == invocation
    assert all(each in head.text for each in declared)
    assert not snapshot.changed({PATH: new}).diagnostics(PATH)
    assert "\r" not in new.replace("\r\n", "")
    found = compared(text, new, refactored.name.name)
    assert found.difference is None
    assert found.evaluations >= 3


LAYERS = """import math, layer, nn;

graph G {
    @input { x: real[1,2,9,7]; }
    @output { y: real[1,4,7,5]; z: real[1,3,7,5]; }
    @compose {
        first = layer.conv{channels=4, size=3, padding=0}(x);
        y = math.tanh(first);
        z = last: layer.conv{channels=3, size=1}(y);
    }
}
"""


@pytest.mark.parametrize(
    ("first", "last", "moved"),
    [
        ("first = ", "tanh(first);", {"first.filter": "y.first.filter", "first.bias": "y.first.bias"}),
        ("z = last", "(y);", {"last.filter": "z.last.filter", "last.bias": "z.last.bias"}),
        ("first = ", "(y);", {}),  # several results have no label, so that the names stay
    ],
)
def test_variables_move_with_their_labels(first: str, last: str, moved: dict[str, str]):
    place = span_of(first, last, LAYERS)
    answer = refactored_by(EXTRACT, LAYERS, place.start, place.end)
    assert answer.refactored is not None, answer.message
    assert answer.moved == moved
    if moved:
        assert "; 2 variables have other names, as " in answer.message
    rules = tomllib.loads(answer.weights_map).get("rule", [])
    assert {each["from"]: each["to"] for each in rules} == moved


def test_variables_that_are_updated_do_not_move():
    """Their values at the beginning are not those of the end."""
    text = """import math, nn;

operator counted {
    @input { x: real[n]; }
    @variable { count: real[n]; }
    @output { y: real[n]; }
    @compose { y = math.add(x, count); }
    @update { count = y; }
}

graph G {
    @input { x: real[3]; }
    @output { y: real[3]; }
    @compose { a = counted(x); y = nn.relu(a); }
}
"""
    place = span_of("a = counted", "relu(a);", text)
    answer = refactored_by(EXTRACT, text, place.start, place.end)
    assert answer.refactored is None
    assert "variables have other names now: 'a.count', 'y.a.count'" in answer.message


def test_the_operator_stands_above_the_comment_of_the_definition():
    snapshot = snapshot_of({PATH: TEXT})
    ((head, _),) = (each.edits for each in extract_operator(snapshot, PATH, span_of("p = math", "z, z)")))
    assert head.location.span.start == TEXT.index("# Doubles.")


def test_a_name_that_is_taken_is_not_used():
    text = TEXT.replace("pooled", "extracted")
    (refactored,) = extract_operator(snapshot_of({PATH: text}), PATH, span_of("p = math", "z, z)", text))
    assert refactored.edits[1].text == "p = extracted2(z);"


GIVEN = """import math, nn;

operator given {
    @attrib { axes: int..; }
    @input { xs: real[n]..(k); y: real[s..]; b: optional real[s..]; }
    @output { z: real[n]..(k); q: real[s..]; w: real[s..]; }
    @compose {
        z = for x : xs do nn.relu(x);
        p = for i : [1.0, 2.0] do nn.relu(y);
        q = if ?b then math.add(y, b) else y;
        r = math.sum_reduce{axes=axes}(y);
        w = math.add(p[0], r);
    }
}
"""

# The selection in a text; the reason of the refusal.
REFUSED = (
    (TEXT, "@input { x", "[s..]", "select statements"),
    (TEXT, "operator twice", "add(p, p);", "select statements"),
    (
        TEXT.replace("y = nn.relu(a);", "unused = nn.relu(a); y = nn.relu(a);"),
        "unused",
        "(a)",
        "nothing uses the results",
    ),
    (TEXT.replace("y = nn.relu(a);", "y = nn.rellu(a);"), "y = nn.rellu", "(a)", "the shape of 'y' is not known"),
    (GIVEN, "z = for", "relu(x);", "'xs' is a pack: it can't be passed on"),
    (GIVEN, "p = for", "relu(y);", "'p' is a pack: it can't be passed on"),
    (GIVEN, "q = if", "else y;", "'b' may be null: it can't be passed on"),
    (GIVEN, "r = math", "(y);", "the shape of 'r' can't be written in a declaration"),
)


@pytest.mark.parametrize(("text", "first", "last", "reason"), REFUSED, ids=lambda each: each[:12])
def test_what_can_not_be_extracted_is_refused(text: str, first: str, last: str, reason: str):
    with pytest.raises(RefactoringError, match=reason):
        extract_operator(snapshot_of({PATH: text}), PATH, span_of(first, last, text))


def test_statements_are_selected_whole():
    snapshot = snapshot_of({PATH: TEXT})
    found = selected_statements(snapshot, PATH, span_of("relu(x)", "p ="))
    assert found is not None
    assert TEXT[found.span.start : found.span.end].startswith("a = nn.relu(x);")
    assert TEXT[found.span.start : found.span.end].endswith("math.add(z, z);")
    assert len(found.entries) == 2
    at = TEXT.index("relu(x)")
    assert selected_statements(snapshot, PATH, Span(at, at)) is None


SUMS = """import math;

operator sums {
    @dtype { T: num; }
    @attrib { k: int = 3; axes: int..; }
    @input { x: T[n,m]; y: T[n,m]; }
    @output { z: T[n,m]; q: T[n,m]; }
    @using { total = n * m + k; }
    @compose {
        a = math.add(x, y);
        z = math.add(a, x);  # z, and a
        q = math.add(a, T(total * x.rank));
    }
}

operator user {
    @attrib { at: int; }
    @input { p: real[b,c]; a: real[b,c]; }
    @output { r: real[b,c]; z: real[b,c]; }
    @compose { r, z = sums{axes=[at]}(a, p); }
}

graph G {
    @attrib { b: int = 2; }
    @input { p: int[b,3]; }
    @output { r: int[b,3]; s: int[b,3]; }
    @compose {
        r, s = sums{axes=[0, 1]}(p, p);
    }
}

operator bare {
    @input { x: real[n]; }
    @output { y: real[n]; z: real[n]; }
    @compose {
        y = kept(x);
        z, ~ = both(x);
    }
}

operator kept {
    @input { x: real[n]; }
    @constant { c: real[1] = 2.0; }
    @output { y: real[n]; }
    @compose { y = math.mul(x, c); }
}

operator both {
    @input { x: real[n]; }
    @output { y: real[n]; z: real[n]; }
    @compose { y = math.neg(x); z = math.abs(x); }
}
"""

# A text, the statement that invokes an operator, and what stands there then.
INLINED = (
    (TEXT, "b = pooled(a);", "a2 = nn.max_pool{size=2, stride=2}(a);\n        b = nn.relu(a2);"),
    (
        SUMS,
        "r, z = sums{axes=[at]}(a, p);",
        "a2 = math.add(a, p);\n    r = math.add(a2, a);  # z, and a\n    z = math.add(a2, real((b * c + 3) * a.rank));",
    ),
)


@pytest.mark.parametrize(("text", "statement", "expected"), INLINED, ids=lambda each: each[:12])
def test_an_invocation_becomes_the_statements_of_its_operator(text: str, statement: str, expected: str):
    assert not [each for each in snapshot_of({PATH: text}).diagnostics(PATH) if each.severity is not Severity.HINT]
    assert inlined(text, statement) == expected


@pytest.mark.parametrize(("selected", "declared", "invocation"), EXTRACTED, ids=lambda each: each[0][:12])
def test_what_was_extracted_can_be_inlined(selected: tuple[str, str], declared: list[str], invocation: str):
    text = edited(TEXT, extract_operator(snapshot_of({PATH: TEXT}), PATH, span_of(*selected))[0].edits)
    span = selected_statements(snapshot_of({PATH: TEXT}), PATH, span_of(*selected))
    assert span is not None
    assert inlined(text, invocation) == TEXT[span.span.start : span.span.end]


def inlined(text: str, statement: str) -> str:
    """Return the replacement of a statement, after checking that it computes the same."""
    snapshot, at = snapshot_of({PATH: text}), text.index(statement)
    (refactored,) = inline_operator(snapshot, PATH, Span(at, at))
    (edit,) = refactored.edits
    found = compared(text, edited(text, refactored.edits), refactored.name.name)
    assert found.difference is None
    assert found.evaluations >= 3
    return edit.text


@pytest.mark.parametrize(
    ("text", "at", "reason"),
    [
        (TEXT, "a = one: shifted", "choose an invocation"),
        (TEXT, "a = nn.relu(x);", "choose an invocation"),
        (SUMS, "r, s = sums", "no value to write for 'total'"),
        (
            SUMS.replace("k: int = 3;", "k: int = 3; more: optional int;").replace("T(total", "T((more ?? total)"),
            "r, z = sums",
            "no value to write for 'more' of 'sums'",
        ),
        (SUMS, "y = kept(x)", "'kept' has a block '@constant'"),
        (SUMS, "z, ~ = both", "a result is '~'"),
        (TEXT.replace("pooled(a)", "pooled(nn.relu(a))"), "b = pooled", "the argument for 'x' has no name"),
    ],
)
def test_what_can_not_be_inlined_is_refused(text: str, at: str, reason: str):
    place = text.index(at)
    with pytest.raises(RefactoringError, match=reason):
        inline_operator(snapshot_of({PATH: text}), PATH, Span(place, place))


def test_comments_in_an_invocation_stand_above_the_statements():
    text = SUMS.replace("r, z = sums{axes=[at]}(a, p);", "r, z = sums{axes=[at]}(a,  # first\n    p);")
    assert inlined(text, "r, z = sums").startswith("# first\n    a2 = math.add(a, p);\n    r = ")


def test_numbers_with_a_sign_are_inlined():
    text = """import math;

operator shifted {
    @input {
        x: real[s..];
        by: real[];
    }
    @output {
        y: real[s..];
    }
    @compose {
        a = math.add(x, by);
        y = math.mul(a, by);
    }
}

graph net {
    @input {
        p: real[2,3];
    }
    @output {
        r: real[2,3];
    }
    @compose {
        r = shifted(p, -2.0);
    }
}
"""
    assert inlined(text, "r = shifted") == "a = math.add(p, -2.0);\n        r = math.mul(a, -2.0);"


def test_strings_are_inlined_without_parentheses():
    text = SUMS.replace("k: int = 3;", "k: int = 3; mode: str = 'a';")
    text = text.replace("math.add(x, y);", "if mode == 'b' then x else math.add(x, y);")
    assert inlined(text, "r, z = sums").startswith("a2 = if 'a' == 'b' then a else math.add(a, p);")


def test_assertions_that_are_left_out_are_told():
    text = TEXT.replace("@using { size", "@assert { k < 4; }\n    @using { size")
    at = text.index("b = pooled")
    (refactored,) = inline_operator(snapshot_of({PATH: text}), PATH, Span(at, at))
    assert refactored.what == "inlined the operator 'pooled' without its assertions"


def test_lines_that_become_too_long_are_broken_in_a_text_of_the_one_style():
    width = 40
    for before in (TEXT, format_text(TEXT, width)):
        (refactored,) = extract_operator(snapshot_of({PATH: before}), PATH, span_of("a = nn.max", "relu(a)", before))
        new = edited(before, formatted({PATH: before}, refactored, width))
        assert (new == format_text(new, width)) is (before == format_text(before, width))


# The effect of an edit on a definition, and the message about it.
DIFFERENT = (
    ("y = math.add(a, a);", "y = math.add(a, x);", "twice", "in a sample: of 'y', "),
    ("size = k * 1", "size = k * k / 2", "pooled", "on random inputs"),
    ("c = math.mean_reduce", "c = math.max_reduce", "G", "of 'y', "),
    ("a = one: shifted", "a = two: shifted", "Labelled", "variables have other names now: 'one.by', 'two.by'"),
    (
        "w: T[n]; }\n    @compose",
        "w: T[n]; }\n    @assert { n < 5; }\n    @compose",
        "twice",
        "can't be invoked any more",
    ),
)


@pytest.mark.parametrize(("old", "new", "name", "difference"), DIFFERENT, ids=lambda each: each[:14])
def test_an_edit_that_changes_what_is_computed_is_found(old: str, new: str, name: str, difference: str):
    assert old in TEXT
    found = compared(TEXT, TEXT.replace(old, new, 1), name)
    assert found.difference is not None
    assert difference in found.difference


def test_what_can_not_be_evaluated_is_not_equal():
    text = TEXT.replace("@using { size = k * 1; }", "@using { size = k * 1; } @assert { c < 0; }")
    found = compared(text, text, "pooled")
    assert not found.evaluations
    assert found.reason


FORMULAS = """import nn;

operator positive {
    @input { x: real[n,m]; }
    @output { y: real[n,m]; }
    @lower { y[i,j] = x[i,j] > 0.0 ? x[i,j] : 0.0, i < n, j < m; }
}

operator six {
    @input { x: real[s..]; }
    @output { y: real[s..]; }
    @lower { y[i..] = (x[i..] >? 0.0) <? 6.0, i < s; }
}

operator leaking {
    @attrib { slope: real = 0.1; }
    @input { x: real[s..]; }
    @output { y: real[s..]; }
    @assert { slope >= 0.0 && slope <= 1.0; }
    @lower { y[i..] = x[i..] < 0.0 ? slope * x[i..] : x[i..], i < s; }
}

operator product {
    @input { a: real[n,k]; b: real[k,m]; }
    @output { y: real[n,m]; }
    @lower { y[i,j] += a[i,l] * b[l,j], i < n, j < m, l < k; }
}

operator total {
    @dtype { T: num; }
    @input { x: T[n,m,k]; }
    @output { y: T[n,k]; }
    @lower { y[i,l] += x[i,j,l], i < n, j < m, l < k; }
}

operator turned {
    @input { x: real[n,m,k]; }
    @output { y: real[k,n,m]; }
    @lower { y[l,i,j] = x[i,j,l], i < n, j < m, l < k; }
}

operator convolved {
    @attrib { s: int; }
    @input { x: real[b,c,h,w]; f: real[n,c,p,q]; }
    @output { y: real[b,n,(h - p) / s + 1,(w - q) / s + 1]; }
    @assert { s > 0; h >= p; w >= q; }
    @lower { y[o,t,i,j] += x[o,r,s * i + u,s * j + v] * f[t,r,u,v],
        o < b, t < n, i < (h - p) / s + 1, j < (w - q) / s + 1, r < c, u < p, v < q; }
}

operator steep {
    @attrib { slope: real = 0.1; }
    @input { x: real[s..]; }
    @output { y: real[s..]; }
    @lower { y[i..] = x[i..] < 0.0 ? slope * x[i..] : x[i..], i < s; }
}

operator single {
    @input { x: real[b,c,h,w]; f: real[n,c,p,q]; }
    @output { y: real[b,n,h - p + 1,w - q + 1]; }
    @lower { y[o,t,i,j] += x[o,r,i + u,j + v] * f[t,r,u,v],
        o < b, t < n, i < h - p + 1, j < w - q + 1, r < c, u < p, v < q; }
}

operator odd {
    @input { x: real[n]; }
    @output { y: real[n]; }
    @lower { y[i,] = sin(x[i,]) * exp(x[i,]), i < n; }
}

operator two {
    @input { x: real[n]; }
    @output { y: real[n]; z: real[n]; }
    @lower { y[i,] = x[i,], i < n; z[i,] = x[i,], i < n; }
}
"""

# An operator with formulas, and what stands in their place.
REPLACED = (
    ("positive", "y = nn.relu(x);"),
    ("six", "y = nn.relu{max=6.0}(x);"),
    ("leaking", "y = nn.relu{alpha=slope}(x);"),
    ("product", "y = linalg.matmul(a, b);"),
    ("total", "y = math.sum_reduce{axes=[1], squeeze=true}(x);"),
    ("turned", "y = layout.transpose{perm=[2, 0, 1]}(x);"),
    ("convolved", "y = nn.conv{stride=s, padding=0}(x, f);"),
    ("single", "y = nn.conv{padding=0}(x, f);"),
    ("steep", None),  # 'nn.relu' refuses a slope of 2
    ("odd", None),
)


@pytest.mark.parametrize(("name", "expected"), REPLACED, ids=lambda each: each and each[:12])
def test_formulas_become_an_operator_of_the_library_that_computes_the_same(name: str, expected: str | None):
    answer = refactored_by(REPLACE, FORMULAS, FORMULAS.index(f"operator {name} ") + len("operator "))
    assert (answer.refactored is not None) is (expected is not None), answer.message
    if answer.refactored is not None and expected is not None:
        assert answer.refactored.edits[-1].text == f"@compose {{\n        {expected}\n    }}"
        module = expected.removeprefix("y = ").partition(".")[0]
        new = edited(FORMULAS, answer.refactored.edits)
        assert new.count(f"import {module};") == 1
        kept = snapshot_of({PATH: new}).diagnostics(PATH)
        assert not [each for each in kept if each.severity is Severity.ERROR]
        assert re.search(r": equal on \d+ evaluations, such as [xa]\[[\d,]+\].*; ", answer.message)


def test_several_outputs_are_not_replaced():
    at = FORMULAS.index("y[i,] = x[i,], i < n; z")
    with pytest.raises(RefactoringError, match="not exactly one tensor"):
        replace_formula(snapshot_of({PATH: FORMULAS}), PATH, Span(at, at))


def test_comments_at_formulas_stand_above_the_statement():
    text = """import nn;

operator positive {
    @input { x: real[n,m]; }
    @output { y: real[n,m]; }
    @lower {
        # of each
        y[i,j] = x[i,j] >? 0.0, i < n, j < m;  # at least 0
    }
}
"""
    at = text.index("@lower")
    refactored = replace_formula(snapshot_of({PATH: text}), PATH, Span(at, at))
    above = "@compose {\n        # of each\n        # at least 0\n        y = "
    assert all(each.edits[-1].text.startswith(above) for each in refactored)
    both = text.replace("@lower", "@compose { y = nn.relu(x); }\n    @lower")
    at = both.index("@lower")
    with pytest.raises(RefactoringError, match="'positive' has a block '@compose' already"):
        replace_formula(snapshot_of({PATH: both}), PATH, Span(at, at))


def test_modules_of_any_import_form_are_named_as_before():
    text = TEXT.replace("import math, nn;", "import nn; # layers\nimport math;")
    (refactored,) = extract_operator(snapshot_of({PATH: text}), PATH, span_of("a = nn.relu(x)", "add(p, p);", text))
    assert not snapshot_of({PATH: edited(text, refactored.edits)}).diagnostics(PATH)


# ---- the order of channels -------------------------------------------------------------------------------------------
def computes_the_same(before: str, after: str, name: str) -> None:
    found = compared(before, after, name)
    assert found.difference is None, found
    assert found.evaluations >= 3


CHANNELS = """import nn, math;

graph G {
    @input { x: real[2,3,8,6]; z: real[2,4,4,3]; }
    @variable { filter: real[4,3,3,3]; bias: real[4];
        offset: real[4]; scale: real[4]; mean: real[4]; variance: real[4]; }
    @output { y: real[2,4]; w: real[2,4,4,3]; }
    @compose {
        a = nn.conv{padding=1}(x, filter, bias);
        n = nn.batch_norm(a, mean, variance, offset, scale);
        b = nn.relu(n);
        c = nn.max_pool{size=[2, 2], stride=[2, 2], padding=[0, 0, 0, 0]}(b);
        w = math.add(c, z);
        y = math.mean_reduce{axes=[2, 3], squeeze=true}(w);
    }
}
"""


def test_statements_are_switched_to_channel_last_and_back():
    """Weights stay, tensors of lower rank stay, and what goes out is transposed back."""
    snapshot = snapshot_of({PATH: CHANNELS})
    (switched,) = switch_channels(snapshot, PATH, span_of("a = nn.conv", "squeeze=true}(w);", CHANNELS))
    assert switched.what == "switched to channel-last"
    text = edited(CHANNELS, switched.edits)
    assert "import layout;" in text
    expected = """        x_last = layout.transpose{perm=[0, 2, 3, 1]}(x);
        z_last = layout.transpose{perm=[0, 2, 3, 1]}(z);
        a = nn.conv{data_format='NXC', padding=1}(x_last, filter, bias);
        n = nn.batch_norm{channel_axis=3}(a, mean, variance, offset, scale);
        b = nn.relu(n);
        c = nn.max_pool{axes=[1, 2], size=[2, 2], stride=[2, 2], padding=[0, 0, 0, 0]}(b);
        w_last = math.add(c, z_last);
        y = math.mean_reduce{axes=[1, 2], squeeze=true}(w_last);
        w = layout.transpose{perm=[0, 3, 1, 2]}(w_last);
    }
}
"""
    assert text.split("@compose {\n")[1] == expected
    computes_the_same(CHANNELS, text, "G")
    again = snapshot_of({PATH: text})
    (back,) = switch_channels(again, PATH, span_of("a = nn.conv", "squeeze=true}(w_last);", text))
    assert back.what == "switched to channel-first"
    computes_the_same(CHANNELS, edited(text, back.edits), "G")


def test_a_comment_stays_behind_its_statement():
    text = CHANNELS.replace("relu(n);", "relu(n);  # active")
    (switched,) = switch_channels(snapshot_of({PATH: text}), PATH, span_of("a = nn.conv", "relu(n);", text))
    new = edited(text, switched.edits)
    assert "b_last = nn.relu(n);  # active\n        b = layout.transpose{perm=[0, 3, 1, 2]}(b_last);\n" in new
    computes_the_same(text, new, "G")


def test_what_has_no_channels_is_not_switched():
    snapshot = snapshot_of({PATH: CHANNELS})
    with pytest.raises(RefactoringError, match="select statements with a convolution"):
        switch_channels(snapshot, PATH, span_of("w = math.add", "squeeze=true}(w);", CHANNELS))


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("nn.conv{padding=1}(x", "nn.conv{padding=1, data_format='XCN'}(x", "it is not known what 'nn.conv' becomes"),
        ("math.add(c, z);", "layout.reshape{shape=[2,4,4,3]}(c);", "the statements would not be right"),
        ("math.add(c, z);", "if n.rank > 3 then math.add(c, z) else z;", "branches and loops can't be switched"),
        ("axes=[2, 3]", "axes=[2,  # rows\n 3]", "a comment within an attribute would be lost"),
    ],
)
def test_what_would_not_be_right_is_not_switched(old: str, new: str, reason: str):
    text = CHANNELS.replace(old, new).replace("import nn,", "import layout, nn,")
    with pytest.raises(RefactoringError, match=reason):
        switch_channels(snapshot_of({PATH: text}), PATH, span_of("a = nn.conv", "squeeze=true}(w);", text))


def test_many_attributes_do_not_keep_a_replacement_from_ending():
    """Each of 10 attributes could be passed on for each one of the library: these are too many to look at all."""
    names = [f"a{at}" for at in range(10)]
    sums = " + ".join(names)
    text = f"""operator o {{
    @attrib {{ {" ".join(f"{each}: int = 1;" for each in names)} }}
    @input {{ x: real[n]; }}
    @output {{ y: real[n]; }}
    @lower {{ y[i,] = x[i,] * real({sums}), i < n; }}
}}
"""
    with pytest.raises(RefactoringError, match="no operator of the library has such inputs"):
        replace_formula(snapshot_of({PATH: text}), PATH, Span(text.index("@lower"), text.index("@lower")))
