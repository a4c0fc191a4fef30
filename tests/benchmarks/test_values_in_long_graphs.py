"""Questions about a graph of 5,000 statements right after an edit, with all that is shown of values by default."""

from __future__ import annotations

import time
from collections.abc import Iterator
from itertools import cycle
from typing import Any

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from support.benchmarks.programs import chain
from support.benchmarks.wire import Wire

MAIN = "untitled:main"
STATEMENTS = 5_000
IN_SIGHT = 50
"""Lines that an editor shows."""
PAUSE_SECONDS = 0.4
"""Pause between two edits, so that work in pauses happens outside the measurement."""


def additions(count: int) -> str:
    """A graph that is evaluated, by a sample."""
    lines = "".join(f"        t{at} = math.add(t{at - 1}, x);\n" for at in range(1, count))
    return (
        "import math;\n\n# >>> net([1.0, 2.0])\ngraph net {\n    @input { x: real[2]; }\n    @output { y: real[2]; }\n"
        f"    @compose {{\n        t0 = math.add(x, x);\n{lines}        y = math.neg(t{count - 1});\n    }}\n}}\n"
    )


GRAPHS = {"convolutions": chain(STATEMENTS), "additions": additions(STATEMENTS)}


@pytest.fixture(params=GRAPHS)
def text(request: pytest.FixtureRequest) -> str:
    return GRAPHS[request.param]


@pytest.fixture
def wire(text: str) -> Iterator[Wire]:
    wire = Wire()
    wire.initialize()
    wire.open(MAIN, text)
    wire.diagnostics(MAIN)
    if "# >>>" in text:  # its values are there
        document, code = {"uri": MAIN}, {"code": "# >>> net([1.0, 2.0])", "occurrence": 0}
        wire.request("snd/evaluate", {"textDocument": document, "sample": code, "timeout": 60})
        arguments = [MAIN, "net"]
        wire.request("workspace/executeCommand", {"command": "snd.evaluateGraph", "arguments": arguments})
    time.sleep(3)
    yield wire
    wire.close()


def statement(text: str) -> int:
    """The line of a statement at two thirds of the text."""
    lines = text.split("\n")
    return next(at for at in range(len(lines) * 2 // 3, len(lines)) if "(" in lines[at])


def ask(wire: Wire, method: str, line: int) -> Any:
    document = {"textDocument": {"uri": MAIN}}
    if method in ("hover", "completion"):
        return wire.at(f"textDocument/{method}", MAIN, line, 9)
    if method == "inlayHint":
        ends = [{"line": each, "character": 0} for each in (line - IN_SIGHT // 2, line + IN_SIGHT // 2)]
        document["range"] = {"start": ends[0], "end": ends[1]}
    return wire.request(f"textDocument/{method}", document)


@pytest.mark.budget(0.030)
@pytest.mark.parametrize("method", ["hover", "inlayHint", "completion", "codeLens", "diagnostic"])
def test_question_after_a_blank(benchmark: BenchmarkFixture, wire: Wire, text: str, method: str) -> None:
    """Budget: 10 ms for questions, and for an edit to its diagnostics; graphs of this size are nowhere excepted."""
    line = statement(text)
    edits = cycle([(8, 8, " "), (8, 9, "")])

    def edit() -> None:
        time.sleep(PAUSE_SECONDS)
        wire.edit(MAIN, line, *next(edits))

    def question() -> Any:
        return ask(wire, method, line)

    edit()
    assert question()
    benchmark.pedantic(question, setup=edit, rounds=8, warmup_rounds=2)


@pytest.mark.budget(0.020)
def test_hints_in_sight(benchmark: BenchmarkFixture, wire: Wire, text: str) -> None:
    """Hints in sight, again and again while the user scrolls: their cost depends on the visible part, not the graph."""
    benchmark.pedantic(ask, (wire, "inlayHint", statement(text)), rounds=20, warmup_rounds=2)
