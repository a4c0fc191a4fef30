"""How long composing takes: ``pytest tests/benchmarks/test_compose.py --benchmark-only``. The budgets are in DESIGN."""

from __future__ import annotations

from pathlib import Path

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from memory import MemoryReader, read_program, snapshot_of
from snd_analysis.compose.entry import Composition
from snd_analysis.names.symbols import OperatorName
from snd_analysis.source import Edit, Span
from snd_analysis.workspace import Workspace

EXAMPLES = sorted(path.parent for path in (Path(__file__).parents[2] / "examples").glob("*/expected.json"))


def chain(operations: int) -> str:
    """A graph of convolutions, activations and additions."""
    variables, statements, before = [], [], "x"
    for at in range(operations // 3):
        variables.append(f"        k{at}: real[64, 64, 3, 3];\n")
        statements.append(f"        c{at} = nn.conv{{stride=1, padding=1}}({before}, k{at});\n")
        statements.append(f"        r{at} = nn.relu(c{at});\n        a{at} = math.add(r{at}, x);\n")
        before = f"a{at}"
    return (
        "import nn, math;\n\ngraph net {\n    @input { x: real[1, 64, 56, 56]; }\n"
        f"    @output {{ y: real[1, 64, 56, 56]; }}\n    @variable {{\n{''.join(variables)}    }}\n"
        f"    @compose {{\n{''.join(statements)}        y = nn.relu({before});\n    }}\n}}\n"
    )


@pytest.mark.parametrize("path", EXAMPLES, ids=[path.name for path in EXAMPLES])
def test_example(benchmark: BenchmarkFixture, path: Path) -> None:
    files = read_program(path)
    graph = next(line.split()[1] for line in files["main.sknd"].splitlines() if line.startswith("graph "))

    def prepared() -> tuple[tuple[object, ...], dict[str, object]]:
        snapshot = snapshot_of(files)
        snapshot.unit(OperatorName("main.sknd", graph))
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
    snapshot.unit(name)
    composition = benchmark(lambda: snapshot.compose(name))
    assert not composition.failures
    assert len(composition.graph.operations) > operations * 0.99


def test_edit_of_one_line(benchmark: BenchmarkFixture) -> None:
    """A keystroke in a graph of 2,000 operations, until its diagnostics are there."""
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
