"""Hovers, signature help, colours and hints: of an operator of the library, and of a graph of 2,000 statements.

A snapshot is taken for every question, as a server does. Budgets: 10 ms each when everything is warm, 15 ms for the
colours of a file of 1,500 lines after a keystroke.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from random import Random

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from snd_analysis.base import Edit, Span
from snd_analysis.ide.hover import hover
from snd_analysis.ide.inlay_hints import inlay_hints
from snd_analysis.ide.semantic_tokens import semantic_tokens
from snd_analysis.ide.signature_help import signature_help
from snd_analysis.workspace import Workspace
from support.benchmarks.programs import MODULES, chain
from support.memory import MemoryReader

STATEMENTS = 2_000
SCREEN = 3_000
"""Characters that are seen at once."""

Settle = Callable[[], None]


@pytest.fixture(scope="module")
def graph() -> tuple[Workspace, str]:
    """A long graph, open and checked."""
    text = chain(STATEMENTS)
    workspace = Workspace(MemoryReader({"main.sknd": text}))
    workspace.open("main.sknd", text)
    workspace.snapshot().diagnostics("main.sknd")
    return workspace, text


@pytest.mark.budget(0.010)
@pytest.mark.parametrize("place", ["nn.conv{", "padding=1}", "k500)", "(c500"])
def test_hover_in_a_long_graph(
    graph: tuple[Workspace, str], place: str, benchmark: BenchmarkFixture, settle: Settle
) -> None:
    workspace, text = graph
    offset = text.index(place, text.index("c500 =")) + place.index(place.strip("(")[0])
    assert hover(workspace.snapshot(), "main.sknd", offset) is not None
    settle()
    benchmark(lambda: hover(workspace.snapshot(), "main.sknd", offset))


@pytest.mark.budget(0.010)
def test_signature_help_in_a_long_graph(
    graph: tuple[Workspace, str], benchmark: BenchmarkFixture, settle: Settle
) -> None:
    workspace, text = graph
    offset = text.index("padding=1}", text.index("c500 ="))
    assert signature_help(workspace.snapshot(), "main.sknd", offset) is not None
    settle()
    benchmark(lambda: signature_help(workspace.snapshot(), "main.sknd", offset))


@pytest.mark.budget(0.010)
def test_hints_of_a_screen_of_a_long_graph(
    graph: tuple[Workspace, str], benchmark: BenchmarkFixture, settle: Settle
) -> None:
    workspace, text = graph
    at = text.index("c500 =")
    assert inlay_hints(workspace.snapshot(), "main.sknd", Span(at, at + SCREEN))
    settle()
    benchmark(lambda: inlay_hints(workspace.snapshot(), "main.sknd", Span(at, at + SCREEN)))


@pytest.mark.budget(0.010)
def test_colours_of_a_screen_of_a_long_graph(
    graph: tuple[Workspace, str], benchmark: BenchmarkFixture, settle: Settle
) -> None:
    workspace, text = graph
    at = text.index("c500 =")
    settle()
    benchmark(lambda: semantic_tokens(workspace.snapshot(), "main.sknd", Span(at, at + SCREEN)))


@pytest.mark.budget(0.010)
@pytest.mark.parametrize("place", ["groups == 0 ? ic", "padding_align: str", "paddings / 2"])
def test_hover_in_the_library(place: str, benchmark: BenchmarkFixture, settle: Settle) -> None:
    workspace = Workspace(MemoryReader({}))
    offset = workspace.snapshot().source("snd:nn").text.index(place)
    assert hover(workspace.snapshot(), "snd:nn", offset) is not None
    settle()
    benchmark(lambda: hover(workspace.snapshot(), "snd:nn", offset))


@pytest.mark.budget(0.015)
def test_colours_after_a_keystroke(benchmark: BenchmarkFixture, settle: Settle) -> None:
    """Budget: semantic tokens after a keystroke in 15 ms."""
    text = MODULES["nn"]
    workspace = Workspace(MemoryReader({}))
    workspace.open("main.sknd", text)
    semantic_tokens(workspace.snapshot(), "main.sknd")
    places = iter(Random(1).sample([match.start() for match in re.finditer(";", text)], k=40))

    def type_somewhere() -> None:
        workspace.open("main.sknd", text)
        semantic_tokens(workspace.snapshot(), "main.sknd")
        at = next(places)
        workspace.edit("main.sknd", [Edit(Span(at, at), "q")])

    settle()
    benchmark.pedantic(lambda: semantic_tokens(workspace.snapshot(), "main.sknd"), setup=type_somewhere, rounds=30)
