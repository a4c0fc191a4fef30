"""Agreement of a plan and the oracle about a formula."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from oracles.formulas import AmbiguousError, OracleError, oracle
from snd_runtime.errors import EvaluationFailed
from snd_runtime.limits import Budget, Limits
from snd_runtime.lowering import Lowered
from support.runtime.operators import FLOAT64

CHUNKS = (1, 3, 1 << 18)


def assert_agreement(lowered: Lowered, inputs: Sequence[Any], chunks: Sequence[int] = CHUNKS) -> str | None:
    """Run a plan in chunks of several sizes; gives the rule by which it fails, if the oracle fails as well."""
    try:
        expected, failure = _expected(lowered, inputs)
    except AmbiguousError:
        return "ambiguous"
    if failure is not None:
        for size in chunks:
            assert _rule(lowered, inputs, size) is not None, f"the oracle fails by {failure}, the plan doesn't"
        return failure
    for size in chunks:
        outputs = lowered.run(inputs, real=FLOAT64, budget=budget(size))
        for found, wanted in zip(outputs, expected, strict=True):
            assert_equal(found, wanted)
    return None


def _expected(lowered: Lowered, inputs: Sequence[Any]) -> tuple[list[Any], str | None]:
    try:
        return oracle(lowered.specialization, inputs), None
    except OracleError as error:
        return [], error.rule


def budget(size: int) -> Budget:
    return Budget(Limits(chunk_elements=size, contraction_elements=size))


def _rule(lowered: Lowered, inputs: Sequence[Any], size: int) -> str | None:
    try:
        lowered.run(inputs, real=FLOAT64, budget=budget(size))
    except EvaluationFailed as failed:
        return failed.rule.name
    return None


def assert_equal(found: Any, wanted: Any) -> None:
    if isinstance(wanted, list):
        assert len(found) == len(wanted)
        for one, other in zip(found, wanted, strict=True):
            assert_equal(one, other)
        return
    assert found.shape == wanted.shape
    assert found.dtype == wanted.dtype
    if wanted.dtype.kind == "f":
        np.testing.assert_allclose(found, wanted, rtol=1e-9, atol=1e-9)
    else:
        np.testing.assert_array_equal(found, wanted)
