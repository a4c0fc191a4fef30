"""Values beside the code, from the edit to the hint that a client shows: it asks when it is told to."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import count
from typing import Any

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from support.benchmarks.wire import PULLS, Wire

MAIN = "untitled:main"
REFRESH = "workspace/inlayHint/refresh"
REFRESHES: dict[str, Any] = {**PULLS, "workspace": {"inlayHint": {"refreshSupport": True}}}
IN_SIGHT = {"start": {"line": 0, "character": 0}, "end": {"line": 60, "character": 0}}
GRAPH = """import math;

# >>> net([1.0, 2.0])
graph net {
    @input { x: real[2]; }
    @output { y: real[2]; }
    @compose {
        a = math.add(x, 1.0);
        b = math.mul(a, 2.0);
        y = math.neg(b);
    }
}
"""
OPERATOR = """# >>> scale([1.0, 2.0])
operator scale {
    @input { x: real[n]; }
    @output { y: real[n]; }
    @lower { y[i,] = x[i,] * 2.0, i < n; }
}
"""


@pytest.fixture
def wire() -> Iterator[Wire]:
    wire = Wire()
    wire.initialize(REFRESHES)
    yield wire
    wire.close()


def shown(wire: Wire) -> list[str]:
    """The hints of the lines that an editor shows."""
    found = wire.request("textDocument/inlayHint", {"textDocument": {"uri": MAIN}, "range": IN_SIGHT})
    return ["".join(part["value"] for part in hint["label"]) for hint in found]


def wait(wire: Wire, value: str) -> None:
    """Until a hint shows a value as fresh."""
    told = wire.received[REFRESH]
    while not any(value in hint and "stale" not in hint for hint in shown(wire)):
        if wire.received[REFRESH] == told:
            wire.notified(REFRESH)
        told = wire.received[REFRESH]


def replace_number(
    benchmark: BenchmarkFixture, wire: Wire, text: str, expected: Callable[[int], str], rounds: int
) -> None:  # fmt: skip
    """Replace the 1000 of the text again and again, until the value expected for the number is shown."""
    line = text[: text.index("1000")].count("\n")
    start = text.split("\n")[line].index("1000")
    numbers = count(1001)

    def edit() -> None:
        number = next(numbers)
        wire.edit(MAIN, line, start, start + 4, str(number))
        wait(wire, expected(number))

    benchmark.pedantic(edit, rounds=rounds, warmup_rounds=2)


@pytest.mark.budget(0.250)
def test_edit_to_value_of_a_sample(benchmark: BenchmarkFixture, wire: Wire) -> None:
    """120 of the 250 ms are the pause that detects that nobody types."""
    text = OPERATOR.replace("2.0,", "1000.0,")
    wire.open(MAIN, text)
    wait(wire, "[1000.0, 2000.0]")
    replace_number(benchmark, wire, text, lambda number: f"= [{number}.0, ", 12)


@pytest.mark.budget(0.250)
def test_edit_to_value_beside_a_statement(benchmark: BenchmarkFixture, wire: Wire) -> None:
    text = GRAPH.replace("(a, 2.0)", "(a, 1000.0)")
    wire.open(MAIN, text)
    wait(wire, "= [2000.0, 3000.0]")
    replace_number(benchmark, wire, text, lambda number: f"= [{2 * number}.0, ", 12)


@pytest.mark.budget(1.000)
def test_edit_to_value_in_a_long_graph(benchmark: BenchmarkFixture, wire: Wire) -> None:
    """A thousand statements, each with its value; the edit is at the first."""
    lines = [f"        t{at} = math.add(t{at - 1}, 1.0);" for at in range(1, 1_000)]
    body = "\n".join(["        t0 = math.mul(x, 1000.0);", *lines, "        y = math.neg(t999);"])
    text = "import math;\n\n# >>> net([1.0, 2.0])\ngraph net {\n    @input { x: real[2]; }\n"
    text += f"    @output {{ y: real[2]; }}\n    @compose {{\n{body}\n    }}\n}}\n"
    wire.open(MAIN, text)
    wire.request("workspace/executeCommand", {"command": "snd.evaluateGraph", "arguments": [MAIN, "net"]})
    wait(wire, "= [1000.0, 2000.0]")
    replace_number(benchmark, wire, text, lambda number: f"= [{number}.0, ", 5)


@pytest.mark.budget(1.500)
@pytest.mark.parametrize("text", [OPERATOR, GRAPH], ids=["sample", "graph"])
def test_open_to_first_value(benchmark: BenchmarkFixture, text: str) -> None:
    """From opening a document to its first value: the process begins to start when the document opens."""
    wires: list[Wire] = []

    def prepare() -> None:
        while wires:
            wires.pop().close()
        wires.append(Wire())
        wires[0].initialize(REFRESHES)

    def first() -> None:
        wires[0].open(MAIN, text)
        wait(wires[0], "= [")

    benchmark.pedantic(first, setup=prepare, rounds=5, warmup_rounds=1)
    wires.pop().close()
