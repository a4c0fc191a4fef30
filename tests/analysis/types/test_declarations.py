"""What definitions declare: each mistake is reported once, where it is; what the draft allows is silent."""

from __future__ import annotations

import pytest

from snd_analysis.skriptnd.lints import declarations as rules
from snd_analysis.skriptnd.lints.rule import Rule
from snd_analysis.skriptnd.types.binding_order import binding_order
from snd_analysis.workspace import Workspace
from support.memory import MemoryReader, check, snapshot_of

KEEP = "operator keep { @dtype { T: type; } @input { v: T[s..]; } @output { w: T[s..]; } }\n"


def definition(blocks: str, kind: str = "operator") -> str:
    """A definition of these blocks; an operator without formulas has any body."""
    output = "" if "@output" in blocks else "@output { out: real[2]; } "
    if kind == "operator":
        return f"operator op {{ {blocks} {output}}}"
    compose = "" if "@compose" in blocks else f"@compose {{ {'out' if output else 'y'} = keep(x); }} "
    return f"{KEEP}graph net {{ {blocks} {output}{compose}}}"


def found(text: str) -> list[tuple[str, str]]:
    """The errors in a main module: their rules and the text that they mark."""
    files = {"main.sknd": text}
    if "graph " not in text:
        files = {"module.sknd": text}
    (diagnostics,) = check(files).values()
    return [
        (item.rule, text[item.location.span.start : item.location.span.end])
        for item in diagnostics
        if item.severity == "error"
    ]


def expected(marked: str) -> tuple[str, str]:
    """The text without its marks, and what they mark."""
    before, _, rest = marked.partition("«")
    inside, _, after = rest.partition("»")
    return before + inside + after, inside


OPERATORS = [
    # 2.13, 2.3
    ("generic-base", "@dtype { T: «int»; } @input { x: T[n]; }"),
    ("generic-base", "@dtype { T: num; S: «T»; } @input { x: T[n]; y: S[n]; }"),
    ("generic-default", "@dtype { T: num; S: num = «T»; } @input { x: T[n]; y: S[n]; }"),
    ("generic-default", "@dtype { T: arith = «str»; } @input { x: T[n]; }"),
    ("generic-default", "@dtype { T: type = «arith»; } @input { x: T[n]; }"),
    ("abstract-type", "@attrib { a: «type»; }"),
    ("abstract-type", "@attrib { a: optional «num»..(2); }"),
    ("abstract-type", "@input { x: «arith»[n]; }"),
    ("abstract-type", "@output { out: «num»[2]; }"),
    ("abstract-type", "@constant { c: «num»[2] = 1; }"),
    ("abstract-type", "@variable { c: «num»[2]; }"),
    # 2.5 types
    ("tensor-attribute", "@attrib { a: int«[2]»; }"),
    ("tensor-attribute", "@attrib { a: int«[n]»; } @input { x: real[n]; }"),
    ("type-mismatch", "@attrib { a: int..(«'k'»); }"),
    ("type-mismatch", "@attrib { r: real; a: int..(«r»); }"),
    ("unexpected-pack", "@attrib { r: int..(2); a: int..(«r»); }"),
    ("tensor-in-expression", "@attrib { a: int..(«x»); } @input { x: int[]; }"),
    ("omitted-extent", "@attrib { a: int..(«~»); }"),
    # 2.5 defaults
    ("optional-default", "@attrib { a: optional int «= 1»; }"),
    ("optional-default", "@attrib { a: optional str..(2) «= 'u'»; }"),
    ("type-mismatch", "@attrib { a: int = «inf»; }"),
    ("type-mismatch", "@attrib { a: int = «-inf»; }"),
    ("type-mismatch", "@attrib { a: real = «1»; }"),
    ("type-mismatch", "@attrib { a: bool = «0»; }"),
    ("type-mismatch", "@attrib { a: str = «true»; }"),
    ("type-mismatch", "@attrib { a: real..(2) = «[1, 2]»; }"),
    ("type-mismatch", "@attrib { a: bool.. = [true, «1»]; }"),
    ("type-mismatch", "@dtype { T: num; } @attrib { a: T = «1»; }"),
    ("type-mismatch", "@attrib { b: real; a: int = «b»; }"),
    ("unexpected-pack", "@attrib { a: int = «[]»; }"),
    ("unexpected-pack", "@attrib { b: int..(k); a: int = «b + 1»; }"),
    ("length-mismatch", "@attrib { a: int..(0) = «[1]»; }"),
    ("length-mismatch", "@attrib { a: int..(2 * k) = «[1, 2, 3]»; }"),
    ("length-mismatch", "@attrib { a: int..(k + 1) = «[]»; }"),
    ("length-mismatch", "@attrib { a: int..(d) = «[0:d + 1]»; } @input { x: real[s..(d)]; }"),
    ("length-mismatch", "@attrib { a: int..(d) = «[s.., 0]»; } @input { x: real[s..(d)]; }"),
    ("uniform-default", "@attrib { a: int.. = «0»; }"),
    ("uniform-default", "@attrib { a: real..(k) = «0.5»; } @assert { k > 0; }"),
    ("tensor-in-expression", "@attrib { a: real = «x»; } @input { x: real[]; }"),
    ("illegal-index-bound", "@attrib { a: int..(4) = 2, «i < 4»; }"),
    ("circular-default", "@attrib { a: int = «a»; }"),
    ("circular-default", "@attrib { a: int = «b»; b: int = c; c: int = a + 1; }"),
    ("circular-default", "@attrib { c: int = a; a: int = «b»; b: int = a; }"),
    ("circular-default", "@attrib { a: int..(k) = «[0:k]»; }"),
    ("not-visible", "@attrib { a: int = «b»; } @using { b = 1; }"),
    ("illegal-rank-capture", "@attrib { a: int^(«r»); } @input { x: real^(r)[s..]; }"),
    # 2.6 shapes
    ("missing-shape", "@input { x: «real»; }"),
    ("missing-shape", "@input { x: optional «real»..; }"),
    ("missing-shape", "@output { y: «real»; }"),
    ("omitted-extent", "@input { x: real[n,«~»]; }"),
    ("omitted-extent", "@input { x: real[«~..»]; }"),
    ("type-mismatch", "@input { x: real[«1.5»]; }"),
    ("type-mismatch", "@input { x: real[«true»]; }"),
    ("type-mismatch", "@attrib { b: bool; } @input { x: real[«b»,n]; }"),
    ("type-mismatch", "@attrib { b: str; } @output { y: real[2 ..(«b»)]; }"),
    ("type-mismatch", "@input { x: real[n]..(«1.0»); }"),
    ("type-mismatch", "@dtype { T: num; } @attrib { n: T; } @input { x: T[«n»]; }"),
    ("tensor-in-expression", "@input { x: real[«x»]; }"),
    ("tensor-in-expression", "@input { n: int[]; x: real[«n»]; }"),
    ("extent-not-expanded", "@input { x: real[s..]; y: real[«s»]; }"),
    ("extent-not-expanded", "@attrib { a: int..; } @input { x: real[«a»,n]; }"),
    ("extent-not-expanded", "@input { x: real[s..]; } @output { y: real[«s + 1»]; }"),
    ("expansion-without-length", "@input { x: real[n]; y: real[«n..»]; }"),
    ("expansion-without-length", "@input { x: real[n]; } @output { y: real[«n..»]; }"),
    ("expansion-without-length", "@attrib { a: int; } @input { x: real[«a..»]; }"),
    ("length-mismatch", "@input { x: real[s..(d)]; y: real[«s..(d + 1)»]; }"),
    ("length-mismatch", "@attrib { a: int..(3); } @output { y: real[«a..(2)»]; }"),
    ("unexpected-pack", "@input { x: real[s..]; } @output { y: real[1 ..(«s»)]; }"),
    ("item-extent", "@input { x: real[n,«..t»]; }"),
    ("item-extent", "@input { xs: real[«..t..»]..; }"),
    ("item-extent", "@input { x: real[n]; } @output { ys: real[«..n»]..(2); }"),
    ("length-mismatch", "@attrib { sizes: int..(3); } @output { ys: real[«..sizes»]..(2); }"),
    ("length-mismatch", "@input { xs: real[..t]..(k); ys: real[«..t»]..(k + 1); }"),
    ("illegal-bound", "@input { x: real[n|«10»]; }"),
    ("illegal-bound", "@variable { w: real[2|«10»]; }"),
    # 2.6 inputs and outputs
    ("illegal-default", "@input { x: real[n] = «0.5»; }"),
    ("illegal-default", "@input { x: real[n]; b: real[m] = «0.5»; }"),
    ("illegal-default", "@input { x: optional real[n]; b: real[n] = «0.5»; }"),
    ("illegal-default", "@input { x: real[s..] = «0.5»; }"),
    ("optional-default", "@input { x: optional real[] «= 0.5»; }"),
    ("type-mismatch", "@input { x: real[] = «'u'»; }"),
    ("type-mismatch", "@input { x: int[]..(2) = «[0.5, 1.0]»; }"),
    ("unexpected-pack", "@input { x: int[] = «[1]»; }"),
    ("pack-expected", "@input { x: int[]..(2) = «1»; }"),
    ("length-mismatch", "@input { x: int[]..(2) = «[1]»; }"),
    ("null-not-allowed", "@attrib { a: optional int; } @input { x: int[] = «a»; }"),
    ("tensor-in-expression", "@input { x: int[]; y: int[] = «x»; }"),
    ("illegal-index-bound", "@input { x: int[] = 1, «i < 2»; }"),
    ("illegal-optional", "@output { y: «optional» real[2]; }"),
    ("illegal-default", "@output { y: real[] «= 0.5»; }"),
    ("illegal-rank-capture", "@input { x: real^(r)[s..]; } @output { y: real^(«r»)[s..]; }"),
    ("captured-ranks-differ", "@input { x: real^(r)[n]; z: real^(«r»)[n,m]; } @output { y: real[n]; }"),
    ("captured-ranks-differ", "@input { x: real^(«r»)[n..(r+1)]; } @output { y: real[]; }"),
    ("undefined-name", "@output { y: real^(«r»)[2]; }"),
    ("undefined-name", "@input { x: real[n]; } @output { y: real[n,«m»]; }"),
    ("unbounded-extent", "@output { y: real[«~»,2]; }"),
    ("type-mismatch", "@output { y: real[~|«2.5»]; }"),
    ("unexpected-pack", "@attrib { k: int..; } @output { y: real[~|«k»]; }"),
    ("bounds-differ", "@output { y: real[s|10]; z: real[s|«11»]; }"),
    ("bounds-differ", "@attrib { k: int; } @output { y: real[s|k]; z: real[s|«k + 1»]; }"),
    ("extent-not-expanded", "@output { y: real[s|10 ..(2)]; z: real[«s»]; }"),
    # 2.6.2
    ("ambiguous-shape", "@input { x: real[s..,«t..»]; }"),
    ("ambiguous-shape", "@input { x: real[n,s..,m,«t..(k)»,3]; }"),
    ("ambiguous-shape", "@attrib { d: optional int; } @input { x: real[s..(d),«t..»]; }"),
    ("ambiguous-shape", "@attrib { a: int..(d) = [1]; } @input { x: real[s..(d),«t..»]; }"),
    ("ambiguous-shape", "@attrib { r: int = k; k: int; } @input { x: real[s..(r),«t..»]; }"),
    ("ambiguous-shape", "@attrib { a: int..; } @input { x: real[a..,«t..»]; }"),
    ("ambiguous-shape", "@input { x: real[s..(d),«t..»]; y: optional real[s..(d)]; }"),
    ("ambiguous-shape", "@input { x: optional real[s..(d)]; y: optional real[s..(d),«t..»]; }"),
    ("ambiguous-shape", "@input { x: real[s..,«t..»]; y: real[s..,t..,u..]; }"),
    ("ambiguous-shape", "@input { x: real[s..(d),«t..(e)»]; y: real[t..(e),s..(d)]; }"),
    ("ambiguous-shape", "@attrib { a: int; } @input { x: real«[n / 2]»; y: optional real[n]; } @assert { a > 0; }"),
    # 2.7
    ("missing-shape", "@constant { c: «real» = 1.0; }"),
    ("missing-shape", "@variable { c: «real»..(2); }"),
    ("missing-value", "@constant { «c»: real[2]; }"),
    ("missing-length", "@constant { c: real[2]«..» = [1.0, 2.0]; }"),
    ("missing-length", "@variable { w: real[2]«..»; }"),
    ("omitted-extent", "@constant { c: real[«~»] = 1.0; }"),
    ("omitted-extent", "@variable { c: real[2,«~»]; }"),
    ("illegal-optional", "@constant { c: «optional» real[2] = 1.0; }"),
    ("illegal-optional", "@variable { c: «optional» real[2]; }"),
    ("illegal-default", "@variable { w: real[2] «= 1.0»; }"),
    ("undefined-name", "@variable { w: real[«n»]; }"),
    ("undefined-name", "@constant { w: real[2 * «n»] = 1.0; }"),
    ("extent-not-expanded", "@input { x: real[s..]; } @variable { w: real[«s»]; }"),
    ("type-mismatch", "@constant { c: real[2] = «1»; }"),
    ("type-mismatch", "@constant { c: int[2] = «[1.0, 2.0]»; }"),
    ("null-not-allowed", "@attrib { a: optional real; } @constant { c: real[2] = «a»; }"),
    ("tensor-in-expression", "@input { x: real[]; } @constant { c: real[] = «x»; }"),
    ("constant-values", "@constant { c: real[2,3] = «[1.0, 2.0]»; }"),
    ("constant-values", "@constant { c: real[] = «[1.0, 2.0]»; }"),
    ("constant-values", "@input { x: real[n]; } @constant { c: int[n,2] = «[0:2 * n + 1]»; }"),
    ("constant-values", "@constant { c: real[2,3]..(2) = «[1.0]»; }"),
    ("constant-values", "@attrib { k: int; w: real..(k); } @constant { c: real[k + 1] = «w»; }"),
    ("pack-expected", "@constant { c: real[2]..(2) = «1.0»; }"),
    ("unexpected-pack", "@constant { c: int[2] = «[i]», i < 2; }"),
    ("constant-indices", "@constant { c: int[2] = i + j, i < 2, «j < 2»; }"),
    ("constant-indices", "@constant { c: int[2,3] = i, «i < 2»; }"),
    ("constant-indices", "@constant { c: int[] = i, «i < 1»; }"),
    ("constant-indices", "@constant { c: int[2,3] = i + j, «i < 3», j < 2; }"),
    ("constant-indices", "@input { x: real[n]; } @constant { c: int[n] = i, «i < n + 1»; }"),
    ("constant-indices", "@constant { c: int[2]..(1) = 2, «i < 2»; }"),
    ("type-mismatch", "@constant { c: int[2] = i, i < «2.0»; }"),
    ("type-mismatch", "@constant { c: real[2] = «i», i < 2; }"),
    # 2.9
    ("type-mismatch", "@using { a = 1; b = [a, «1.5»]; }"),
    ("tensor-in-expression", "@input { x: real[]; } @using { a = «x»; }"),
    ("pack-expected", "@using { «a..» = 1; }"),
    ("length-mismatch", "@using { «a..(2)» = [1]; }"),
    ("length-mismatch", "@input { x: real[s..(k)]; } @using { «a..(k)» = [s.., 2]; }"),
    ("type-mismatch", "@using { a..(«'k'») = [1]; }"),
    ("unexpected-pack", "@input { x: real[s..]; } @using { a..(«s») = s; }"),
    ("pack-expected", "@using { [a, b] = «1»; }"),
    ("decomposition-mismatch", "@using { «[a, b]» = [1]; }"),
    ("decomposition-mismatch", "@using { «[a, b..]» = []; }"),
    ("decomposition-mismatch", "@using { «[a..(2), b]» = [1, 2]; }"),
    ("decomposition-mismatch", "@using { «[a..(2), b, c..]» = [1, 2]; }"),
    ("decomposition-mismatch", "@using { [«(a, b)..»] = [1, 2, 3]; }"),
    ("decomposition-mismatch", "@using { [c, «(a, b)..»] = [1, 2]; }"),
    ("decomposition-mismatch", "@using { «[(a, b)..(2)]» = [1, 2, 3]; }"),
    ("decomposition-mismatch", "@input { x: real[s..(2 * d + 1)]; } @using { [«(a, b)..»] = s; }"),
    ("ambiguous-decomposition", "@using { [a.., «b..»] = [1, 2]; }"),
    ("ambiguous-decomposition", "@using { [a.., «(b, c)..»] = [1, 2]; }"),
    ("not-visible", "@input { x: real[«m» + n]; y: real[n]; } @using { m = 1; }"),
    # 2.8
    ("type-mismatch", "@assert { «1»; }"),
    ("type-mismatch", "@attrib { a: optional str; } @assert { «a»; }"),
    ("type-mismatch", "@assert { «[1, 2]»: 'numbers'; }"),
    ("tensor-in-expression", "@input { c: bool[]; } @assert { «c»; }"),
    ("tensor-in-expression", "@input { x: real[]; } @assert { true: 'value', «x»; }"),
    ("tensor-in-expression", "@input { x: real[]; } @assert { true: 'value {«x»}'; }"),
    ("type-mismatch", "@assert { true: 'value', 'label': [1, «2.0»]; }"),
]

GRAPHS = [
    ("generic-without-default", "@dtype { «T»: num; } @input { x: T[2]; } @output { y: T[2]; }"),
    ("missing-shape", "@input { x: «real»; } @output { y: real; }"),
    ("unbounded-extent", "@input { x: real[«n»]; } @output { y: real[n]; }"),
    ("unbounded-extent", "@input { x: real[«n»,n]; } @output { y: real[n,n]; }"),
    ("unbounded-extent", "@input { x: real[«2 * n + 1»]; } @output { y: real[2 * n + 1]; }"),
    ("unbounded-extent", "@input { x: real[2,«~»]; } @output { y: real; }"),
    ("unbounded-extent", "@input { x: real[«s..»]; } @output { y: real[s..]; }"),
    ("unbounded-extent", "@input { x: real[«s|10 ..»]; } @output { y: real[s..]; }"),
    ("unbounded-extent", "@input { x: real[«s|10 ..(d)»]; } @output { y: real[s..]; }"),
    ("unbounded-extent", "@input { x: real[«s..(3)»]; } @output { y: real[s..]; }"),
    ("unbounded-extent", "@input { x: real[«~..(3)»]; } @output { y: real; }"),
    ("unbounded-extent", "@input { x: real[«~|10 ..»]; } @output { y: real; }"),
    ("type-mismatch", "@input { x: real[~|«true»]; } @output { y: real; }"),
    ("bounds-differ", "@input { x: real[n|10]; z: real[n|«20»]; } @output { y: real[n]; }"),
    ("bounds-differ", "@input { x: real[n|10]; } @output { y: real[n|«20»]; }"),
    ("illegal-optional", "@input { x: real[2]; } @output { y: «optional» real; }"),
    ("constant-values", "@input { x: real[2]; } @constant { _c: real[2] = «[1.0]»; }"),
]


@pytest.mark.parametrize(("rule", "marked"), OPERATORS, ids=[text for _, text in OPERATORS])
def test_mistake_in_an_operator(rule, marked):
    text, where = expected(definition(marked))
    assert found(text) == [(rule, where)]


@pytest.mark.parametrize(("rule", "marked"), GRAPHS, ids=[text for _, text in GRAPHS])
def test_mistake_in_a_graph(rule, marked):
    text, where = expected(definition(marked, "graph"))
    assert found(text) == [(rule, where)]


VALID_OPERATORS = [
    "@dtype { T: type = str; S: arith = bool; R: num = real; }",
    "@attrib { a: real = inf; b: real = -inf; c: real = pi; d: int = int(); e: str = str(); }",
    "@attrib { a: int..; b: int.. = []; c: real.. = []; d: str..(k) = []; }",
    "@attrib { a: int..(2) = 1; b: int..(n) = 1; n: int; c: int..(n + 1) = 1; }",
    "@attrib { a: int..(k) = 1; b: int..(k); }",
    "@attrib { a: int..(d) = 1; } @input { x: optional real[s..(d)]; }",
    "@attrib { a: int..(2 * k) = [1, 2]; b: int..(k + 1) = [1]; }",
    "@attrib { a: optional int; b: int = a ?? 1; c: int..(k) = [0:a]; }",
    "@attrib { b: int..(a + ..); a: int..(3) = [1, 2, 3]; }",
    "@attrib { flag: bool; a: int..(flag) = [3]; }",
    "@attrib { a: int = x.rank; b: int.. = x.shape; c: int = x.shape * ..; } @input { x: real[s..]; }",
    "@attrib { a: int = n.size; } @input { n: real[2]..; }",
    "@attrib { a: int..(k) = [0:n]; n: int = k2; k2: int; }",
    "@dtype { T: num = real; } @attrib { a: T = T(); b: T..(3) = T(1); }",
    # A name that something other than the input at hand determines, whatever the order.
    "@input { x: real[n / 2]; y: real[n]; }",
    "@input { x: real[n, n / 2, 2 * n]; }",
    "@input { x: real[s..]; y: real[s[0], s..]; }",
    "@input { x: real[s..(y.rank - 1), t..]; y: real[u..]; }",
    "@input { x: real^(r)[s..(r - 1), t..]; }",
    "@input { x: real^(r)[s..(r / 2), t..]; }",
    "@attrib { axis: int; } @input { x: real[s..(axis), n, t..]; }",
    "@attrib { axis: int = 1; } @input { x: real[s..(axis), n..(axis), t..]; }",
    "@attrib { keep: bool; } @input { x: real[n..(keep), t..]; } @output { y: real[n, t..]; }",
    "@attrib { keep: bool; } @input { x: real[n..(keep), t..]; } @output { y: real[n..(keep), t..]; }",
    "@attrib { shape: int..; } @input { x: real[shape..]; }",
    "@attrib { shape: int..(2); } @input { x: real[shape..(2), t..]; }",
    "@attrib { n: optional int; } @input { x: real[n, s..]; } @output { y: real[s.., n]; }",
    "@input { x: real[n..(3)]; y: real[n..]; }",
    "@input { x: real[n]; y: real[n..(3)]; }",
    "@input { x: real[n]; y: real[n..(k)]; }",
    "@input { xs: real[n, ..t]..(k); ys: real[..t, ..u]..(k); } @output { zs: real[..t + u]..(k); }",
    "@input { xs: real[..2 * t + 1]..; } @output { ys: real[..t]..(xs.size); }",
    "@input { x: real[n]; w: optional real[m]; v: optional real[m, n]; } @output { y: real[n, m]; }",
    "@input { x: real[n]; zs: optional real[n]..(k); } @assert { k > 0; ?zs; }",
    "@input { x: real[static n]; }",
    "@input { x: real[n]; h: real[n] = 0.0; b: real[]..(2) = [0.5, 1.5]; c: real[]..(k) = []; d: real[1] = 1.0; }",
    "@attrib { v: real = 0.5; } @input { x: real[n]; b: real[] = 2.0 * v; }",
    "@attrib { k: int; } @input { x: real[n]; } @output { y: real[~|k <? n]; z: real[s|k, n]; w: int[s|k]; }",
    "@output { y: real[s|10]; z: real[s, 2 * s]; }",
    "@output { y: real[s|10 ..(2)]; z: real[s..]; w: real[~|10 ..(2)]; }",
    "@output { y: real[s|10]; z: real[s|5 + 5]; }",
    "@attrib { rows: int; } @output { y: real[rows > 0 ? rows, 2]; z: real[1 ..(rows), 2]; w: real[2 ..(rows > 1)]; }",
    "@constant { a: real[2,2] = [1.0, 2.0, 3.0, 4.0]; b: real[0] = []; c: real[1] = [1.0]; d: real[] = 1.0; }",
    "@constant { a: int[2,3] = 3 * i + j, i < 2, j < 3; b: int[2]..(2) = [1, 2]; c: bool[3] = i > 1, i < 3; }",
    "@attrib { w: real..; } @constant { a: real[2] = w; b: real[w[0] > 0.0 ? 2 : 3] = w; }",
    "@attrib { w: real..(k); } @constant { a: real[k] = w; }",
    "@input { x: real[s..]; } @constant { b: real[s..] = 0.5; c: int[s..] = [1, 2]; }",
    "@input { x: real[n,m]; } @constant { a: int[n,m] = i * m + j, i < n, j < m; b: int[n * m] = [0:n * m]; }",
    "@using { n = 3; } @variable { w: real[n]; v: real[n]..(n); } @constant { c: int[n] = [1, 2, 3]; }",
    "@variable { a: str[]; b: bool[2]; }",
    "@using { a..(3) = [1, 2, 3]; b.. = a; c..(2) = b[1:]; [d, e] = c; [f.., g] = a; [h, (k, l)..] = a; }",
    "@attrib { a: optional int..(3); } @using { [b, c..] = a; } @assert { b > 0 && c > 0; }",
    "@input { x: real[s..(2 * d)]; } @using { [(a, b)..] = s; c..(d) = a; [e..(d), f..] = s; g..(d) = f; }",
    "@input { x: real[s..]; } @using { a..(x.rank) = s; }",
    "@attrib { a: optional bool; } @assert { a; [true, a]: 'all'; true: 'u', a, 'label': [1]; true: '{[1, 2]}'; }",
    "@input { x: real[n]; } @output { y: real[n]; } @assert { x is y || true; y.shape == x.shape; ?x; }",
]

VALID_GRAPHS = [
    "@dtype { T: num = real; } @input { x: T[4]; } @output { y: T[4]; }",
    "@input { x: real[n|10, 2 * n]; z: real[n]; } @output { y: real[n|10, ~]; }",
    "@input { x: real[~|9, ~|20 ..(3)]; } @output { y: real[~, ~..]; z: real; } @compose { y = keep(x); z = keep(x); }",
    "@attrib { n: int = 3; s: int.. = [1, 2]; } @input { x: real[n, s.., 2 * n]; } @output { y: real; }",
    "@attrib { d: int = 2; } @input { x: real[s|10 ..(d)]; z: real[s..]; } @output { y: real; }",
    "@input { x: real[s|10 ..(2)]; z: real[s.., 3]; } @output { y: real; }",
    "@input { x: real[]; } @output { y: real[]; }",
]


@pytest.mark.parametrize("blocks", VALID_OPERATORS)
def test_valid_operator(blocks):
    assert found(definition(blocks)) == []


@pytest.mark.parametrize("blocks", VALID_GRAPHS)
def test_valid_graph(blocks):
    assert found(definition(blocks, "graph")) == []


def order(inputs: str, attributes: str = "") -> list[str]:
    """The names of inputs in their binding order."""
    snapshot = snapshot_of({"module.sknd": definition(f"@attrib {{ {attributes} }} @input {{ {inputs} }}")})
    node = snapshot.definitions("module.sknd")["op"].definition
    found_order = binding_order(node, snapshot.resolution("module.sknd", node))
    assert not found_order.obstacles
    return [parameter.name.text for parameter in found_order.inputs]


def test_binding_order_is_that_of_the_draft():
    attributes = "r: int; a: optional int; b: int..(d) = 0; c: int = 2 * d + r;"
    assert order("x: real[s..(r),z..(d),t..]; y: real[s..(r),z..(d)];", attributes) == ["y", "x"]


def test_inputs_keep_their_order_where_nothing_speaks_against_it():
    assert order("x: real[s..]; y: real[t..]; z: real[s..,n];") == ["x", "y", "z"]


def test_optional_inputs_are_bound_last_in_their_order():
    assert order("a: optional real[n]; x: real[n]; b: optional real[m]; y: real[m];") == ["x", "y", "a", "b"]


def test_each_round_starts_from_the_first_unbound_input():
    assert order("x: real[s..(a),t..(b),u..]; y: real[s..(a),t..(b)]; z: real[s..(a)];") == ["z", "y", "x"]


SUBGRAPHS = """
graph net {
    @input { c: bool[]; x: real[n|10]; }
    @output { y: real; }
    @compose { y = if c then part(x) else keep(x); }
}
graph part {
    @dtype { T: type; }
    @input { x: T[n]; }
    @output { y: T[~]; }
    @compose { y = keep(x); }
}
"""


def test_an_invoked_graph_may_leave_open_what_the_main_one_must_say():
    assert found(KEEP + SUBGRAPHS) == []
    alone = SUBGRAPHS.replace("part(x)", "keep(x)")
    assert found(KEEP + alone) == [("generic-without-default", "T"), ("unbounded-extent", "n")]


def test_what_one_graph_must_say_changes_with_the_others():
    workspace = Workspace(MemoryReader({"main.sknd": ""}))
    for text, count in ((SUBGRAPHS, 0), (SUBGRAPHS.replace("part(x)", "keep(x)"), 2), (SUBGRAPHS, 0)):
        workspace.open("main.sknd", KEEP + text)
        errors = [item for item in workspace.snapshot().diagnostics("main.sknd") if item.severity == "error"]
        assert len(errors) == count


def test_three_mistakes_in_one_definition_are_three_diagnostics():
    text = definition("@attrib { a: int = 1.5; b: int = c; } @input { x: real[s..]; y: real[s..(2), 3.0]; }")
    assert [rule for rule, _ in found(text)] == ["type-mismatch", "undefined-name", "type-mismatch"]


def test_messages_show_both_types_and_both_places():
    text = definition("@input { x: real[s..(d)]; y: real[s]; }")
    (item,) = check({"module.sknd": text})["module.sknd"]
    assert "'int..(d)'" in item.message
    (note,) = item.related
    assert text[note.location.span.start : note.location.span.end] == "s"
    assert note.location.span.start == text.index("s..(d)")


PAGES = [rule for rule in vars(rules).values() if isinstance(rule, Rule)]


@pytest.mark.parametrize("rule", PAGES, ids=[rule.name for rule in PAGES])
def test_every_rule_is_among_the_cases(rule):
    assert rule.name in {name for name, _ in (*OPERATORS, *GRAPHS)}
