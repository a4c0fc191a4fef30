"""Models that tract writes have the shapes and values that tract computes, and get no diagnostics.

tract is a development dependency. Where it can't be installed, since it exists as wheels for some platforms only, these
tests are skipped, but never in continuous integration.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from generators.tract_models import MODELS, OnnxModel, write
from snd_analysis.base import OperatorName, Severity
from snd_analysis.workspace import Workspace
from snd_runtime.evaluation import EvaluationRequest
from snd_runtime.evaluation.handler import evaluate
from snd_server.running.weights import stored_weights
from snd_server.workspace_files.files import DiskReader
from support.sampling import sample

if os.environ.get("CI"):
    import tract
else:
    tract = pytest.importorskip("tract", reason="tract has no wheel for this platform")

_GRAPH = re.compile(r"graph network\(\s*(.*?)\s*\)\s*->\s*\(\s*(.*?)\s*\)", re.DOTALL)
_NOT_BY_TRACT = {
    "Mod": "tract does not write the remainder",
    "Cast": "tract gives extents out as a type that Python does not read",
    "LSTM": "tract does not read its own scan over a batch",
}
_TOLERANCE = 2e-4


def _languages() -> Any:
    return tract.nnef().with_onnx().with_tract_extra().with_tract_transformers().with_pulse()


def test_there_are_models_of_many_operations():
    assert len({each.operation for each in MODELS}) >= 70


@pytest.mark.parametrize("model", sample(MODELS, 60), ids=lambda model: model.name)
def test_a_model_that_tract_writes_means_what_tract_makes_of_it(model: OnnxModel, tmp_path: Path):
    if model.name in _NOT_BY_TRACT:
        pytest.skip(_NOT_BY_TRACT[model.name])
    write(model, tmp_path)
    read = tract.onnx().load(str(tmp_path / "model.onnx"))
    read.analyse()
    folder = tmp_path / "model"
    _languages().write_model_to_dir(read.into_model(), str(folder))
    runnable = _languages().load(str(folder)).into_runnable()
    expected = [each.to_numpy() for each in runnable.run(list(model.inputs.values()))]

    path = str(folder / "graph.nnef")
    snapshot = Workspace(DiskReader()).snapshot()
    assert [each.message for each in snapshot.diagnostics(path) if each.severity is not Severity.HINT] == []
    match = _GRAPH.search(Path(path).read_text(encoding="utf-8"))
    assert match is not None
    inputs, outputs = (names.split(", ") for names in match.groups())
    graph = OperatorName(path, "network")
    composed = snapshot.compose(graph).graph
    assert composed is not None
    for name, array in zip(outputs, expected, strict=True):
        tensor: Any = composed.tensors[name]
        assert len(tensor.shape) == array.ndim
        assert all(each.value in (None, extent) for each, extent in zip(tensor.shape, array.shape, strict=True))
    given = dict(zip(inputs, model.inputs.values(), strict=True))
    request = EvaluationRequest(graph, inputs=given, weights=dict(stored_weights(snapshot, path, 1 << 30)), keep=True)
    answer = evaluate(snapshot, request, lambda note: None)
    assert not answer.failures, answer.failures
    for name, array in zip(outputs, expected, strict=True):
        found = np.asarray((answer.arrays or {})[name])
        assert found.shape == array.shape
        np.testing.assert_allclose(found.astype(float), array.astype(float), rtol=_TOLERANCE, atol=_TOLERANCE)
