"""Models that torch_to_nnef wrote: no diagnostics, the shapes and values of PyTorch, and conversions that are equal.

``torch_exports/export.py`` writes them where PyTorch is installed. It demands that tract gives the values of PyTorch,
or refuses the model.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from snd_analysis.base import OperatorName
from snd_analysis.convert import convert_nnef1
from snd_analysis.model import Tensor
from snd_analysis.skriptnd.format import format_text
from snd_analysis.workspace import Snapshot, Workspace
from snd_runtime.evaluation import EvaluationRequest
from snd_runtime.evaluation.handler import evaluate
from snd_server.running.weights import stored_weights
from snd_server.workspace_files.files import DiskReader
from support import sampling

_EXPORTS = Path(__file__).parent / "torch_exports"
_REFUSED = {
    "group_norm_of_a_batch": "fit only for B == 2: write an extent that depends on 'B' instead of a number",
    "mask_of_bools": "tract adds the mask to the scores, so it must be of scalars: 0.0 where",
    "replicated_border": "tract calls the border 'replicate' 'replicated'",
}
_NAMES = sorted({path.name.removesuffix(".nnef.tgz") for path in _EXPORTS.glob("*.nnef.tgz")} - set(_REFUSED))
_IN_SHORT = ("convolutions", "encoder_layer", "grouped_queries", "llama_with_cache", "t5", "wav2vec2")
_MOST_BYTES = 1 << 24
_TOLERANCE = 2e-3


@pytest.mark.parametrize("name", _NAMES if sampling.tries(0, 1) else _IN_SHORT)
def test_an_export_has_no_diagnostic_and_the_values_of_pytorch(name: str):
    snapshot, path = Workspace(DiskReader()).snapshot(), _path(name)
    assert [each.message for each in snapshot.diagnostics(path)] == []
    inputs, expected = _stored(name)
    weights = stored_weights(snapshot, path, _MOST_BYTES)
    _demand_shapes(snapshot, path, inputs, expected)
    _demand_equal(_run(snapshot, path, inputs, weights), expected)


@pytest.mark.parametrize("name", _NAMES if sampling.tries(0, 1) else _IN_SHORT[:4])
def test_an_export_converts_to_a_model_with_the_same_values(name: str):
    snapshot, path = Workspace(DiskReader()).snapshot(), _path(name)
    inputs, expected = _stored(name)
    weights = stored_weights(snapshot, path, _MOST_BYTES)
    converted = convert_nnef1(snapshot, path, "graph.nnef")
    reader = DiskReader()
    reader.provide("/c/main.sknd", converted.text.encode())
    target = Workspace(reader).snapshot()
    assert [each.message for each in target.diagnostics("/c/main.sknd")] == []
    assert format_text(converted.text) == converted.text
    moved = {each.name: np.reshape(weights[each.source], each.shape) for each in converted.variables}
    found = _run(target, "/c/main.sknd", {converted.names[key]: array for key, array in inputs.items()}, moved)
    _demand_equal({key: found[converted.names[key]] for key in expected}, expected)


@pytest.mark.parametrize("name", _REFUSED)
def test_what_tract_refuses_is_told(name: str):
    messages = [each.message for each in Workspace(DiskReader()).snapshot().diagnostics(_path(name))]
    assert len(messages) == 1
    assert _REFUSED[name] in messages[0]


def _path(name: str) -> str:
    return str(_EXPORTS / f"{name}.nnef.tgz" / "graph.nnef")


def _stored(name: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """The inputs and the outputs by their names."""
    with np.load(_EXPORTS / f"{name}.npz") as stored:
        parts = [{key[len(kind) :]: stored[key] for key in stored if key.startswith(kind)} for kind in ("in.", "out.")]
    return parts[0], parts[1]


def _demand_shapes(snapshot: Snapshot, path: str, inputs: Mapping[str, Any], expected: Mapping[str, Any]) -> None:
    """All tensors have shapes with symbols, and outputs those of PyTorch for its inputs."""
    open_graph = snapshot.compose(_graph(snapshot, path)).graph
    assert open_graph is not None
    assert [key for key, each in open_graph.tensors.items() if isinstance(each, Tensor) and each.shape is None] == []
    shapes = {key: (array.shape,) for key, array in inputs.items()}
    closed = snapshot.compose(_graph(snapshot, path), inputs=shapes).graph
    assert closed is not None
    for key, array in expected.items():
        tensor = closed.tensors[key]
        assert isinstance(tensor, Tensor)
        assert tuple(getattr(each, "value", None) for each in tensor.shape or ()) == array.shape


def _demand_equal(found: Mapping[str, Any], expected: Mapping[str, Any]) -> None:
    for key, wanted in expected.items():
        assert found[key].shape == wanted.shape
        scale = max(float(np.abs(wanted).max()), 1e-3)
        np.testing.assert_allclose(found[key], wanted, rtol=0, atol=_TOLERANCE * scale, err_msg=key)


def _graph(snapshot: Snapshot, path: str) -> OperatorName:
    return OperatorName(path, snapshot.main_graphs(path)[0].name.text)


def _run(snapshot: Snapshot, path: str, inputs: Mapping[str, Any], weights: Mapping[str, Any]) -> dict[str, Any]:
    request = EvaluationRequest(_graph(snapshot, path), inputs=inputs, weights=dict(weights), keep=True)
    answer = evaluate(snapshot, request, lambda note: None)
    assert not answer.failures, answer.failures
    return {key: np.asarray(value) for key, value in (answer.arrays or {}).items()}
