"""The examples from end to end, dynamic ones at several sizes, and what does not change their results."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from snd_analysis.compose import Session, decompose
from snd_analysis.model import tensors_of
from snd_analysis.skriptnd.names import OperatorName
from snd_runtime.errors import EvaluationFailed
from snd_runtime.execution import Execution, RunResult, bind_arrays, execute, value_of
from snd_runtime.limits import Limits
from support.memory import read_program, snapshot_of
from support.runtime.executing import FLOAT64

EXAMPLES = Path(__file__).parents[3] / "examples"


def program(name: str) -> dict[str, str]:
    return read_program(EXAMPLES / name)


def outcome_of(
    files: dict[str, str], graph: str, inputs: list[Any], request: Execution | None = None, **attributes: Any
) -> RunResult:
    session = Session(snapshot_of(files))
    template = session.template(OperatorName("main.sknd", graph))
    assert template is not None
    request = request or Execution(real=FLOAT64)
    specialization = bind_arrays(session, template, inputs, {name: value_of(each) for name, each in attributes.items()})
    return execute(session, specialization, inputs, request)


def image(*shape: int) -> np.ndarray[Any, Any]:
    return np.random.default_rng(7).standard_normal(shape)


_MODELS = [
    ("lenet", "LeNet5", image(2, 1, 32, 32), {"batch": 2}),
    ("alexnet", "AlexNet", image(1, 3, 224, 224), {"classes": 10}),
    ("mobilenet_v2", "MobileNetV2", image(1, 3, 224, 224), {"classes": 10}),
    ("resnet50", "ResNet50", image(1, 3, 224, 224), {"classes": 10}),
    ("unet", "UNet", image(1, 1, 188, 188), {"size": 188}),
    ("vgg16", "VGG16", image(1, 3, 224, 224), {"classes": 10}),
]

_LARGE = ("alexnet", "resnet50", "vgg16")
MODELS = [pytest.param(*case, marks=pytest.mark.exhaustive if case[0] in _LARGE else ()) for case in _MODELS]


@pytest.mark.parametrize(("name", "graph", "x", "attributes"), MODELS, ids=[case[0] for case in _MODELS])
def test_models_of_images(name: str, graph: str, x: Any, attributes: dict[str, Any]):
    """Probabilities come out; and variables and tensors have the names under which ``snd shapes`` lists them."""
    files = program(name)
    shown: list[tuple[str, tuple[int, ...]]] = []
    weights = 140_000_000 if name == "vgg16" else 62_000_000  # other live tensors are small
    request = Execution(
        watch=lambda step: shown.append((step.name, step.iterations)),
        limits=Limits(tensor_bytes=4 * (weights + 10_000_000)),
    )
    outcome = outcome_of(files, graph, [x], request, **attributes)
    (y,) = outcome.outputs.values()
    assert isinstance(y, np.ndarray)
    assert y.dtype == np.float32
    assert np.allclose(y.sum(1), 1, atol=1e-5)
    drawn, computed = names_of(files, graph, attributes)
    assert set(outcome.drawn) == drawn
    assert {name for name, iterations in shown if not iterations} == computed


def names_of(files: dict[str, str], graph: str, attributes: dict[str, Any]) -> tuple[set[str], set[str]]:
    """The variables, and the results of operations, of the flat graph."""
    given = {name: value_of(value) for name, value in attributes.items()}
    composition = snapshot_of(files).compose(OperatorName("main.sknd", graph), given)
    assert composition.graph is not None
    flat = decompose(composition.graph, lambda _: True, "main.sknd")
    results = [value for operation in flat.operations for value in operation.outputs]
    return {each for value in flat.variables.values() for each in names(value)}, {
        each for value in results for each in names(value)
    }


def names(value: Any) -> list[str]:
    return [tensor.name for tensor in tensors_of(value)]


def test_the_broken_example_says_what_is_wrong():
    with pytest.raises(EvaluationFailed) as caught:
        outcome_of(program("broken"), "Classifier", [image(1, 3, 32, 32)])
    assert caught.value.place is not None


# ---- parts and wholes ------------------------------------------------------------------------------------------------
def test_a_classifier_does_not_change_when_composite_operators_are_replaced_by_their_parts():
    files = program("lenet")
    x = image(1, 1, 32, 32)
    whole = outcome_of(files, "LeNet5", [x])
    text = files["main.sknd"]
    softmax, linear = "probabilities = nn.softmax(logits);", "linear6 = layer.linear{channels=84}(tanh5);"
    assert softmax in text
    assert linear in text
    changed = text.replace(
        softmax,
        """largest = math.max_reduce{axes=[1]}(logits);
        shifted = math.sub(logits, largest);
        powers = math.exp(shifted);
        total = math.sum_reduce{axes=[1]}(powers);
        probabilities = math.div(powers, total);""",
    ).replace(linear, "linear6 = own(tanh5);").replace("graph LeNet5", """operator own {
    @input { x: real[b, c]; }
    @variable { filter: real[84, c]; bias: real[84]; }
    @output { y: real[b, 84]; }
    @compose { y = nn.linear(x, filter, bias); }
}
graph LeNet5""", 1)  # fmt: skip
    parts = outcome_of({**files, "main.sknd": changed}, "LeNet5", [x])
    assert parts.drawn == whole.drawn
    assert np.allclose(parts.outputs["probabilities"], whole.outputs["probabilities"], rtol=1e-12)  # type: ignore[arg-type]
    formula = changed.replace("@compose { y = nn.linear(x, filter, bias); }", """@lower {
        y[i, j] = bias[j,], i < b, j < 84;
        y[i, j] += x[i, k] * filter[j, k], i < b, j < 84, k < c; }""")  # fmt: skip
    lowered = outcome_of({**files, "main.sknd": formula}, "LeNet5", [x])
    assert np.allclose(lowered.outputs["probabilities"], whole.outputs["probabilities"], rtol=1e-12)  # type: ignore[arg-type]


# ---- dynamic ones ----------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(("batch", "length"), [(1, 1), (2, 7)])
def test_transformer(batch: int, length: int):
    files = program("transformer")
    small = {"tokens": 50, "positions": 10, "channels": 24, "heads": 3, "hidden": 40}
    ids = np.random.default_rng(1).integers(0, 50, (batch, length))
    inputs = [ids, np.zeros_like(ids), np.ones(ids.shape, bool)]
    outcome = outcome_of(files, "TransformerEncoder", inputs, **small)
    sequence, summary = outcome.outputs["sequence"], outcome.outputs["summary"]
    assert isinstance(sequence, np.ndarray)
    assert sequence.shape == (batch, length, 24)
    # A masked part has no influence on the rest.
    if length > 1:
        inputs[2] = np.arange(length) < length - 1 + np.zeros((batch, 1))
        masked = outcome_of(files, "TransformerEncoder", inputs, **small).outputs["summary"]
        inputs[0] = ids + (np.arange(length) == length - 1)
        again = outcome_of(files, "TransformerEncoder", inputs, **small).outputs["summary"]
        assert np.allclose(masked, again, rtol=1e-12)  # type: ignore[arg-type]
        assert not np.array_equal(masked, summary)  # type: ignore[arg-type]


def test_a_dynamic_extent_above_its_bound_is_refused():
    ids = np.zeros((9, 2), np.int64)
    with pytest.raises(EvaluationFailed) as caught:
        outcome_of(program("transformer"), "TransformerEncoder", [ids, ids, ids == 0], channels=24, heads=3, hidden=8)
    assert "8" in caught.value.message


def sigmoid(x: Any) -> Any:
    return 1 / (1 + np.exp(-x))


def language_model(tokens: Any, hidden: Any, cell: Any, weights: Any) -> Any:
    """Return the outputs of the example, in NumPy."""
    inputs = weights["model.embedding"][tokens]
    states, cells = [], []
    for layer in range(len(hidden)):
        w, r, b = (weights[f"model.{name}"][layer] for name in "WRB")
        h, c, outputs = hidden[layer], cell[layer], []
        for x in inputs:
            i, f, g, o = np.split(x @ w.T + h @ r.T + b, 4, axis=1)
            c = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
            h = sigmoid(o) * np.tanh(c)
            outputs.append(h)
        inputs = np.stack(outputs)
        states.append(h)
        cells.append(c)
    names = {name.rpartition(".")[2]: value for name, value in weights.items()}
    logits = inputs @ names["filter"].T + names["bias"]
    powers = np.exp(logits - logits.max(-1, keepdims=True))
    return powers / powers.sum(-1, keepdims=True), states, cells


@pytest.mark.parametrize("length", [1, 4, 9])
def test_lstm_static_dynamic_and_by_hand(length: int):
    files = program("lstm")
    random = np.random.default_rng(length)
    tokens = random.integers(0, 12, (length, 3))
    hidden, cell = [[random.standard_normal((3, 5)) for _ in range(2)] for _ in range(2)]
    small = {"batch": 3, "words": 12, "units": 5, "layers": 2}
    static = outcome_of(files, "LanguageModel", [tokens, hidden, cell], **small, len=length)
    dynamic = outcome_of(files, "DynamicLanguageModel", [tokens, hidden, cell], **small)
    probabilities, states, cells = language_model(tokens, hidden, cell, static.variables)
    for outcome in (static, dynamic):
        assert np.allclose(outcome.outputs["probabilities"], probabilities, rtol=1e-9)  # type: ignore[arg-type]
        assert np.allclose(outcome.outputs["next_hidden"], states, rtol=1e-9)  # type: ignore[arg-type]
        assert np.allclose(outcome.outputs["next_cell"], cells, rtol=1e-9)  # type: ignore[arg-type]


def test_detection_finds_as_many_boxes_as_there_are():
    files = program("detection")
    small = {"channels": 8, "height": 6, "width": 5, "classes": 3}
    outcome = outcome_of(files, "Detection", [image(1, 8, 6, 5)], **small)
    found, boxes, scores = (outcome.outputs[name] for name in ("found", "found_boxes", "found_scores"))
    assert isinstance(found, np.ndarray)
    assert isinstance(boxes, np.ndarray)
    assert len(found) == len(boxes) == len(scores) > 0  # type: ignore[arg-type]
    assert (np.asarray(scores) > 0.05).all()
    few = outcome_of(files, "Detection", [image(1, 8, 6, 5)], **small, max_boxes_per_class=1).outputs["found"]
    assert len(few) == 3  # type: ignore[arg-type]
    shown: list[str] = []
    request = Execution(
        variables={**outcome.variables, "logits.last_bias": np.full(27, -100.0)},
        watch=lambda step: shown.append(step.name),
    )
    none = outcome_of(files, "Detection", [image(1, 8, 6, 5)], request, **small)
    assert none.outputs["found"].shape == (0, 3)  # type: ignore[union-attr]
    assert none.outputs["found_boxes"].shape == (0, 4)  # type: ignore[union-attr]
    drawn, computed = names_of(files, "Detection", small)
    assert set(outcome.drawn) == drawn
    assert set(shown) == computed


def outputs_of(name: str, graph: str, inputs: list[Any], **attributes: Any) -> list[Any]:
    """The first output for each of some inputs, with weights that are drawn."""
    session = Session(snapshot_of(program(name)))
    template = session.template(OperatorName("main.sknd", graph))
    assert template is not None
    given = {name: value_of(each) for name, each in attributes.items()}
    specialization = bind_arrays(session, template, inputs[0], given)
    return [next(iter(execute(session, specialization, each, Execution()).outputs.values())) for each in inputs]


def differ(a: Any, b: Any) -> float:
    """Return the relative difference of two results."""
    return float(np.abs(a - b).mean() / np.abs(a).mean())


def test_with_weights_that_are_drawn_a_deep_network_depends_on_its_input():
    random = np.random.default_rng(1)
    images = [[random.standard_normal((1, 3, 224, 224))] for _ in range(2)]
    assert differ(*outputs_of("resnet50", "ResNet50", images, classes=10)) > 1e-3
    small = {"tokens": 50, "positions": 10, "channels": 48, "heads": 3, "hidden": 96}
    ids = random.permutation(50)[:12].reshape(2, 1, 6)
    tokens = [[each, np.zeros_like(each), np.ones(each.shape, bool)] for each in ids]
    assert differ(*outputs_of("transformer", "TransformerEncoder", tokens, **small)) > 1e-3
