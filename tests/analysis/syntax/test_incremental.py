"""After any edits the tree is that of a fresh start, long blocks included (invariant 5)."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from snd_analysis.skriptnd.syntax import SyntaxTree, nodes, parse_file
from support.analysis.trees import LIBRARY, VALID, dump_file
from support.sampling import examples

PIECES = [
    "",
    "{",
    "}",
    "(",
    ")",
    "[",
    "]",
    ";",
    ",",
    '"',
    "'",
    "#",
    "\n",
    "\n\n",
    "\n}\n",
    "\r",
    " ",
    "@lower",
    "@lower {\n",
    "operator x {",
    "\noperator x {\n",
    "\npublic graph h {",
    "..",
    "<-",
    "|",
    "yield",
    "a",
    "$",
    "$$ é",
    "1e",
    ".5",
    "do",
    "x = f(y);",
    "x = f(y)",
    "\n        x = f(y);",
    "// c",
    "'a{b}'",
    "\\q",
    "<>",
    "not ",
    "return a;",
    "if",
    "(a) =",
    "{ a = b; yield a; };",
    "; i < n",
    ", i < n",
    "graph = f(x);",
    "x x",
]


def long_graph(count: int, style: int = 0) -> str:
    """A graph with a long @compose, in one of several ways to write statements."""
    statements = "".join(
        f"        t{at} = math.add{{a={at}}}(t{at - 1 if at else 'x'}, 's{{n}}');"
        + ("" if style == 1 and at % 5 == 4 else "  # c\n" if at % 7 == style else "\n")
        for at in range(count)
    )
    return (
        "import math;\n# what it does\ngraph g {\n    @input { x: real[2]; }\n    @output { y: real[2]; }\n"
        f"    @compose {{\n{statements}        y = t;\n    }}\n    @update {{ a = b; }}\n}}\n"
        "# doc\noperator f { @input { x: real[1]; } }\n"
    )


def long_block(count: int) -> str:
    lines = "".join(f"        a{at} = [b{at}, {at}.5 ..];\n" for at in range(count))
    return f"operator f {{\n    @using {{\n{lines}    }}\n    @assert {{ a0 > 1: 'no'; }}\n}}\n"


def long_formulas(count: int) -> str:
    lines = "".join(f"        y{at}[i,] = x[i,] * {at}.0, i < n;\n" for at in range(count))
    return f"operator f {{\n    @input {{ x: real[n]; }}\n    @lower {{\n{lines}    }}\n}}\n"


def edited(text: str, random_: random.Random) -> str:
    start = random_.randrange(len(text) + 1)
    end = min(start + random_.choice([0, 0, 0, 1, 1, 2, 6, 30]), len(text))
    return text[:start] + random_.choice(PIECES) + text[end:]


def check_edits(text: str, edits: int, random_: random.Random) -> SyntaxTree:
    tree = parse_file(text)
    for _ in range(edits):
        new = edited(text, random_)
        incremental, fresh = parse_file(new, tree), parse_file(new)
        assert dump_file(incremental) == dump_file(fresh), (text, new)
        assert list(incremental.problems) == list(fresh.problems)
        if len(list(fresh.problems)) < 6:
            text, tree = new, incremental
    return tree


@settings(max_examples=examples(25), deadline=None)
@given(st.sampled_from([*VALID, *LIBRARY[:3]]), st.integers(0, 2**32))
def test_random_edits_of_programs(file: object, seed: int) -> None:
    check_edits(file.read_text(encoding="utf-8"), 8, random.Random(seed))


@settings(max_examples=examples(25), deadline=None)
@given(st.sampled_from([long_graph(90), long_graph(70, 1), long_block(80), long_formulas(80)]), st.integers(0, 2**32))
def test_random_edits_of_long_blocks(text: str, seed: int) -> None:
    check_edits(text, 12, random.Random(seed))


def test_a_quote_far_below_one_that_misses_it() -> None:
    text = long_formulas(90).replace("* 29.0", "*' 29.0")
    changed = text.replace("y70[i,]", "y70[i,'")
    assert dump_file(parse_file(changed, parse_file(text))) == dump_file(parse_file(changed))


@pytest.mark.parametrize(("old", "new"), [("z(", "zn"), ("z(", "z"), ("=", ""), ("z", "q")])
def test_an_error_that_is_found_at_the_closing_brace_is_one(old: str, new: str) -> None:
    text = "graph net {\n    @compose { y = z(); tor }\n}\n"
    tree = parse_file(text)
    assert list(tree.problems)
    changed = text.replace(old, new)
    assert list(parse_file(changed, tree).problems) == list(parse_file(changed).problems)


def statement_nodes(tree: SyntaxTree) -> set[int]:
    return {
        id(entry.statement)
        for _, definition in tree.definitions
        for block in definition.blocks
        if isinstance(block, nodes.Block)
        for entry in block.entries
    }


@pytest.mark.parametrize("inserted", ["q", "(", "'", ";", "\n", " = "])
def test_an_edit_in_a_long_block_keeps_the_other_statements(inserted: str) -> None:
    text = long_graph(300)
    tree = parse_file(text)
    at = text.index("t150 =") + 3
    changed = parse_file(text[:at] + inserted + text[at:], tree)
    kept = statement_nodes(tree) & statement_nodes(changed)
    assert len(kept) >= 0.9 * len(statement_nodes(tree))


def test_a_chunk_that_did_not_change_is_the_same_object() -> None:
    text = "operator f { @using { a = 1; } }\noperator g { @using { a = 1; } }\n"
    tree = parse_file(text)
    changed = parse_file("import nn;\n" + text.replace("operator g", "operator  g"), tree)
    assert [placed.chunk is tree.chunks[0].chunk for placed in changed.chunks] == [False, True, False]
