"""The networks of the examples against onnxruntime, with the same weights."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from snd_analysis.compose import Session
from snd_analysis.skriptnd.names import OperatorName
from snd_runtime.execution import Execution, bind_arrays, execute, value_of
from support.memory import read_program, snapshot_of
from support.onnx_models.onnx_graphs import onnx_session

EXAMPLES = Path(__file__).parents[3] / "examples"
RANDOM = np.random.default_rng(7)


def _image(*shape: int) -> Any:
    return RANDOM.standard_normal(shape).astype(np.float32)


TOKENS = RANDOM.integers(0, 1000, (2, 19))
MASK = np.arange(19) < np.array([[19], [11]])


@pytest.mark.parametrize(
    ("folder", "graph", "inputs", "attributes"),
    [
        ("lenet", "LeNet5", [_image(1, 1, 32, 32)], {}),
        pytest.param("alexnet", "AlexNet", [_image(1, 3, 224, 224)], {}, marks=pytest.mark.exhaustive),
        pytest.param("resnet50", "ResNet50", [_image(1, 3, 224, 224)], {}, marks=pytest.mark.exhaustive),
        ("mobilenet_v2", "MobileNetV2", [_image(1, 3, 224, 224)], {}),
        pytest.param("unet", "UNet", [_image(1, 1, 188, 188)], {"size": 188}, marks=pytest.mark.exhaustive),
        ("transformer", "TransformerEncoder", [TOKENS, TOKENS % 2, MASK], {}),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_agrees_with_onnxruntime(folder: str, graph: str, inputs: list[Any], attributes: dict[str, Any]):
    session = Session(snapshot_of(read_program(EXAMPLES / folder)))
    template = session.template(OperatorName("main.sknd", graph))
    assert template is not None
    specialization = bind_arrays(
        session, template, inputs, {name: value_of(value) for name, value in attributes.items()}
    )
    outcome = execute(session, specialization, inputs, Execution(seed=3))
    judge = onnx_session(specialization, outcome.variables)
    expected = judge.run(None, {each.name: value for each, value in zip(judge.get_inputs(), inputs, strict=True)})
    for name, found, wanted in zip(outcome.outputs, outcome.outputs.values(), expected, strict=True):
        assert isinstance(found, np.ndarray)
        assert np.all(np.isfinite(found)), name
        scale = np.abs(wanted).max()
        np.testing.assert_allclose(found, wanted, rtol=2e-4, atol=2e-5 * scale, err_msg=name)
