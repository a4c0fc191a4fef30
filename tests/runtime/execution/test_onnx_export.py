"""Every operator of the library, exported by itself: onnxruntime computes what snd does, for every sample."""

from __future__ import annotations

import pytest

pytest.importorskip("onnxruntime", reason="the development packages onnx and onnxruntime are not installed")

from onnxruntime.capi.onnxruntime_pybind11_state import InvalidArgument

from snd_analysis.compose import Session
from snd_runtime.errors import EvaluationFailed
from snd_runtime.evaluation.binding import bound
from snd_runtime.evaluation.request import EvaluationRequest
from snd_runtime.evaluation.tensors import InvalidRequest
from snd_runtime.execution import Execution, execute
from snd_runtime.execution.binding import converted
from snd_runtime.execution.plain import plain
from snd_runtime.limits import Budget, Limits
from snd_runtime.lowering.lowered import FLOAT32
from snd_server.exchange.onnx_export import NotExportable
from support.onnx_models.exported import Exported, flattened
from support.operator_samples import agree, invocations_of_samples, variations
from support.runtime.operators import library_snapshot
from support.sampling import sample, tries

IMPOSSIBLE = {
    "image.avg_roi_pool", "image.max_roi_pool", "nnef1.avg_roi_pool", "nnef1.max_roi_pool", "rand.uniform"
}  # fmt: skip
"""The library says of them in words only what they compute; ONNX draws reals only."""
RANDOM = {"rand.uniform", "rand.normal", "rand.bernoulli"}


def test_onnxruntime_computes_what_operators_do():
    snapshot = library_snapshot()
    session = Session(snapshot)
    wrong: list[str] = []
    compared: set[str] = set()
    for name, specialization, inputs in invocations_of_samples(snapshot):
        outcome = execute(session, specialization, inputs, Execution(seed=0))
        try:
            exported = Exported(specialization, outcome.variables)
        except NotExportable as impossible:
            if name not in IMPOSSIBLE:
                wrong.append(str(impossible))
            continue
        found = exported.run(converted(specialization.template, inputs, FLOAT32, specialization.scope.dtypes))
        for own, other in zip(flattened(outcome.outputs), found, strict=False):
            if own.shape != other.shape or not (name in RANDOM or agree(own, other)):
                wrong.append(f"{name}: {own.shape} {own.reshape(-1)[:8]} {other.shape} {other.reshape(-1)[:8]}")
        compared.add(name)
    assert wrong == []
    assert len(compared) > 60


def test_onnxruntime_computes_what_operators_do_with_other_attributes():
    """One attribute of each sample gets other values, those that the operator allows."""
    snapshot = library_snapshot()
    session = Session(snapshot)
    invocations = [each for each in invocations_of_samples(snapshot) if each[0] not in RANDOM]
    wrong: list[str] = []
    compared = 0
    for name, specialization, inputs, attribute, value in sample(variations(invocations), 60):
        template = specialization.template
        attributes = {each: plain(one) for each, one in specialization.attributes.items()} | {attribute: value}
        given = dict(zip((each.name for each in template.inputs), inputs, strict=True))
        given = {each: array for each, array in given.items() if array is not None}
        request = EvaluationRequest(template.name, attributes, specialization.scope.dtypes, given)
        try:
            other = bound(session, template, request, FLOAT32, Budget(Limits(tensor_bytes=1 << 26)))
            outcome = execute(session, other.specialization, other.arguments, Execution(seed=0))
            exported = Exported(other.specialization, outcome.variables)
        except (InvalidRequest, EvaluationFailed, NotExportable):
            continue
        compared += 1
        try:
            found = exported.run(converted(template, other.arguments, FLOAT32, other.specialization.scope.dtypes))
        except InvalidArgument as refused:
            wrong.append(f"{name} with {attribute} = {value}: {refused}")
            continue
        for own, one in zip(flattened(outcome.outputs), found, strict=False):
            if own.shape != one.shape or not agree(own, one):
                wrong.append(f"{name} with {attribute} = {value}: {own.tolist()} {one.tolist()}")
    assert wrong == []
    assert compared > tries(20, 60)
