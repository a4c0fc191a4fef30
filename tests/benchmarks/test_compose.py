"""Time of composing a graph from nothing, and after an edit."""

from __future__ import annotations

from pathlib import Path

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from snd_analysis.base import Edit, Span
from snd_analysis.compose import Composition
from snd_analysis.skriptnd.names import OperatorName
from snd_analysis.workspace import Workspace
from support.benchmarks.programs import EXAMPLES, chain
from support.memory import MemoryReader, read_program, snapshot_of


@pytest.mark.budget(0.100)
@pytest.mark.parametrize("path", EXAMPLES, ids=[path.name for path in EXAMPLES])
def test_example(benchmark: BenchmarkFixture, path: Path) -> None:
    """Part of the 300 ms from the start of a process to its first diagnostic: a third of them."""
    files = read_program(path)
    graph = next(line.split()[1] for line in files["main.sknd"].splitlines() if line.startswith("graph "))

    def prepared() -> tuple[tuple[object, ...], dict[str, object]]:
        snapshot = snapshot_of(files)
        snapshot.template(OperatorName("main.sknd", graph))
        return (snapshot,), {}

    composition = benchmark.pedantic(
        lambda snapshot: snapshot.compose(OperatorName("main.sknd", graph)), setup=prepared, rounds=3
    )
    assert isinstance(composition, Composition)
    assert not composition.failures


@pytest.mark.parametrize("operations", [2_000, 6_000])
def test_long_graph(benchmark: BenchmarkFixture, operations: int) -> None:
    snapshot = snapshot_of({"main.sknd": chain(operations)})
    name = OperatorName("main.sknd", "net")
    snapshot.template(name)
    composition = benchmark(lambda: snapshot.compose(name))
    assert not composition.failures
    assert len(composition.graph.operations) > operations * 0.99


@pytest.mark.budget(0.010)
def test_edit_of_one_line(benchmark: BenchmarkFixture) -> None:
    """Budget: 10 ms. A keystroke in a graph of 2,000 operations, until its diagnostics are there."""
    text = chain(2_000)
    workspace = Workspace(MemoryReader({"main.sknd": text}))
    workspace.open("main.sknd", text)
    workspace.snapshot().diagnostics("main.sknd")
    at = text.index("padding=1", len(text) * 3 // 4) + len("padding=")
    numbers = iter(range(1_000_000))

    def edit() -> None:
        workspace.edit("main.sknd", [Edit(Span(at, at + 1), "12"[next(numbers) % 2])])
        workspace.snapshot().diagnostics("main.sknd")

    benchmark.pedantic(edit, rounds=4)
