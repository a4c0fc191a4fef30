"""From a keystroke to the diagnostics of the file."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import cycle
from random import Random
from time import perf_counter

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from snd_analysis.base import Edit, Span
from snd_analysis.skriptnd.syntax import parse_file
from snd_analysis.workspace import Workspace
from support.benchmarks.programs import MODULES, chain, dependants
from support.memory import MemoryReader

STATEMENTS = 5_000
DEPENDANTS = 50
BODY = re.compile(r"@(?:lower|compose) \{[^=}]*= ")
"""Up to the right side of the first statement."""


def opened(text: str) -> Workspace:
    """A workspace with one file, ``main.sknd``, open and checked."""
    workspace = Workspace(MemoryReader({"main.sknd": text}))
    workspace.open("main.sknd", text)
    workspace.snapshot().diagnostics("main.sknd")
    return workspace


def typing(workspace: Workspace, at: int, letter: str) -> Callable[[], None]:
    """Type a letter, once, twice and so on up to seven times; after each, asks for the diagnostics.

    So the text is never one that was there a moment ago: what that costs is measured by itself.
    """
    lengths = cycle(range(1, 8))
    typed = 0

    def keystroke() -> None:
        nonlocal typed
        before, typed = typed, next(lengths) * len(letter)
        workspace.edit("main.sknd", [Edit(Span(at, at + before), letter * (typed // len(letter)))])
        workspace.snapshot().diagnostics("main.sknd")

    return keystroke


def in_the_middle(text: str, what: str) -> int:
    """The place behind ``what`` that is nearest to the middle of the text."""
    found = [at for at in range(len(text)) if text.startswith(what, at)]
    return min(found, key=lambda at: abs(at - len(text) // 2)) + len(what)


@pytest.mark.budget(0.010)
@pytest.mark.parametrize("letter", ["q", " ", "("])
@pytest.mark.parametrize("module", [name for name, text in MODULES.items() if BODY.search(text)])
def test_in_an_operator(benchmark: BenchmarkFixture, settle: Callable[[], None], module: str, letter: str) -> None:
    """Budget: an edit inside one operator to its diagnostics in 10 ms."""
    text = MODULES[module]
    places = [match.end() for match in BODY.finditer(text)]
    at = places[len(places) // 2]
    keystroke = typing(opened(text), at, letter)
    settle()
    benchmark.pedantic(keystroke, rounds=40, warmup_rounds=2)


@pytest.mark.budget(0.010)
@pytest.mark.parametrize("module", ["math", "nn", "layout", "image"])
def test_at_random_places(
    benchmark: BenchmarkFixture, settle: Callable[[], None], also: Callable[..., None], module: str
) -> None:
    """Budget: an edit of any statement to the diagnostics of the file in 10 ms, and next to nothing to take it back."""
    text = MODULES[module]
    places = Random(1).choices([match.start() for match in re.finditer(";", text)], k=60)
    workspace = opened(text)
    taken_back: list[float] = []
    settle()

    def keystroke(at: int) -> None:
        workspace.edit("main.sknd", [Edit(Span(at, at), "q")])
        workspace.snapshot().diagnostics("main.sknd")

    def place() -> tuple[tuple[int], dict[str, object]]:
        if workspace.snapshot().source("main.sknd").text != text:
            started = perf_counter()
            workspace.open("main.sknd", text)
            workspace.snapshot().diagnostics("main.sknd")
            taken_back.append(perf_counter() - started)
        return (places.pop(),), {}

    benchmark.pedantic(keystroke, setup=place, rounds=len(places))
    also("taken back", taken_back, 0.001)


@pytest.mark.budget(0.100)
def test_in_a_signature_with_50_dependants(benchmark: BenchmarkFixture, settle: Callable[[], None]) -> None:
    """Budget: an edit of a signature to the diagnostics of its dependants, over 50 files, in 100 ms."""
    files = dependants(DEPENDANTS)
    workspace = Workspace(MemoryReader(files))
    for path, text in files.items():
        workspace.open(path, text)
    at = files["base.sknd"].index("factor")
    names = cycle(["q", "", "v", " ", "z", "  "])  # no text is one that was there a moment ago
    typed = ""

    def keystroke() -> int:
        nonlocal typed
        before, typed = typed, next(names)
        workspace.edit("base.sknd", [Edit(Span(at, at + len(before)), typed)])
        snapshot = workspace.snapshot()
        return sum(len(snapshot.diagnostics(path)) for path in files)

    found = {keystroke(), keystroke()}
    assert min(found) == 0
    assert max(found) > DEPENDANTS
    settle()
    benchmark.pedantic(keystroke, rounds=10)


@pytest.mark.budget(0.190)
def test_open_5000_statements(benchmark: BenchmarkFixture, settle: Callable[[], None]) -> None:
    """Until the tree is there; the prototype took up to 190 ms."""
    text = chain(STATEMENTS)
    settle()
    assert not benchmark(lambda: list(parse_file(text).problems))


def test_open_5000_statements_to_diagnostics(benchmark: BenchmarkFixture, settle: Callable[[], None]) -> None:
    text = chain(STATEMENTS)
    settle()
    benchmark.pedantic(opened, args=(text,), rounds=3)


@pytest.mark.budget(0.005)
@pytest.mark.parametrize("place", [0.02, 0.5, 0.98])
@pytest.mark.parametrize("letter", ["q", "("])
def test_in_5000_statements_to_tree(
    benchmark: BenchmarkFixture, settle: Callable[[], None], place: float, letter: str
) -> None:
    """Budget: a keystroke to the tree and its syntax errors in 5 ms."""
    text = chain(STATEMENTS)
    at = text.index("(a", text.index("@compose") + int(len(text) * 0.6 * place)) + 1
    tree = parse_file(text)
    assert not list(tree.problems)  # it is read when somebody asks
    settle()
    problems = benchmark(lambda: list(parse_file(text[:at] + letter + text[at:], tree).problems))
    assert bool(problems) is (letter == "(")


@pytest.mark.budget(0.010)
@pytest.mark.parametrize("letter", ["q", "("])
def test_in_5000_statements_to_diagnostics(
    benchmark: BenchmarkFixture, settle: Callable[[], None], letter: str
) -> None:
    """Budget: an edit inside one operator to its diagnostics in 10 ms; graphs of this size are nowhere excepted."""
    text = chain(STATEMENTS)
    keystroke = typing(opened(text), in_the_middle(text, "nn.relu("), letter)
    settle()
    benchmark.pedantic(keystroke, rounds=6)
