"""One mistake gives one diagnostic: a token that is lost, doubled or replaced is reported once.

The suite tries a sample. The exceptions are mistakes that read like two, such as a brace that opens a superfluous
block.
"""

from __future__ import annotations

import random

import pytest

from snd_analysis.base import Diagnostic, Severity
from snd_analysis.skriptnd.syntax import Token, parse_file, tokenize
from support.analysis.trees import VALID
from support.memory import check
from support.sampling import tries

SAMPLE = tries(150, 250)
RIGHT = 0.93
LONGEST = 2500
PIECES = [")", "(", "]", "[", "{", "}", ";", ",", ":", "=", "<", "..", '"', "$", ".", "if", "x", "|"]
NESTING = 5_000
GRAPH = """\
graph net {{
    @input {{ x: real[4]; }}
    @output {{ y: real[4]; }}
    @compose {{
        y = {};
    }}
}}
"""


def damaged(text: str, token: Token, random_: random.Random) -> str:
    before, word, behind = text[: token.start], text[token.start : token.end], text[token.end :]
    piece = random_.choice(PIECES)
    return before + random_.choice(["", f"{word} {word}", piece, f"{piece} {word}"]) + behind


def errors(text: str) -> list[Diagnostic]:
    return [item for item in check({"main.sknd": text})["main.sknd"] if item.severity is Severity.ERROR]


def test_damage_of_a_token_is_told_once() -> None:
    random_ = random.Random(1)
    texts = [text for file in VALID if len(text := file.read_text(encoding="utf-8")) < LONGEST]
    broken = right = 0
    while broken < SAMPLE:
        text = random_.choice(texts)
        changed = damaged(text, random_.choice(tokenize(text).tokens), random_)
        if not list(parse_file(changed).problems):
            continue
        broken += 1
        right += len(errors(changed)) == 1
    assert right / broken >= RIGHT


@pytest.mark.parametrize(
    "nested",
    [
        "{ y = " * NESTING + "x" + "; yield y; }" * NESTING,
        "{\n y = " * NESTING + "x" + ";\n yield y;\n }" * NESTING,
        "if true then {\n y = " * NESTING + "x" + ";\n yield y;\n }\n else x" * NESTING,
        "(\n" * NESTING + "x" + ")\n" * NESTING,
        "f(" * NESTING + "x" + ")" * NESTING,
    ],
    ids=["blocks", "blocks over lines", "branches", "parentheses", "invocations"],
)
def test_deep_nesting_is_told_once(nested: str) -> None:
    assert [problem.rule.name for problem in parse_file(GRAPH.format(nested)).problems] == ["nesting-too-deep"]
