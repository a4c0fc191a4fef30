"""Every construct of the grammar, and the tables made from it."""

from __future__ import annotations

import json

import pytest

from snd_analysis.skriptnd.syntax import END, keywords, nodes, parse, table, tokenize
from snd_analysis.skriptnd.syntax.build_table import build
from support.analysis.trees import EXAMPLES, LIBRARY, ROOT, VALID, outline

SYNTAX = ROOT / "analysis" / "snd_analysis" / "skriptnd" / "syntax"

BLOCKS = {
    "dtype": ["T: type", "T: arith = real", "T: U"],
    "attrib": [
        "a: int",
        "a: optional int",
        "a: T = 1",
        "a: dynamic int..",
        "a: dynamic optional int..(n)",
        "a: int..(2 * n|8)",
        "a: int..(static n)",
        "a: int..(~)",
        "a: str..(d) = ['x', 'y']",
        "a: real = int()",
    ],
    "input": [
        "x: real[]",
        "x: real[n]",
        "x: real[a, b..]",
        "x: real[a..(d)]",
        "x: real[..shape]..(n)",
        "x: real[s|16]",
        "x: real[(c ? n)..]",
        "x: real[~]",
        "x: real[~|8]..",
        "x: T^(r)[s..]",
        "x: optional real[n]",
        "x: real[static n]",
        "x: real",
    ],
    "constant": ["w: real[2] = [1.0, 2.0]", "w: real[n, m] = 1.0, i < n, j < m"],
    "using": [
        "a = 1",
        "a.. = b",
        "a..(2) = b",
        "[] = b",
        "[a, b..(3), (c, d)..] = e",
        "a = true || false",
        "a = inf + pi",
        "a = 1. + 1e5 + 007 + 1.5E-3",
        "a = [b, 1:2, :, 1:, :2, ::-1, 1::2, c..(3), (d, e)..(2), (f, g)]",
        "a = b[1:2][::-1][i] <- c",
        "a = b in c is d",
        "a = [1..(n)] == 2",
        "a = 'x' \"y{z}\" 'w'",
        "a = f(b, ~)",
        "a = f<int>{b=1, c=2}()",
        "a = T()",
        "a = int(b) + str()",
        "a = x.shape.rank",
        "a = !b ? -c : +d",
        "a = b ? ?c",
        "a = b ?? c",
        "a = (b)",
        "a = p + .. - q * ... == [1 ..(3)] := ..",
        "a = [b ..]",
        "a = [(b, c)]",
        "a = x[i,]",
        "a = |b|",
        "a = []",
    ],
    "assert": ["a", "a > 1: 'no'", "a: 'no' 'yes', b, 'c': d + 1", "a is b: 'x{a}'"],
    "lower": [
        "y[] = x[]",
        "y[i] = x[i]",
        "y[i, j..] += x[|i|, |j + 1 <> 0 : n|..]",
        "y[i,] *= 1, i < n",
        "y[i] &= a, i < n | c",
        "y[i] |= a | c > 1",
        "y[i] <?= a",
        "y[i] >?= a",
        "y[i] := a",
        "with z = 1, w = z: y[z] = w",
        "unroll..(k -> n) y[k][i] = x[k][i], i < n",
        "unroll..(k -> n) with z = k: y[k][i] = z",
        "y[i..] = x[|i < 0 : n|]",
        "y[i] == x",
    ],
    "compose": [
        "y = x",
        "y, ~ = f(x)",
        "[y, z..(2), (a, b)..(3)] = f(x)",
        "[] = f(x)",
        "y.. = f(x)",
        "y..(n) = f(x)",
        "y: real[n] = f(x)",
        "y: real[n]..(2), [z: T[], (a: real[1], b)..] = f(x)",
        "y = l: f(x)",
        "y = l: m.f<int>{a=1}(x, ~)",
        "y = { yield a; }",
        "y = l: { z = f(x); yield z, z; }",
        "y = {}",
        "y = if a then b else c",
        "y = if a(x) then { yield b; } elif c then l: f(x) else { yield d; }",
        "y = do f(x)",
        "y = do..(3) f(x)",
        "y = unroll..(i -> 3) { yield i; }",
        "y = do..(i ->) f(x) while c",
        "y = with a = b, c: real[1] = d for e : f, g : h while i do { yield j; }",
        "y = for a : b do f(a)",
        "y = with a = b while { yield c; } do f(a)",
        "y = a ? f(x) : b",
        "y = [a, b..]",
        "y = math.add{a: 1}(x)",
    ],
    "update": ["y = x"],
    "quantize": ["x: f", "a.b: m.f{c=1}", "x: f<int>{a=1}", "x: f(a)"],
}
DOCUMENTS = [
    "",
    "version 1;",
    "version 1.0; extension A; extension B C, D; import a; import b, c.d.e;",
    "operator f { }",
    "public graph g { @input { } @input { } }",
    "graph version { @using { version = extension; extension = 1; } }",
    "operator f { @variable { v: real[1]; } @output { y: real[1]; } }",
]
STATEMENTS = [(block, statement) for block, statements in BLOCKS.items() for statement in statements]


def program(block: str, statement: str) -> str:
    return f"operator f {{ @{block} {{ {statement}; }} }}"


def productions_of(text: str) -> set[int]:
    """Return the productions that a minimal automaton reduces until it accepts a text."""
    made = table()
    states, used = [made.starts["document"]], set()
    for kind in [*(token.kind for token in tokenize(text).tokens), END]:
        while (action := made.actions[states[-1]].get(kind)) is not None and action & 1:
            production = made.productions[action >> 1]
            used.add(action >> 1)
            del states[len(states) - production.length :]
            states.append(made.gotos[states[-1]][production.origin])
        if kind != END:
            assert action is not None, text
            states.append(action >> 1)
    return used


@pytest.mark.parametrize(("block", "statement"), STATEMENTS)
def test_statements(block: str, statement: str) -> None:
    parsed = parse(program(block, statement))
    assert parsed.problems == ()
    definition = parsed.document.items[0]
    assert [item.kind for item in definition.blocks] == [block]
    assert len(definition.blocks[0].entries) == 1
    assert not isinstance(definition.blocks[0].entries[0].statement, nodes.ErrorEntry)


@pytest.mark.parametrize("text", DOCUMENTS)
def test_documents(text: str) -> None:
    assert parse(text).problems == ()


def test_outlines(golden: object) -> None:
    """The trees of all statements; each line was read by a person."""
    lines = []
    for block, statement in STATEMENTS:
        entry = parse(program(block, statement)).document.items[0].blocks[0].entries[0]
        lines.append(f"@{block} {statement}\n    {outline(entry)}\n")
    golden("outlines.golden", "".join(lines))


def test_every_rule_is_used() -> None:
    texts = [*DOCUMENTS, *(program(block, statement) for block, statement in STATEMENTS)]
    texts.append("operator f { @using { a = f<int, T>(b); } }")
    used = {table().productions[number].origin for number in set().union(*map(productions_of, texts))}
    # Nodes made by recovery have rules too.
    assert {production.origin for production in table().productions} - used == {"error_item", "error_statement"}


@pytest.mark.parametrize("word", sorted(keywords()))
def test_keywords_are_no_names(word: str) -> None:
    problems = parse(program("attrib", f"{word}: int")).problems
    assert [problem.rule.name for problem in problems] == ["keyword-as-name"]
    assert f"'{word}'" in problems[0].message


@pytest.mark.parametrize(
    "word", ["shape", "rank", "size", "version", "extension", "floor", "operators", "_private", "a1"]
)
def test_other_words_are_names(word: str) -> None:
    assert parse(program("attrib", f"{word}: int = {word}")).problems == ()


def test_the_cached_table_is_that_of_the_grammar() -> None:
    cached = json.loads((SYNTAX / "grammar_table.json").read_text("utf-8"))
    built = json.loads(json.dumps(build((SYNTAX / "grammar.lark").read_text("utf-8"))))
    assert cached["hash"] == built["hash"], "the table is stale: run make grammar"
    # lark numbers states as its sets happen to be ordered, so that two tables of one grammar may differ in numbers.
    for key in ("actions", "gotos", "productions"):
        assert sorted(map(len, cached[key])) == sorted(map(len, built[key]))
    for key in ("token_pattern", "keywords", "literals"):
        assert cached[key] == built[key]


def test_lark_reads_the_same_programs() -> None:
    """The grammar is one that lark alone can use: no trick of the driver is needed to accept a valid program."""
    from lark import Lark

    lark = Lark((SYNTAX / "grammar.lark").read_text("utf-8"), parser="lalr", lexer="basic", start="document")
    for file in [*LIBRARY[:2], *VALID[::8], *EXAMPLES]:
        lark.parse(file.read_text(encoding="utf-8"))
