"""Any text gives a tree, and the tree covers all of it (invariant 2)."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from snd_analysis.skriptnd.syntax import documentation, parse_file
from support.analysis.tree_checks import check
from support.analysis.trees import EXAMPLES, LIBRARY, VALID
from support.sampling import examples

PROGRAMS = [*LIBRARY, *VALID, *EXAMPLES]
WORDS = [
    "operator",
    "graph",
    "public",
    "import",
    "version 2.0;",
    "@attrib",
    "@input",
    "@output",
    "@compose",
    "@lower",
    "@using",
    "@assert",
    "@bogus",
    "if",
    "then",
    "elif",
    "else",
    "do",
    "for",
    "while",
    "with",
    "yield",
    "unroll",
    "is",
    "in",
    "int",
    "real",
    "optional",
    "x",
    "y1",
    "_",
    "é",
    "42",
    "1.5e3",
    "1.",
    ".5",
    "0x1",
    "1e",
    '"s{x}"',
    '"',
    "'",
    '"a\n"',
    "{",
    "}",
    "(",
    ")",
    "[",
    "]",
    ";",
    ",",
    ":",
    ".",
    "..",
    "...",
    "=",
    "==",
    "+=",
    ":=",
    "+",
    "-",
    "*",
    "**",
    "<",
    ">",
    "<?",
    ">?",
    "<-",
    "<>",
    "->",
    "=>",
    "|",
    "||",
    "&&",
    "^",
    "~",
    "?",
    "??",
    "!",
    "#c",
    "\n",
    "\r\n",
    "\n}\n",
    "operator f {",
    "\x00",
    "\ufeff",
    "\x0c",
    "\u2028",
    "\ud800",
    "$",
    "\\",
]


@st.composite
def token_soup(draw: st.DrawFn) -> str:
    words = draw(st.lists(st.sampled_from(WORDS), max_size=60))
    return draw(st.sampled_from(["", " "])).join(words)


@st.composite
def damaged_programs(draw: st.DrawFn) -> str:
    text = draw(st.sampled_from(VALID)).read_text(encoding="utf-8")
    for _ in range(draw(st.integers(1, 6))):
        start = draw(st.integers(0, len(text)))
        end = start + draw(st.integers(0, 5))
        text = text[:start] + draw(st.sampled_from(["", *WORDS])) + text[end:]
    return text


@pytest.mark.parametrize("file", PROGRAMS, ids=lambda file: file.name)
def test_valid_programs_have_no_problem(file: Path) -> None:
    tree = check(file.read_bytes().decode("utf-8"))
    assert list(tree.problems) == []


@settings(max_examples=examples(120), deadline=None)
@given(st.text(max_size=200))
@example("//")
def test_any_text(text: str) -> None:
    check(text)


@settings(max_examples=examples(250), deadline=None)
@given(token_soup())
def test_any_tokens(text: str) -> None:
    check(text)


@settings(max_examples=examples(150), deadline=None)
@given(damaged_programs())
def test_damaged_programs(text: str) -> None:
    check(text)


def test_a_chunk_per_definition_and_one_for_the_comment_above_it() -> None:
    text = "import a;\n\n# one\n# two\noperator f { }\n# three\npublic operator g { } graph h { }\n"
    tree = parse_file(text)
    assert [placed.chunk.text for placed in tree.chunks] == [
        "import a;\n\n",
        "# one\n# two\n",
        "operator f { }\n",
        "# three\n",
        "public operator g { } graph h { }\n",
    ]
    assert [placed.chunk.is_comment for placed in tree.chunks] == [False, True, False, True, False]
    assert [(start, item.name.text) for start, item in tree.definitions] == [(23, "f"), (46, "g"), (46, "h")]


def test_an_edit_of_a_comment_leaves_the_definition_below_as_it_is() -> None:
    before = parse_file("# one\noperator f { }\n# two\noperator g { }\n")
    after = parse_file("# one more\noperator f { }\n# two\noperator g { }\n", before)
    assert [item for _, item in after.definitions] == [item for _, item in before.definitions]
    assert [start for start, _ in after.definitions] == [11, 32]


@pytest.mark.parametrize("line_break", ["\n", "\r\n", "\r"])
def test_documentation_is_the_comment_block_right_above(line_break: str) -> None:
    text = line_break.join(["# far", "", "# first", "#second", "  #  third", "operator f { }", ""])
    tree = parse_file(text)
    ((start, definition),) = tree.definitions
    assert documentation(text, start + definition.start) == "first\nsecond\n third"
    assert [text[span.start : span.end] for span in tree.comments] == ["# far", "# first", "#second", "#  third"]


def test_no_documentation_through_a_blank_line_or_code() -> None:
    tree = parse_file("# not this\n\noperator f { } # nor this\noperator g { }\n")
    for start, definition in tree.definitions:
        assert documentation(tree.text, start + definition.start) == ""
