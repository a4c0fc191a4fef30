"""The networks of the examples against onnxruntime, as `snd export` writes them, with the same weights."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from snd_analysis.compose import Session
from snd_analysis.skriptnd.names import OperatorName
from snd_runtime.execution import Execution, bind_arrays, execute, value_of
from support.memory import read_program, snapshot_of
from support.onnx_models.exported import Exported, flattened

EXAMPLES = Path(__file__).parents[3] / "examples"
RANDOM = np.random.default_rng(7)


def _image(*shape: int) -> Any:
    return RANDOM.standard_normal(shape).astype(np.float32)


TOKENS = RANDOM.integers(0, 1000, (2, 19))
WORDS = RANDOM.integers(0, 1000, (35, 2))
STATES = [_image(2, 650), _image(2, 650)]
MASK = np.arange(19) < np.array([[19], [11]])


@pytest.mark.parametrize(
    ("folder", "graph", "inputs", "attributes"),
    [
        ("lenet", "LeNet5", [_image(1, 1, 32, 32)], {}),
        pytest.param("alexnet", "AlexNet", [_image(1, 3, 224, 224)], {}, marks=pytest.mark.exhaustive),
        pytest.param("resnet50", "ResNet50", [_image(1, 3, 224, 224)], {}, marks=pytest.mark.exhaustive),
        ("mobilenet_v2", "MobileNetV2", [_image(1, 3, 224, 224)], {}),
        pytest.param("unet", "UNet", [_image(1, 1, 188, 188)], {"size": 188}, marks=pytest.mark.exhaustive),
        pytest.param("transformer", "TransformerEncoder", [TOKENS, TOKENS % 2, MASK], {}, marks=pytest.mark.exhaustive),
        pytest.param("vgg16", "VGG16", [_image(1, 3, 224, 224)], {}, marks=pytest.mark.exhaustive),
        ("lstm", "LanguageModel", [WORDS, STATES, STATES], {"batch": 2}),
        pytest.param(
            "lstm", "DynamicLanguageModel", [WORDS, STATES, STATES], {"batch": 2}, marks=pytest.mark.exhaustive
        ),
        pytest.param("detection", "Detection", [_image(1, 256, 64, 64)], {}, marks=pytest.mark.exhaustive),
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
    expected = Exported(specialization, outcome.variables).run(inputs)
    found = flattened(outcome.outputs)
    assert len(found) == len(expected)
    for at, (one, wanted) in enumerate(zip(found, expected, strict=True)):
        assert np.all(np.isfinite(one)), at
        if folder == "detection":  # boxes whose scores are equal but for rounding stand in either order
            one, wanted = np.sort(one, 0), np.sort(wanted, 0)
        scale = np.abs(wanted).max()
        np.testing.assert_allclose(one, wanted, rtol=2e-4, atol=2e-5 * scale, err_msg=str(at))
