"""Docstrings and comments are plain English: CONTRIBUTING.md ("Style") has the rules, ruff checks their form."""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FOLDERS = ("analysis", "runtime", "server", "tests")
OPENINGS = "What|Whether|Those|Which|How|Where|When|By|Of|Something|None"
PHRASES = (
    "of which|is to be|are to be|what is|comes? to|came to|stands? for|stood for|is told of|in the place of"
    "|nothing else than"
)
BROKEN = re.compile(rf"(?:{OPENINGS})\b|.*\b(?i:{PHRASES})\b")
_GAP = r"(?:\s|#)+"
_SUSPICIOUS = re.compile(rf'(?:"""|#)[\s-]*(?:{OPENINGS})\b|\b(?i:{PHRASES.replace(" ", _GAP)})\b')
"""A search that is faster than reading the syntax of a file; most files have no match."""


def docstrings(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Yield the docstrings of modules, classes, functions, fields and constants, with their lines."""
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        for each in body if isinstance(body, list) else ():
            match each:
                case ast.Expr(value=ast.Constant(value=str(text))):
                    yield each.lineno, " ".join(text.split())


def comments(text: str) -> Iterator[tuple[int, str]]:
    """Yield the comments with their lines. Lines of comments below each other are one comment."""
    lines: list[str] = []
    start, last = 0, (-1, -1)
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type != tokenize.COMMENT:
            continue
        row, column = token.start
        if (row - 1, column) != last:
            if lines:
                yield start, " ".join(lines)
            lines, start = [], row
        lines.append(token.string.strip("#- "))
        last = row, column
    if lines:
        yield start, " ".join(lines)


def broken(text: str) -> list[tuple[int, str]]:
    """Return the docstrings and comments of a file that break the rules, with their lines."""
    if _SUSPICIOUS.search(text) is None:
        return []
    return sorted(each for each in (*docstrings(ast.parse(text)), *comments(text)) if BROKEN.match(each[1]))


def findings() -> dict[str, list[tuple[int, str]]]:
    """Return the findings in all files that have any."""
    paths = sorted(path for folder in FOLDERS for path in (ROOT / folder).rglob("*.py"))
    found = {path.relative_to(ROOT).as_posix(): broken(path.read_text(encoding="utf-8")) for path in paths}
    return {path: each for path, each in found.items() if each}


def test_docstrings_and_comments_are_plain():
    assert findings() == {}


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ('"""What is left."""\n', [1]),
        ('x = 1\n"""How many there are."""\n', [2]),
        ("def f():\n    '''Return the items of which some are null.'''\n", [2]),
        ("# Where the name begins.\nx = 1\n", [1]),
        ("x = 1  # what is written\n", [1]),
        ("# The items, some of\n# which are null.\nx = 1\n", [1]),
        ("# ---- what is asked ----\nx = 1\n", [1]),
        ('"""The value."""\n# A name that no file has.\nx = "What is this? # It comes to 3"\n', []),
        ("x = 1  # Items of a pack\n# Which ones: see above.\ny = 2\n", [2]),
    ],
)
def test_the_test_itself(text: str, lines: list[int]):
    assert [line for line, _ in broken(text)] == lines
