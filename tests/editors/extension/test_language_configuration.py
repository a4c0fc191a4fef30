"""The language configuration, applied to lines by the regular expressions of JavaScript."""

from __future__ import annotations

import json
import shutil
import subprocess
from typing import Any

import pytest

from snd_analysis.skriptnd.names import LIBRARY_PREFIX, library_modules, library_text
from snd_analysis.skriptnd.syntax import tokenize
from support.editors.downloads import skip
from support.editors.packaged_extension import SOURCES
from support.waiting import FAR_SECONDS

CONFIGURATION = json.loads((SOURCES / "language-configuration.json").read_text("utf-8"))
COMMENT = {"indent": "none", "appendText": "# "}
CODE = {"indent": "none", "appendText": "# ... "}


def ask(*questions: dict[str, str]) -> list[Any]:
    """The answers to questions about lines."""
    if shutil.which("node") is None:
        skip("there is no node on PATH")
    done = subprocess.run(
        ["node", SOURCES / "test/configuration/apply.mjs"],
        input=json.dumps(questions),
        capture_output=True,
        text=True,
        timeout=FAR_SECONDS,
    )
    assert done.returncode == 0, done.stderr
    answers: list[Any] = json.loads(done.stdout)
    return answers


ENTERED: list[tuple[dict[str, str], dict[str, str] | None]] = [
    ({"before": "# Documentation"}, COMMENT),
    ({"before": "    # Documentation"}, COMMENT),
    ({"before": "# split ", "after": "here"}, COMMENT),
    # an empty line between paragraphs goes on, a second one ends the comment
    ({"before": "# ", "previous": "# text"}, COMMENT),
    ({"before": "#", "previous": "# "}, None),
    ({"before": "#", "previous": "x: int;"}, None),
    # samples: code goes on while a bracket or a list is open, then come results
    ({"before": "# >>> add([1.0, 2.0],"}, CODE),
    ({"before": "    # >>> add("}, CODE),
    ({"before": "# ...  [1.0],"}, CODE),
    ({"before": "# >>> add{axis=0,"}, CODE),
    ({"before": "# >>> add([1.0]", "after": ", [2.0])"}, CODE),
    ({"before": "# >>> add([1.0, 2.0])"}, COMMENT),
    ({"before": "# ...  [1.0])"}, COMMENT),
    ({"before": "# y: real[1] = [1.0]"}, COMMENT),
    ({"before": "# >>>> quoted ("}, COMMENT),
    # isolated markers, and comments behind code
    ({"before": "# snd: ignore[unused-symbol]"}, None),
    ({"before": "# region layers"}, None),
    ({"before": "# endregion"}, None),
    ({"before": "x: int;  # why"}, None),
    ({"before": 'x: str = "# no comment";'}, None),
    # blocks
    ({"before": "    @input {", "after": "}"}, {"indent": "indentOutdent"}),
    ({"before": "operator f {"}, None),
]
INDENTED = [
    ("operator f {", True, False),
    ("    @input {", True, False),
    ("    @input {  # of the layer", True, False),
    ("    @input { x: real[n]; }", False, False),
    ("        y = if c then {", True, False),
    ("        } else {", True, True),
    ("        };", False, True),
    ("    }", False, True),
    ("}", False, True),
    ("        y = nn.conv{stride=[2, 2]}(x);", False, False),
    ("        y = with h = f{a=1}(x) do {", True, False),
    ("        y = nn.conv{stride=[2, 2],", True, False),
    ("# operator f {", False, False),
    ('        a > 0: "an open {", a;', False, False),
    ('        a > 0: "\\{", a;', False, False),
    ("        a > 0: '{a}';", False, False),
    ('        "}";', False, False),
    ("        x: int;  # {", False, False),
]
"""Lines, whether what follows is deeper, and whether they stand less deep themselves."""


@pytest.fixture(scope="module")
def answers() -> list[Any]:
    """Return the answers for both tables: one process for all of their lines."""
    lines = [line for line, _, _ in INDENTED]
    return ask(
        *({"ask": "enter", **question} for question, _ in ENTERED),
        *({"ask": word, "line": line} for line in lines for word in ("indents", "outdents")),
    )


def test_enter(answers: list[Any]):
    assert [*zip((question for question, _ in ENTERED), answers, strict=False)] == ENTERED


def test_indentation(answers: list[Any]):
    found = iter(answers[len(ENTERED) :])
    assert [(line, next(found), next(found)) for line, _, _ in INDENTED] == INDENTED


def test_indentation_agrees_with_the_formatter():
    """In the library, what stands below an opening brace is deeper; what ends a statement opens nothing."""
    lines = [line for name in library_modules() for line in library_text(f"{LIBRARY_PREFIX}{name}").splitlines()]
    answers = ask(*({"ask": "indents", "line": line} for line in lines))
    deeper = 0
    for line, below, indents in zip(lines, lines[1:], answers, strict=False):
        opens = line.endswith("{") and not line.lstrip().startswith("#")
        assert indents or not opens, line
        if opens:
            deeper += 1
            assert _depth(below) == _depth(line) + 4, line
        if line.endswith(";") and not line.lstrip().startswith("#"):
            assert not indents, line
    assert deeper > 900


def _depth(line: str) -> int:
    return len(line) - len(line.lstrip(" "))


def test_words_are_names_blocks_and_numbers():
    line = "@lower y_1[i..] = nn.conv(x, 1.5e-3, 2..(n), ~)"
    assert ask({"ask": "words", "line": line}) == [["@lower", "y_1", "i", "nn", "conv", "x", "1.5e-3", "2", "n"]]


def test_words_are_those_of_the_lexer():
    text = library_text(f"{LIBRARY_PREFIX}linalg")
    code = "\n".join(line.partition("#")[0] for line in text.splitlines() if '"' not in line and "'" not in line)
    lexed = [
        code[token.start : token.end]
        for token in tokenize(code).tokens
        if code[token.start].isalnum() or code[token.start] in "_@"
    ]
    assert ask({"ask": "words", "line": code}) == [lexed]


def test_folding_markers():
    lines = ["# region weights", "    #region", "# endregion", "# regional", "x = region;"]
    assert ask(*({"ask": "folds", "line": line} for line in lines)) == ["start", "start", "end", None, None]


def test_brackets_are_closed_and_quotes_not_where_they_are_text():
    pairs = {pair["open"]: pair for pair in CONFIGURATION["autoClosingPairs"]}
    assert {opening: pair["close"] for opening, pair in pairs.items()} == {
        "{": "}", "[": "]", "(": ")", '"': '"', "'": "'", "`": "`",
    }  # fmt: skip
    assert all(set(pairs[quote]["notIn"]) == {"string", "comment"} for quote in "\"'")
    assert "comment" not in pairs["`"]["notIn"]
    assert CONFIGURATION["comments"] == {"lineComment": "#"}
