"""The graphs of the examples, with inputs for them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from snd_analysis.compose import Session
from snd_analysis.skriptnd.names import OperatorName
from snd_runtime.execution import Execution, StatefulGraph, bind_arrays, value_of
from snd_runtime.lowering.lowered import Argument
from support.benchmarks.programs import ROOT
from support.memory import read_program, snapshot_of


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

    def ready(self, *, compiles: bool = True, variables: Mapping[str, Argument] | None = None) -> StatefulGraph:
        """Return the graph, composed anew; missing variables are drawn."""
        session = Session(snapshot_of(read_program(ROOT / "examples" / self.folder)))
        template = session.template(OperatorName("main.sknd", self.graph))
        assert template is not None
        attributes = {name: value_of(value) for name, value in self.attributes.items()}
        specialization = bind_arrays(session, template, self.inputs, attributes)
        return StatefulGraph(session, specialization, Execution(compiles=compiles, variables=variables or {}))


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
