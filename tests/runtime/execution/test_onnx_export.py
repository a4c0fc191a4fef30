"""Every operator of the library, exported by itself: onnxruntime computes what snd does, for every sample."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

pytest.importorskip("onnxruntime", reason="the development packages onnx and onnxruntime are not installed")

from snd_analysis.compose import Session, Specialization, specialization_of
from snd_analysis.skriptnd.names import format_modules, library_modules
from snd_analysis.workspace import Snapshot
from snd_runtime.execution import Execution, execute
from snd_runtime.execution.binding import converted
from snd_runtime.limits import Limits
from snd_runtime.lowering.lowered import FLOAT32, Argument
from snd_runtime.samples.evaluation import arguments_of
from snd_server.export import NotExportable
from support.onnx_models.exported import Exported, flattened
from support.runtime.operators import library_snapshot
from support.sampling import sample

IMPOSSIBLE = {
    "image.avg_roi_pool", "image.max_roi_pool", "nnef1.avg_roi_pool", "nnef1.max_roi_pool", "rand.uniform"
}  # fmt: skip
"""The library says of them in words only what they compute; ONNX draws reals only."""
RANDOM = {"rand.uniform", "rand.normal", "rand.bernoulli"}


def _invocations(snapshot: Snapshot) -> Iterator[tuple[str, Specialization, list[Argument]]]:
    for module in (*library_modules(), *format_modules()):
        for _, checked in sample(snapshot.checked_samples(f"snd:{module}"), 12):
            operation = checked.operation
            callee = None if operation is None else specialization_of(operation)
            broken = checked.has_errors or checked.failure is not None or checked.sample.error is not None
            if operation is None or callee is None or broken or not callee.valid:
                continue
            specialization, inputs = arguments_of(checked, operation, Limits(), FLOAT32, 0)
            yield f"{module}.{specialization.template.name.name}", specialization, inputs


def test_onnxruntime_computes_what_operators_do():
    snapshot = library_snapshot()
    session = Session(snapshot)
    wrong: list[str] = []
    compared: set[str] = set()
    for name, specialization, inputs in _invocations(snapshot):
        outcome = execute(session, specialization, inputs, Execution(seed=0))
        try:
            exported = Exported(specialization, outcome.variables)
        except NotExportable as impossible:
            if name not in IMPOSSIBLE:
                wrong.append(str(impossible))
            continue
        found = exported.run(converted(specialization.template, inputs, FLOAT32))
        for own, other in zip(flattened(outcome.outputs), found, strict=False):
            if own.shape != other.shape or not (name in RANDOM or _agree(own, other)):
                wrong.append(f"{name}: {own.shape} {own.reshape(-1)[:8]} {other.shape} {other.reshape(-1)[:8]}")
        compared.add(name)
    assert wrong == []
    assert len(compared) > 60


def _agree(one: np.ndarray, other: np.ndarray) -> bool:
    if one.dtype.kind != "f":
        return np.array_equal(one, other)
    return np.allclose(one, other, rtol=2e-4, atol=2e-5, equal_nan=True)
