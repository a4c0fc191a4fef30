"""Large graphs are compared by their operations: equal ones are told to be equal, and each difference is seen."""

from __future__ import annotations

import time

import pytest

from snd_analysis.base import Span
from snd_analysis.ide.refactoring import (
    EXTRACT,
    INLINE,
    INTRODUCE,
    ProvedOperator,
    Version,
    moved_by_same_operations,
)
from snd_analysis.skriptnd.names import OperatorName
from snd_runtime.limits import Limits
from snd_runtime.samples import RefactoringRequest, SampleRequest
from snd_runtime.samples.refactoring import refactor
from support.memory import snapshot_of

PATH = "main.sknd"
TEXT = """import math, nn, rand;

operator scaled {
    @attrib { k: real = 2.0; }
    @input { x: real[s..]; z: real[s..]; }
    @output { y: real[s..]; }
    @using { c = k * 1.0; }
    @compose { a = math.mul(x, c); y = math.sub(a, z); }
}

operator block {
    @input { x: real[n,m]; }
    @variable { w: real[m]; }
    @output { y: real[n,m]; }
    @compose { y = math.add(x, w); }
}

operator wave {
    @attrib { f: real = 3.0; }
    @input { x: real[n,m]; }
    @output { y: real[n,m]; }
    @lower { y[i,j] = sin(f * x[i,j]), i < n, j < m; }
}

graph G {
    @input { x: real[3000,5000]; z: real[3000,5000]; }
    @variable { v: real[5000]; }
    @output { y: real[3000,5000]; q: real[3000,5000]; }
    @compose {
        a = scaled(x, z);
        b = block(a);
        c = wave{f=2.5}(b);
        d = with t = c do..(3) nn.relu(t);
        e = math.add(d, v);
        f = scaled{k=-0.0}(e, z);
        y = math.max(f, 1.5);
        q = with s = y for p : [x, z] do scaled(s, p);
    }
    @update { v = math.mul(v, 0.5); }
}
"""
KNOWN = OperatorName(PATH, "G")


def moved(before: str, after: str, *, moves: bool = False, proved: ProvedOperator | None = None) -> object:
    """Return the variables that move; None if the operations differ or are unclear."""
    versions = []
    for text in (before, after):
        snapshot = snapshot_of({PATH: text})
        assert not [each.message for each in snapshot.diagnostics(PATH) if each.severity == "error"]
        specialization = snapshot.specialization(KNOWN)
        assert specialization is not None
        versions.append(Version(snapshot, specialization))
    return moved_by_same_operations(*versions, {}, proved, moves)


# Edits that keep all operations.
SAME = (
    ("c = k * 1.0;", "c = k;"),
    ("a = scaled(x, z);", "p = math.mul(x, 2.0); a = math.sub(p, z);"),
    ("f = scaled{k=-0.0}(e, z);", "f = scaled{k=-0.0}(e, z); # more"),
    ("y = math.max(f, 1.5);", "g = math.max(f, 1.5); y = math.max(f, 1.5);"),
    ("e = math.add(d, v);\n        f =", "h = math.add(d, v);\n        e = math.add(d, v);\n        f ="),
)
# Edits after which a value is another one.
DIFFERENT = (
    ("c = k * 1.0;", "c = k + 1.0;"),
    ("scaled{k=-0.0}", "scaled{k=0.0}"),
    ("a = scaled(x, z);", "a = scaled(z, x);"),
    ("wave{f=2.5}", "wave{f=2.4999999999}"),
    ("sin(f * x[i,j])", "sin(x[i,j] * f)"),  # unclear: another formula
    ("math.max(f, 1.5)", "math.max(f, 1.25)"),
    ("math.max(f, 1.5)", "math.min(f, 1.5)"),
    ("do..(3) nn.relu", "do..(4) nn.relu"),
    ("with t = c do", "with t = b do"),
    ("for p : [x, z]", "for p : [z, x]"),
    ("do scaled(s, p)", "do scaled(p, s)"),
    ("v = math.mul(v, 0.5)", "v = math.mul(v, 0.25)"),
    ("b = block(a);", "b = other: block(a);"),  # the variable has another name
    ("y = math.add(x, w);", "y = math.add(w, x);"),
)


@pytest.mark.parametrize(("old", "new"), SAME)
def test_edits_that_keep_the_operations_are_seen_as_such(old: str, new: str):
    assert old in TEXT
    assert moved(TEXT, TEXT.replace(old, new, 1)) == {}


@pytest.mark.parametrize(("old", "new"), DIFFERENT)
def test_every_difference_is_seen(old: str, new: str):
    assert old in TEXT
    assert moved(TEXT, TEXT.replace(old, new, 1)) is None


def test_two_draws_of_random_numbers_are_never_taken_for_one():
    drawn = TEXT.replace("e = math.add(d, v);", "r = rand.normal{shape=[5000]}(); e = math.add(d, r);")
    assert drawn != TEXT
    assert moved(drawn, drawn) is None


def test_an_operator_that_was_compared_before_counts_as_the_same():
    head, formula = TEXT.split("operator wave")
    after = f"{head}operator wave{formula.replace('@input { x:', '@input { u:', 1).replace('f * x[', 'f * u[', 1)}"
    wave = OperatorName(PATH, "wave")
    assert moved(TEXT, after) is None
    assert moved(TEXT, after, proved=ProvedOperator(wave, wave, {"x": "u"})) == {}
    assert moved(TEXT, after, proved=ProvedOperator(wave, wave, {})) is None


@pytest.mark.parametrize(
    ("kind", "marked", "renamed"),
    [(EXTRACT, "b = block(a);\n        c = wave{f=2.5}(b);", {"b.w": "c.b.w"}), (INTRODUCE, "2.5", {})],
)
def test_a_large_graph_is_not_evaluated(kind: str, marked: str, renamed: dict[str, str]):
    at = TEXT.index(marked)
    around = SampleRequest(PATH, {PATH: TEXT}, limits=Limits(seconds=None))
    request = RefactoringRequest(around, kind, Span(at, at + len(marked)))
    answer = refactor(snapshot_of({PATH: TEXT}), request)
    assert answer.refactored is not None, answer.message
    assert ": the same operations in 1 composition" in answer.message
    assert answer.moved == renamed


LAYERS = """import nn;

operator block {
    @attrib { depth: int; }
    @input { x: real[b,c,h,w]; }
    @variable { filters: real[c,c,3,3]..(depth); }
    @output { y: real[b,c,h,w]; }
    @compose { y = with v = x for f : filters do nn.conv{padding=1}(v, f); }
}

graph G {
    @input { x: real[b|8,1024,h|512,w|512]; }
    @output { y: real[b,1024,h,w]; }
    @compose { c = block{depth=3}(x); r = nn.relu(c); y = nn.softmax(r); }
}
"""
FIXED = LAYERS.replace("y: real[b,1024,h,w]; }\n    @compose { c", "y: real[b,1024,1,1]; }\n    @compose { c").replace(
    "nn.softmax(r)", "nn.max_pool{size=224, stride=1, padding=0}(r)"
)


@pytest.mark.parametrize(
    ("text", "sizes"), [(LAYERS, "such as x[2,1024,3,5]; x["), (FIXED, ",1024,224,224]; 1 variable")]
)
def test_open_sizes_of_a_large_graph_are_chosen(text: str, sizes: str):
    marked = "c = block{depth=3}(x); r = nn.relu(c);"
    at = text.index(marked)
    request = RefactoringRequest(SampleRequest(PATH, {PATH: text}), EXTRACT, Span(at, at + len(marked)))
    answer = refactor(snapshot_of({PATH: text}), request)
    assert answer.refactored is not None, answer.message
    assert ": the same operations in " in answer.message
    assert sizes in answer.message
    assert answer.moved == {"c.filters": "r.c.filters"}


def test_composing_ends_at_the_time_limit():
    levels = "".join(
        f"operator f{at} {{ @attrib {{ k: int; }} @input {{ x: real[n]; }} @output {{ y: real[n]; }} "
        f"@compose {{ a = f{at - 1}{{k=2*k}}(x); y = f{at - 1}{{k=2*k+1}}(a); }} }}\n"
        for at in range(1, 40)
    )
    leaf = "operator f0 { @attrib { k: int; } @input { x: real[n]; } @output { y: real[n]; } @compose { y = x; } }\n"
    graph = "graph G { @input { x: real[3]; } @output { y: real[3]; } @compose { a = f39{k=1}(x); y = nn.relu(a); } }\n"
    text = f"import nn;\n{leaf}{levels}{graph}"
    at = text.index("y = nn.relu(a)")
    request = RefactoringRequest(
        SampleRequest(PATH, {PATH: text}, limits=Limits(seconds=0.3)), EXTRACT, Span(at, at + 15)
    )
    snapshot, began = snapshot_of({PATH: text}), time.monotonic()
    answer = refactor(snapshot, request)
    assert answer.message == "the refactoring takes longer than 0.3 s"
    assert time.monotonic() - began < 3


NESTED = """import math, nn;

operator block {
    @input { x: real[n,m]; }
    @variable { w: real[m]; }
    @output { y: real[n,m]; }
    @compose { y = math.add(x, w); }
}

operator twice {
    @input { x: real[n,m]; }
    @output { y: real[n,m]; }
    @compose { a = block(x); b = nn.relu(a); y = block(b); }
}

graph G {
    @input { x: real[2,3]; }
    @output { y: real[2,3]; }
    @compose { a = twice(x); y = nn.relu(a); }
}
"""


@pytest.mark.parametrize("size", ["2,3", "3000,5000"])
def test_variables_of_an_operator_that_is_inlined_get_other_names(size: str):
    text = NESTED.replace("2,3", size)
    at = text.index("a = twice")
    request = RefactoringRequest(SampleRequest(PATH, {PATH: text}), INLINE, Span(at, at))
    answer = refactor(snapshot_of({PATH: text}), request)
    assert answer.refactored is not None, answer.message
    assert answer.moved == {"a.a.w": "a2.w", "a.y.w": "a.w"}
    assert answer.message.endswith("2 variables have other names, as 'a2.w' for 'a.a.w'")
    assert (
        answer.weights_map
        == """[[rule]]
from = "a.a.w"
to = "a2.w"

[[rule]]
from = "a.y.w"
to = "a.w"
"""
    )


def test_a_variable_that_only_one_version_reads_is_no_difference():
    text = """import nn;

operator linear {
    @attrib { use_bias: bool; }
    @input { x: real[b,c]; }
    @variable { w: real[4,c]; bias: real[4]; }
    @output { y: real[b,4]; }
    @compose { y = nn.linear(x, w, use_bias ? bias); }
}
"""
    statement = "y = nn.linear(x, w, use_bias ? bias);"
    at = text.index(statement)
    request = RefactoringRequest(SampleRequest(PATH, {PATH: text}), EXTRACT, Span(at, at + len(statement)))
    answer = refactor(snapshot_of({PATH: text}), request)
    assert answer.refactored is not None, answer.message
    assert ": equal on " in answer.message
