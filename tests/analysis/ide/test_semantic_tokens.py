"""Every name of the library and the examples has a semantic token; broken statements keep the tokens of their names."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

import pytest

from snd_analysis.base import Span
from snd_analysis.ide import Modifier, SemanticToken, TokenType
from snd_analysis.ide.semantic_tokens import semantic_tokens
from snd_analysis.skriptnd.names import library_modules
from snd_analysis.skriptnd.syntax import tokenize
from support.memory import read_program, snapshot_of

ROOT = Path(__file__).parents[3]
EXAMPLES = [path for path in sorted(ROOT.glob("examples/*")) if path.name != "broken"]

TEXT = """version 2.0;
import math;

# Moves rows.
# >>> shift{by=1}([[1.0, 2.0]])
operator shift {
    @dtype { T: num = real; }
    @attrib { by: int = 1; }
    @input { x: T[b, n]; }
    @using { m = n - by; text = "{m} of \\{ {x.shape} '"; }
    @constant { one: real[] = 1.0; }
    @variable { w: T[m]; }
    @output { y: T[b, m]; }
    @lower { y[i, j] = T(sqrt(2.0)) * x[i, j] * w[j,], i < b, j < m; }
}

# snd: ignore[unused-symbol] as it should be
graph main {
    @input { a: real[4, 8]; }
    @output { r: real[4, ~]; }
    @compose {
        t = moved: shift{by=2}(a);
        r = if true then math.neg(t) else t;
    }
}
"""


def _shown(text: str, tokens: list[SemanticToken]) -> str:
    lines = []
    for token in tokens:
        modifiers = "".join(f" +{each}" for each in sorted(token.modifiers))
        lines.append(f"{text[token.span.start : token.span.end]!r:40} {token.type}{modifiers}")
    return "\n".join(lines) + "\n"


def test_tokens_are_those_of_the_golden(golden: Callable[[str, str], None]):
    snapshot = snapshot_of({"main.sknd": TEXT})
    golden("semantic_tokens.txt", _shown(TEXT, semantic_tokens(snapshot, "main.sknd")))


def _assert_sound(files: dict[str, str], path: str) -> None:
    snapshot = snapshot_of(files)
    text = snapshot.source(path).text
    found = semantic_tokens(snapshot, path)
    end = 0
    for token in found:
        assert end <= token.span.start < token.span.end
        end = token.span.end
    starts = {token.span.start for token in found}
    for token in tokenize(text).tokens:
        if token.kind == "ID":
            assert token.start in starts, text[token.start : token.end]
    chance = random.Random(path)
    for _ in range(5):
        start = chance.randrange(len(text))
        part = Span(start, min(len(text), start + 500))
        expected = [token for token in found if token.span.start < part.end and part.start < token.span.end]
        assert semantic_tokens(snapshot, path, part) == expected


@pytest.mark.parametrize("module", library_modules())
def test_every_identifier_of_the_library_has_a_meaning(module: str):
    _assert_sound({}, f"snd:{module}")


@pytest.mark.parametrize("program", EXAMPLES, ids=lambda path: path.stem)
def test_every_identifier_of_the_examples_has_a_meaning(program: Path):
    files = read_program(program)
    for path in files:
        _assert_sound(files, path)


def test_what_stands_for_nothing_has_no_token():
    text = "operator f {\n    @input { x: real[n]; }\n    @output { y: real[missing]; }\n}\n"
    snapshot = snapshot_of({"a.sknd": text})
    assert "missing" not in [text[each.span.start : each.span.end] for each in semantic_tokens(snapshot, "a.sknd")]


def test_names_keep_their_meaning_in_a_statement_that_is_broken():
    broken = TEXT.replace("shift{by=2}(a);", "= math.neg(a t;")
    found = semantic_tokens(snapshot_of({"main.sknd": broken}), "main.sknd")
    here = broken.index("= math.neg(a t")
    types = {broken[each.span.start : each.span.end]: each.type for each in found if here < each.span.start < here + 20}
    assert {name: types.get(name) for name in ("math", "neg", "a", "t")} == {
        "math": TokenType.MODULE,
        "neg": TokenType.OPERATOR,
        "a": TokenType.INPUT,
        "t": None,  # it is what the broken statement would declare
    }


def test_damage_does_no_harm():
    chance = random.Random(7)
    for _ in range(60):
        start = chance.randrange(len(TEXT))
        damaged = TEXT[:start] + chance.choice(["", '"', "{", ";", "'"]) + TEXT[start + chance.randrange(20) :]
        found = semantic_tokens(snapshot_of({"main.sknd": damaged}), "main.sknd")
        spans = [token.span for token in found]
        assert spans == sorted(spans)
        assert all(span.start < span.end <= len(damaged) for span in spans)


def test_library_and_own_names_differ():
    snapshot = snapshot_of({"main.sknd": TEXT})
    found = {TEXT[each.span.start : each.span.end]: each for each in semantic_tokens(snapshot, "main.sknd")}
    assert Modifier.DEFAULT_LIBRARY in found["neg"].modifiers
    assert Modifier.DEFAULT_LIBRARY not in found["shift"].modifiers
    assert found["shift"].type is TokenType.OPERATOR
    assert found["main"].type is TokenType.GRAPH
