"""Time of running graphs: the first result from a cold plan, and later results.

Weights are random. A cold plan belongs to a composed graph that was never run; drawing the weights is part of it.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from time import perf_counter

import numpy as np
import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from snd_analysis.compose import Session
from snd_analysis.skriptnd.names import OperatorName
from snd_runtime.execution import Execution, StatefulGraph, bind_arrays
from snd_runtime.lowering.compiled import kernels
from support.benchmarks.models import MODELS, Model
from support.memory import snapshot_of

sys.path.append(str(Path(__file__).parents[1] / "runtime"))

from support.onnx_models.exported import Exported


@pytest.fixture(autouse=True)
def _compiled_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernels, "WORTH_COMPILING", 0)


BUDGETS_OF_FIRST = [pytest.param(m, marks=[pytest.mark.budget(m.first)] if m.first else [], id=m.graph) for m in MODELS]
BUDGETS_OF_LATER = [pytest.param(m, marks=[pytest.mark.budget(m.again)] if m.again else [], id=m.graph) for m in MODELS]


@pytest.mark.parametrize("model", BUDGETS_OF_FIRST)
def test_first_result(benchmark: BenchmarkFixture, model: Model) -> None:
    outputs = benchmark.pedantic(lambda graph: graph.run(model.inputs), setup=lambda: ((model.ready(),), {}), rounds=2)
    assert outputs


@pytest.mark.parametrize("model", BUDGETS_OF_LATER)
def test_repeated(benchmark: BenchmarkFixture, model: Model) -> None:
    graph, inputs = model.ready(), model.inputs
    for _ in range(2):  # repeated runs may be compiled
        graph.run(inputs)
    assert benchmark.pedantic(lambda: graph.run(inputs), rounds=3)


_OPERATIONS = 200


@pytest.mark.budget(50e-6 * _OPERATIONS)
@pytest.mark.parametrize("operator", ["math.neg", "nn.relu", "nn.sigmoid"])
def test_operations_on_a_single_number(benchmark: BenchmarkFixture, operator: str) -> None:
    """Overhead of 200 operations beyond NumPy, which is 50 µs for each."""
    statements = "".join(f"a{at} = {operator}(a{at - 1}); " for at in range(1, _OPERATIONS))
    text = f"a0 = {operator}(x); {statements} y = a{_OPERATIONS - 1};"
    blocks = f"@input {{ x: real[1]; }} @output {{ y: real[1]; }} @compose {{ {text} }}"
    program = f"import math, nn;\noperator net {{ {blocks} }}"
    session = Session(snapshot_of({"operators.sknd": program}))
    template = session.template(OperatorName("operators.sknd", "net"))
    assert template is not None
    x = np.zeros(1, np.float32)
    graph = StatefulGraph(session, bind_arrays(session, template, [x]), Execution())
    graph.run([x])
    assert benchmark.pedantic(lambda: graph.run([x]), rounds=5)


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.graph)
@pytest.mark.parametrize("threads", [1, 2])
def test_onnxruntime(benchmark: BenchmarkFixture, model: Model, threads: int, also: Callable[..., None]) -> None:
    """The same graph with the same weights in onnxruntime. Budget: snd takes 1.5 times as long as one thread."""
    graph, inputs = model.ready(), model.inputs
    for _ in range(2):  # repeated runs may be compiled
        graph.run(inputs)
    exported = Exported(graph.specialization, graph.variables, threads)
    judge, given = exported.session, exported.feed(inputs)
    judge.run(None, given)
    assert benchmark.pedantic(lambda: judge.run(None, given), rounds=5)
    if threads == 1:
        own = []
        for _ in range(5):
            started = perf_counter()
            graph.run(inputs)
            own.append(perf_counter() - started)
        also("snd itself", own, 1.5 * benchmark.stats.stats.median)
