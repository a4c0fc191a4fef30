"""Every operator of the library, exported to PyTorch by itself: PyTorch and snd compute the same for its samples."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest

pytest.importorskip("torch", reason="PyTorch is not installed")
pytest.importorskip("safetensors", reason="the files load their weights by safetensors")

from snd_analysis.compose import Session
from snd_analysis.model import Tensor
from snd_analysis.symbolic.values import NULL
from snd_runtime.execution import Execution, execute
from snd_runtime.execution.binding import converted
from snd_runtime.lowering.lowered import FLOAT32
from snd_server.exchange.graph_export.errors import NotExportable
from snd_server.exchange.torch_export import write_model
from support.onnx_models.exported import flattened
from support.operator_samples import agree, invocations_of_samples
from support.runtime.operators import library_snapshot

ALONE = {"math.iden": "a sample has strings", "nn.lstm": "a sample leaves out inputs of the graph"}
"""Operators with samples that the file of the operator alone can't be given."""
MODULES = ["math", "layout", "linalg", "nn", "image", "algo", "onnx"]


def test_pytorch_computes_what_operators_do() -> None:
    snapshot = library_snapshot()
    session = Session(snapshot)
    wrong: list[str] = []
    count = Counter[str]()
    for name, specialization, inputs in invocations_of_samples(snapshot, MODULES):
        outcome = execute(session, specialization, inputs, Execution(seed=0))
        given = converted(specialization.template, inputs, FLOAT32, specialization.scope.dtypes)
        try:
            model = write_model(specialization, outcome.variables, "none.safetensors")
        except NotExportable:
            count["refused"] += 1
            continue
        count["compared"] += 1
        try:
            found = _run(model.text, specialization, given)
        except Exception as error:
            wrong += [] if name in ALONE else [f"{name}: {type(error).__name__}: {error}"]
            continue
        expected = flattened(outcome.outputs)
        for own, other in zip(expected, found, strict=True):
            if own.shape != other.shape or not agree(own, other):
                wrong.append(f"{name}: {own.reshape(-1)[:8]} {other.reshape(-1)[:8]}")
    assert wrong == []
    assert count["compared"] > 1.5 * count["refused"]


def _run(text: str, specialization: Any, inputs: Any) -> list[np.ndarray[Any, Any]]:
    import torch

    names: dict[str, Any] = {}
    exec(text.partition("def model()")[0], names)
    root = [each for each in names.values() if isinstance(each, type) and issubclass(each, torch.nn.Module)][-1]
    tensors: list[Any] = []
    for value, formal in zip(inputs, specialization.inputs, strict=False):
        if formal is NULL or value is None or (isinstance(formal, Tensor) and formal.value is not None):
            continue
        tensors += [value] if isinstance(value, np.ndarray) else list(value)
    with torch.no_grad():
        found = root()(*(torch.from_numpy(np.array(each)) for each in tensors))
    return [each.numpy() for each in (found if isinstance(found, tuple) else (found,))]
