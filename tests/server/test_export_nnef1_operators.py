"""Every operator of the library, exported as NNEF 1.0 by itself: tract and snd compute what the operator does."""

from __future__ import annotations

from collections import Counter

import pytest

pytest.importorskip("tract", reason="tract has no wheel for this platform")

from snd_analysis.compose import Session
from snd_analysis.nnef1.syntax import Dialect
from snd_runtime.execution import Execution, execute
from snd_runtime.execution.binding import converted
from snd_runtime.lowering.lowered import FLOAT32
from snd_server.exchange.engine_process import InferenceError
from snd_server.exchange.graph_export.errors import NotExportable
from support.nnef1.exported import engine, run_written
from support.onnx_models.exported import flattened
from support.operator_samples import agree, invocations_of_samples
from support.runtime.operators import library_snapshot

_REFUSED_BY_TRACT = {
    "tract.tract_onnx_ml_direct_lookup": "it takes strings",
    "tract.tract_onnx_ml_reverse_lookup": "it takes strings",
    "tract.tract_onnx_ml_tree_ensemble_classifier": "its nodes are unsigned numbers of 32 bits",
    "tract.tract_core_gru_seq": "tract fails at the strides of a tensor",
    "tract.tract_onnx_non_max_suppression": "tract gives extents to a number",
}
"""Operations that tract runs with other types, or not at all."""
_STRICTER_IN_KHRONOS = {"nnef1.conv", "nnef1.linear", "nnef1.sample"}
"""Operations with forms that the text of NNEF 1.0 has, and Khronos' parser does not."""


@pytest.mark.parametrize("dialect", Dialect)
def test_engines_compute_what_operators_do(dialect: Dialect):
    snapshot = library_snapshot()
    session = Session(snapshot)
    wrong: list[str] = []
    count = Counter[str]()
    modules = ["math", "layout", "linalg", "nn", "image", "algo", "nnef1"]
    modules += ["tract"] if dialect is Dialect.TRACT else []
    with engine() as inference:
        for name, specialization, inputs in invocations_of_samples(snapshot, modules):
            outcome = execute(session, specialization, inputs, Execution(seed=0))
            given = converted(specialization.template, inputs, FLOAT32, specialization.scope.dtypes)
            is_known = (
                name in (_REFUSED_BY_TRACT if dialect is Dialect.TRACT else _STRICTER_IN_KHRONOS) or "roi" in name
            )
            try:
                found = run_written(session, specialization, outcome.variables, given, dialect, inference)
            except NotExportable:
                count["refused"] += 1
                continue
            except InferenceError as failed:
                wrong += [] if is_known else [f"{name}: {failed}"]
                continue
            if found.refusal is not None:
                wrong += [] if is_known else [f"{name}: {found.refusal}"]
                continue
            for who, results in found.results.items():
                for own, other in zip(flattened(outcome.outputs), results, strict=True):
                    if own.shape != other.shape or not agree(own, other):
                        wrong.append(f"{name} in {who}: {own.reshape(-1)[:8]} {other.reshape(-1)[:8]}")
            count["compared"] += 1
    assert wrong == []
    assert count["compared"] > 1.5 * count["refused"]
