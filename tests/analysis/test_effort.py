"""Checking many of a kind takes time in proportion to how many there are."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from snd_analysis.ide import TokenType
from snd_analysis.ide.semantic_tokens import semantic_tokens
from support.effort import growth_of
from support.memory import snapshot_of

LAST = "@output { y: int[]; } @lower { y[] = 0; } }"
GRAPH = "graph g { @input { x: real[2]; } @output { y: real[2]; } @compose { y = (x);"


def _repeated(text: str, count: int, between: str = " ") -> str:
    return between.join(text.replace("#", str(at)) for at in range(count))


PROGRAMS: dict[str, Callable[[int], str]] = {
    "missing names": lambda n: f"operator f {{ @using {{ {_repeated('a# = b#;', n)} }} {LAST}",
    "items": lambda n: f"operator f {{ @using {{ a = [{_repeated('1', 8 * n, ',')}]; }} {LAST}",
    "inputs": lambda n: f"operator f {{ @input {{ {_repeated('x#: real[n];', n)} }} {LAST}",
    "extents": lambda n: f"operator f {{ @input {{ x: real[{_repeated('n#', n, ',')}]; }} {LAST}",
    "names that quantize nothing": lambda n: f"{GRAPH} }} @quantize {{ {_repeated('x#: f;', n)} }} }}",
    "samples": lambda n: f"{_repeated('# >>> f(1)', n, chr(10))}\noperator f {{ @input {{ x: int[]; }} {LAST}",
    "operators that are missing": lambda n: f"{GRAPH} {_repeated('a# = f#(x);', n)} }} }}",
}


@pytest.mark.parametrize("kind", PROGRAMS)
def test_four_times_as_many(kind: str):
    def check(count: int) -> None:
        for _ in snapshot_of({"model.sknd": PROGRAMS[kind](count)}).diagnostics("model.sknd"):
            pass

    assert growth_of(check, 200) < 6


def test_colours_of_what_could_not_be_read():
    def colour(count: int) -> None:
        snapshot = snapshot_of({"model.sknd": f"operator f {{ @using {{ a = 1; {_repeated('a a;', count)} }} {LAST}"})
        assert sum(token.type is TokenType.HELPER for token in semantic_tokens(snapshot, "model.sknd")) > count

    assert growth_of(colour, 200) < 6


def test_what_is_meant_is_guessed_for_the_first_names_that_are_missing():
    text = f"operator f {{ @using {{ {_repeated('value# = valueq#;', 100)} }} {LAST}\n"
    found = [
        each
        for each in snapshot_of({"model.sknd": text}).diagnostics("model.sknd")
        if each.rule.name == "undefined-name"
    ]
    assert len(found) == 100
    assert ["did you mean" in each.message for each in found] == [0 < at < 64 for at in range(100)]
