"""Compositions: what an operator's own text, and the signatures of what it invokes, give away (2.10 to 2.14)."""

from __future__ import annotations

from collections import Counter

import pytest

from snd_analysis.base.diagnostics import Severity
from snd_analysis.skriptnd.names.symbols import OperatorName
from snd_analysis.skriptnd.types.signature import fingerprint
from snd_analysis.workspace import Workspace
from snd_analysis.workspace import checks as workspace_module
from support.memory import MemoryReader, check, fixed, shown

INPUTS = "x: real[2,3]; c: bool[]; k: int[]; xs: real[2,3]..(3);"
MINMAX = "quant.min_max_linear_quantize{min=0.0, max=1.0, bits=8}"


def net(
    statements: str, *, inputs: str = INPUTS, outputs: str = "y: real[2,3];", blocks: str = "", rest: str = ""
) -> str:
    """A main module whose graph is composed by some statements, with other definitions before and blocks behind."""
    return (
        "import math, layout, nn, quant;\n"
        f"{rest}graph net {{\n"
        "    @attrib { flag: bool = true; n: int = 3; }\n"
        f"    @input {{ {inputs} }}\n    @output {{ {outputs} }}\n"
        f"    @compose {{ {statements} }}\n    {blocks}\n}}\n"
    )


def operator(
    statements: str, *, head: str = "", inputs: str = "x: real[s..(d)];", outputs: str = "y: real[s..];"
) -> str:
    """An operator that is composed by some statements, on a line of its own."""
    return f"operator op {{ {head} @input {{ {inputs} }} @output {{ {outputs} }} @compose {{ {statements} }} }}\n"


def found(text: str) -> list[str]:
    """The rules that a main module breaks, in order of their places; hints don't count."""
    return [item.rule for item in check({"main.sknd": text})["main.sknd"] if item.severity is not Severity.HINT]


VALID = {
    "block in block": net("y = { a = { b = math.neg(x); yield b; }; yield a; };"),
    "ranks under a static condition": net("y = if x.rank == 3 then layout.transpose{perm=[2,0,1]}(x) else x;"),
    "labels of static branches": net("y = if flag then l: math.neg(x) else l: math.abs(x);"),
    "labels in two blocks": net(
        "y = { z = l: math.neg(x); yield z; }; w = { z = l: math.abs(y); yield z; };",
        outputs="y: real[2,3]; w: real[2,3];",
    ),
    "uniform value of a pack": net("y = nn.max_pool{size=1, axes=[0,1]}(x);"),
    "rest of a list": net("[a, b.., d] = layout.split{axis=1, count=3}(x); y = layout.concat{axis=1}([a, b.., d]);"),
    "unzipped results": net(
        "[(a, b)..] = layout.split{axis=0, sizes=[1,1]}(x); y = layout.concat{axis=0}([a.., b..]);"
    ),
    "uniform tensor": net("z: real[2,3] = 0.0; y = math.add(x, z);"),
    "extents named": net("z: real[a,b] = math.neg(x); y = layout.reshape{shape=[a,b]}(z);"),
    "shape named": net("z: real[s..] = math.neg(x); y = layout.reshape{shape=s}(z);"),
    "graph in a block of a branch": net(
        "y = if c then { t = h(x); yield t; } else x;",
        rest="",
    )
    + "graph h { @input { a: real; } @output { b: real; } @compose { b = math.neg(a); } }\n",
    "omitted default": net(
        "y = op(x, ~, x);",
        rest="operator op { @input { x: real[s..]; by: real[] = 0.5; z: optional real[s..]; } @output { y: real[s..]; }"
        " @lower { y[i..] = x[i..] + by[] + (z[i..] ?? 0.0), i < s; } }\n",
    ),
    "null resolved": net("t = flag ? x; y = t ?? x;"),
    "default that is not null": net(
        "[y, z] = layout.split{axis=0, sizes=[1, 1]}(x); [v, w] = layout.split{axis=0, count=2}(x);",
        outputs="y: real[1,3]; z: real[1,3]; v: real[1,3]; w: real[1,3];",
    ),
    "tensors of different rank to choose from": net(
        "t = flag ? x : z; y = math.add(t, x); u = (n == 2 ? z : x); v = flag ? 0.0 : x; w = op(v, z);",
        inputs="x: real[2,3]; z: real[2];",
        outputs="y: real[2,3]; u: real; w: real[2];",
        rest="operator op { @input { v: real[]; z: real[n]; } @output { y: real[n]; }"
        " @lower { y[i,] = v[] * z[i,], i < n; } }\n",
    ),
    "carried condition": net(
        "y, ~ = with s = x, go = true while go do { t = math.neg(s); g = math.lt(k, 3); yield t, g; };"
    ),
    "attribute of extents": net("y = layout.reshape{shape=[x.shape[0] * 3]}(x);", outputs="y: real[6];"),
    "narrower type passed on": net(
        "y = op(x);",
        rest="operator op { @dtype { T: num; } @input { x: T[s..]; } @output { y: T[s..]; }"
        " @compose { y = keep(x); } }\n"
        "operator keep { @dtype { T: arith; } @input { x: T[s..]; } @output { y: T[s..]; }"
        " @lower { y[i..] = x[i..], i < s; } }\n",
    ),
    "own type named": net(
        "y = op(x);",
        rest="operator op { @dtype { T: num; } @input { x: T[s..]; } @output { y: T[s..]; }"
        " @compose { z = layout.cast<T>(x); y = math.neg<T>(z); } }\n",
    ),
    "update of a variable by a branch": net(
        "y = math.add(x, w);",
        blocks="@variable { w: real[2,3]; } @update { t = math.neg(w); w = if c then t else { yield x; }; }",
    ),
    "two invocations, two shapes": net(
        "a = layout.flatten(x); b = layout.flatten(z); u = math.neg(a); y = math.add(x, 1.0); v = math.neg(b);",
        inputs="x: real[2,3]; z: real[4,5];",
        outputs="y: real[2,3]; u: real[6]; v: real[20];",
    ),
    "scoped variable of an operator": net(
        "y = first: dense(x);",
        rest="operator dense { @input { x: real[b,c]; } @variable { w: real[b,c]; } @output { y: real[b,c]; }"
        " @compose { y = math.add(x, w); } }\n",
        blocks=f"@quantize {{ net.first.w: {MINMAX}; net.y: {MINMAX}; }}",
    ),
    "scope passed through an operator of one invocation": net(
        "u = wrap(x); y = math.neg(u);",
        rest="operator dense { @input { x: real[b,c]; } @variable { w: real[b,c]; } @output { y: real[b,c]; }"
        " @compose { y = math.add(x, w); } }\n"
        "operator wrap { @input { x: real[s..]; } @output { y: real[s..]; } @compose { y = dense(x); } }\n",
        blocks=f"@quantize {{ u.w: {MINMAX}; }}",
    ),
}


@pytest.mark.parametrize("text", VALID.values(), ids=VALID.keys())
def test_valid(text: str):
    files = {"main.sknd": text}
    assert not found(text), shown(check(files), files)


INVALID = {
    "scalar among tensors": (net("y = math.sum_n([x, 1.0]);"), "pack-ranks-differ"),
    "ranks of scanned tensors": (
        net("ys = for v : [x, z] do math.neg(v);", inputs="x: real[2]; z: real[2,1];", outputs="ys: real[2]..(2);"),
        "pack-ranks-differ",
    ),
    "results of the third branch": (
        net("y = if flag then x elif c then { yield x, x; } else x;"),
        "branch-results",
    ),
    "condition with two results": (net("y = if math.moments(x) then x else x;"), "condition-type"),
    "packed condition": (net("y = if [true, false] then x else x;"), "condition-type"),
    "labels of dynamic branches": (net("y = if c then l: math.neg(x) else l: math.abs(x);"), "duplicate-label"),
    "count of a bool": (net("y = with s = x do..(flag) math.neg(s);"), "loop-count"),
    "count beyond the packs": (
        net("ys..(4) = for v : xs do..(4) math.neg(v);", outputs="ys: real[2,3]..(4);"),
        "scan-lengths",
    ),
    "length of scan outputs": (
        net("ys..(4) = for v : xs do math.neg(v);", outputs="ys: real[2,3]..(4);"),
        "length-mismatch",
    ),
    "pack from every iteration": (
        net(
            "ys = for v : xs do { a..(2) = layout.split{axis=0, count=2}(v); yield a; };",
            outputs="ys: real[1,3]..(3);",
        ),
        "unexpected-pack",
    ),
    "wider type passed on": (
        net(
            "y = op(x);",
            rest="operator op { @dtype { T: type; } @input { x: T[s..]; } @output { y: T[s..]; }"
            " @compose { y = math.neg(x); } }\n",
        ),
        "generic-outside-base",
    ),
    "abstract type given": (net("y = math.neg<num>(x);"), "generic-outside-base"),
    "items of an attribute": (
        net("y = layout.transpose{perm=[1.0, 0.0]}(x);", outputs="y: real[3,2];"),
        "type-mismatch",
    ),
    "length of an attribute": (
        net("y = nn.conv{stride=[1, 1, 1]}(x, f);", inputs="x: real[1,2,5,5]; f: real[3,2,1,1];", outputs="y: real;"),
        "length-mismatch",
    ),
    "list without enough tensors": (
        net("[a, b.., d, e, f] = layout.split{axis=1, count=3}(x); y = layout.concat{axis=1}([a, b.., d, e, f]);"),
        "length-mismatch",
    ),
    "unzipped odd number": (
        net("[(a, b)..(2)] = layout.split{axis=1, count=3}(x); y = layout.concat{axis=1}([a.., b..]);"),
        "length-mismatch",
    ),
    "null to an operator": (net("t = flag ? x; y = math.neg(t);"), "null-not-allowed"),
    "null in a branch": (net("t = flag ? x; y = if c then t else x;"), "null-not-allowed"),
    "null attribute": (
        operator("y = nn.max_pool{size=o}(x);", head="@attrib { o: optional int..(d); }").join(["import nn;\n", ""])
        + "graph net { @input { x: real[2]; } @output { y: real[2]; } @compose { y = op(x); } }\n",
        "null-not-allowed",
    ),
    "yield before yield": (net("y = { yield x; yield x; };"), "yield-not-last"),
    "condition without yield": (net("y = if { ~ = math.neg(x); } then x else x;"), "missing-yield"),
    "default that is null": (
        net("[y, z] = layout.split{axis=0}(x);", outputs="y: real[1,3]; z: real[1,3];"),
        "missing-attribute",
    ),
    "pack that must not be empty": (
        net(
            "y = op([]);",
            rest="operator op { @input { xs: real[m,n]..(k + 1); } @output { y: real[k]; } }\n",
            outputs="y: real;",
        ),
        "length-mismatch",
    ),
    "literal for a generic type": (
        net(
            "y = op(x);",
            rest="operator op { @dtype { T: num; } @input { x: T[s..]; } @output { y: T[s..]; }"
            " @compose { y = math.mul(x, 2.0); } }\n",
        ),
        "generic-conflict",
    ),
    "branches with packs of different length": (
        net("ys = if c then xs else [x, x]; y = ys[0];"),
        "branch-types",
    ),
    "shape inside of an operator": (
        net(
            "y = op(x);",
            rest="operator op { @input { x: real[b,c]; } @variable { w: real[c,c+1]; } @output { y: real[b,c]; }"
            " @compose { y = nn.linear(x, w); } }\n",
        ),
        "argument-shape",
    ),
    "nothing composed": (net(""), "output-not-assigned"),
    "second label unknown": (
        net("y = first: math.neg(x);", blocks=f"@quantize {{ second.y: {MINMAX}; }}"),
        "unknown-quantized-tensor",
    ),
    "quantized type": (
        net("y = math.neg(x);", blocks=f"@quantize {{ k: {MINMAX}; }}"),
        "type-mismatch",
    ),
    "shapes of two invocations": (
        net(
            "a = layout.transpose(x); y = math.add(x, 1.0); z = op(x, a);",
            outputs="y: real[2,3]; z: real[2,3];",
            rest=(
                "operator op { @input { x: real[m,n]; z: real[m,n]; } @output { y: real[m,n]; }"
                " @lower { y[i,j] = x[i,j] + z[i,j], i < m, j < n; } }\n"
            ),
        )
        .replace("layout.transpose(x)", "flip(x)")
        .replace(
            "graph net",
            (
                "operator flip { @input { x: real[m,n]; } @output { y: real[n,m]; }"
                " @lower { y[j,i] = x[i,j], i < m, j < n; } }\ngraph net"
            ),
        ),
        "argument-shape",
    ),
}


@pytest.mark.parametrize(("text", "rule"), INVALID.values(), ids=INVALID.keys())
def test_invalid(text: str, rule: str):
    files = {"main.sknd": text}
    assert found(text) == [rule], shown(check(files), files)


def test_mistakes_do_not_hide_each_other_and_do_not_spread():
    text = net(
        "a = math.neg(x, x); b = math.add(a); z = nosuch(b); y = if c then math.abs(z) else layout.cast<int>(z);"
    )
    assert found(text) == ["too-many-arguments", "missing-argument", "unknown-operator"]


def test_both_places_are_shown():
    text = net("y = math.add(x, k);")
    (item,) = [each for each in check({"main.sknd": text})["main.sknd"] if each.severity is Severity.ERROR]
    assert "'real'" in item.message
    assert "'int'" in item.message
    assert [related.location.path for related in item.related] == ["main.sknd", "snd:math"]


def test_the_colon_of_an_attribute_is_repaired():
    files = {"main.sknd": net("y = math.sum_reduce{axes : [0]}(x);", outputs="y: real[1,3];")}
    (item,) = [each for each in check(files)["main.sknd"] if each.severity is Severity.ERROR]
    assert item.fix is not None
    assert item.fix.safe
    after = fixed(files, item)
    assert "{axes=[0]}" in after["main.sknd"]
    assert found(after["main.sknd"]) == []


# ---- recursion over definitions and modules --------------------------------------------------------------------------
def _calls(name: str, called: str) -> str:
    return operator(f"y = {called}(x);").replace("operator op", f"operator {name}")


def test_a_cycle_is_reported_once_at_its_first_definition_with_the_chain():
    text = _calls("outer", "a") + _calls("a", "b") + _calls("b", "c") + _calls("c", "a")
    diagnostics = check({"operators.sknd": text})["operators.sknd"]
    assert [item.rule for item in diagnostics] == ["recursive-operator"]
    assert "a → b → c → a" in diagnostics[0].message
    assert text.count("\n", 0, diagnostics[0].location.span.start) == 1


def test_a_cycle_over_two_modules_is_reported_once():
    files = {
        "a.sknd": "import b;\n" + _calls("f", "b.g"),
        "b.sknd": "import a;\n" + _calls("g", "a.f"),
    }
    rules = {path: [item.rule for item in items if "recursive" in item.rule] for path, items in check(files).items()}
    assert rules == {"a.sknd": ["recursive-operator"], "b.sknd": []}


# ---- what others may know of a definition ----------------------------------------------------------------------------
LIBRARY = """\
operator first {
    @attrib { a: int = 1; }
    @input { x: real[n]; }
    @output { y: real[n]; }
    @assert { a > 0; }
    @lower { y[i,] = x[i,], i < n; }
}
operator second {
    @input { x: real[n]; }
    @output { y: real[n]; }
    @compose { y = first(x); }
}
"""


@pytest.fixture
def checks(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """How often each definition was checked."""
    counts: Counter[str] = Counter()
    original = workspace_module.check_definition

    def counting(definition, *rest):
        counts[definition.name.text] += 1
        return original(definition, *rest)

    monkeypatch.setattr(workspace_module, "check_definition", counting)
    return counts


def _opened() -> Workspace:
    workspace = Workspace(MemoryReader({}))
    workspace.open("ops.sknd", LIBRARY)
    workspace.snapshot().diagnostics("ops.sknd")
    return workspace


def _edited(workspace: Workspace, before: str, after: str) -> None:
    text = workspace.snapshot().source("ops.sknd").text
    assert before in text
    workspace.open("ops.sknd", text.replace(before, after))
    fresh = Workspace(MemoryReader({"ops.sknd": text.replace(before, after)})).snapshot()
    assert workspace.snapshot().diagnostics("ops.sknd") == fresh.diagnostics("ops.sknd")


def test_an_edit_of_a_body_checks_that_body_only(checks: Counter[str]):
    workspace = _opened()
    checks.clear()
    text = LIBRARY.replace("y[i,] = x[i,]", "y[i,] = -x[i,]")
    workspace.open("ops.sknd", text)
    workspace.snapshot().diagnostics("ops.sknd")
    assert checks == {"first": 1}


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("a: int = 1", "a: int"),
        (
            "x: real[n]; }\n    @output { y: real[n]; }\n    @assert",
            "x: int[n]; }\n    @output { y: real[n]; }\n    @assert",
        ),
        ("y: real[n]; }\n    @assert", "y: real[n,n]; }\n    @assert"),
        ("a > 0", "a > 1"),
        ("operator first", "public operator first"),
    ],
)
def test_an_edit_of_a_signature_checks_those_that_invoke_it(checks: Counter[str], before: str, after: str):
    workspace = _opened()
    checks.clear()
    workspace.open("ops.sknd", LIBRARY.replace(before, after))
    workspace.snapshot().diagnostics("ops.sknd")
    assert checks == {"first": 1, "second": 1}


def test_white_space_in_a_signature_checks_nobody_else(checks: Counter[str]):
    workspace = _opened()
    checks.clear()
    workspace.open("ops.sknd", LIBRARY.replace("a: int = 1;", "a :  int=1; # one"))
    workspace.snapshot().diagnostics("ops.sknd")
    assert checks == {"first": 1}


def test_a_body_that_closes_a_cycle_is_noticed():
    _edited(_opened(), "@lower { y[i,] = x[i,], i < n; }", "@compose { y = second(x); }")


def test_edits_give_what_a_fresh_start_gives():
    workspace = _opened()
    for before, after in (
        ("a: int = 1", "a: int"),
        ("@compose { y = first(x); }", "@compose { y = first{a=2}(x); }"),
        (
            "x: real[n]; }\n    @output { y: real[n]; }\n    @assert",
            "x: int[n]; }\n    @output { y: real[n]; }\n    @assert",
        ),
        ("operator first", "operator other"),
    ):
        _edited(workspace, before, after)


def test_fingerprints_tell_literals_of_equal_value_apart():
    def of(text: str):
        workspace = Workspace(MemoryReader({"ops.sknd": text}))
        definition = workspace.snapshot().definition(OperatorName("ops.sknd", "first"))
        assert definition is not None
        return fingerprint(definition)

    assert of(LIBRARY) == of(LIBRARY.replace("y[i,] = x", "y[i,] = -x").replace(" a: int", "\n\n  a:  int"))
    assert of(LIBRARY) != of(LIBRARY.replace("= 1;", "= 1.0;"))
    assert of(LIBRARY) != of(LIBRARY.replace("= 1;", "= true;"))
