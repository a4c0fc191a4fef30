"""How long running graphs takes: the first result from a plan that is cold, and results after that.

Weights are random. A cold plan is that of a composed graph that was never run; drawing the weights is part of it.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from snd_analysis.compose import Session
from snd_analysis.skriptnd.names import OperatorName
from snd_runtime.execution import Execution, StatefulGraph, bind_arrays, value_of
from snd_runtime.lowering import kernels
from snd_runtime.lowering.lowered import Argument
from support.benchmarks.programs import ROOT
from support.memory import read_program, snapshot_of

sys.path.append(str(Path(__file__).parents[1] / "runtime"))

from support.onnx_models.exported import Exported


@dataclass(frozen=True)
class Model:
    """A graph of the examples, with inputs for it."""

    folder: str
    graph: str
    inputs: Sequence[Argument]
    attributes: dict[str, Any] = field(default_factory=dict)
    first: float | None = None
    """Seconds that the first result may take."""
    again: float | None = None

    def ready(self) -> tuple[StatefulGraph, Sequence[Argument]]:
        """The graph, composed anew."""
        session = Session(snapshot_of(read_program(ROOT / "examples" / self.folder)))
        template = session.template(OperatorName("main.sknd", self.graph))
        assert template is not None
        attributes = {name: value_of(value) for name, value in self.attributes.items()}
        specialization = bind_arrays(session, template, self.inputs, attributes)
        return StatefulGraph(session, specialization, Execution(compiles=True)), self.inputs


@pytest.fixture(autouse=True)
def _compiled_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernels, "WORTH_COMPILING", 0)


def _image(*shape: int) -> np.ndarray[Any, Any]:
    return np.random.default_rng(1).standard_normal(shape).astype(np.float32)


_TOKENS = np.zeros((1, 128), np.int64)
_STATES = [_image(2, 650), _image(2, 650)]
_LSTM = {"batch": 2}

MODELS = [
    Model("lenet", "LeNet5", [_image(1, 1, 32, 32)]),
    Model("alexnet", "AlexNet", [_image(1, 3, 224, 224)], first=1.0, again=0.25),
    Model("vgg16", "VGG16", [_image(1, 3, 224, 224)]),
    Model("resnet50", "ResNet50", [_image(1, 3, 224, 224)]),
    Model("mobilenet_v2", "MobileNetV2", [_image(1, 3, 224, 224)]),
    Model("unet", "UNet", [_image(1, 1, 188, 188)], {"size": 188}),
    Model("transformer", "TransformerEncoder", [_TOKENS, _TOKENS.copy(), _TOKENS == 0]),
    Model("lstm", "LanguageModel", [np.zeros((35, 2), np.int64), _STATES, _STATES], _LSTM),
    Model("lstm", "DynamicLanguageModel", [np.zeros((35, 2), np.int64), _STATES, _STATES], _LSTM),
    Model("detection", "Detection", [_image(1, 256, 64, 64)]),
]
BUDGETS_OF_FIRST = [pytest.param(m, marks=[pytest.mark.budget(m.first)] if m.first else [], id=m.graph) for m in MODELS]
BUDGETS_OF_LATER = [pytest.param(m, marks=[pytest.mark.budget(m.again)] if m.again else [], id=m.graph) for m in MODELS]


@pytest.mark.parametrize("model", BUDGETS_OF_FIRST)
def test_first_result(benchmark: BenchmarkFixture, model: Model) -> None:
    outputs = benchmark.pedantic(lambda graph, inputs: graph.run(inputs), setup=lambda: (model.ready(), {}), rounds=2)
    assert outputs


@pytest.mark.parametrize("model", BUDGETS_OF_LATER)
def test_repeated(benchmark: BenchmarkFixture, model: Model) -> None:
    graph, inputs = model.ready()
    for _ in range(2):  # what is run again may be compiled
        graph.run(inputs)
    assert benchmark.pedantic(lambda: graph.run(inputs), rounds=3)


_OPERATIONS = 200


@pytest.mark.budget(50e-6 * _OPERATIONS)
@pytest.mark.parametrize("operator", ["math.neg", "nn.relu", "nn.sigmoid"])
def test_operations_on_a_single_number(benchmark: BenchmarkFixture, operator: str) -> None:
    """What 200 operations cost beyond NumPy, which is 50 µs for each."""
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
    graph, inputs = model.ready()
    for _ in range(2):  # what is run again may be compiled
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
