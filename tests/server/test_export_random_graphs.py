"""Random graphs as ONNX files: valid, loaded by onnxruntime, and with the values of snd; with functions and flat."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

pytest.importorskip("onnx", reason="the development package onnx is not installed")
pytest.importorskip("onnxruntime", reason="the development package onnxruntime is not installed")

from snd_analysis.compose import Session, compose_root
from snd_analysis.skriptnd.names import OperatorName
from snd_runtime.execution import Execution, bind_arrays, execute
from snd_server.exchange.exporting import all_variables
from snd_server.exchange.onnx_export import write_model
from support.memory import snapshot_of
from support.onnx_models.export_programs import programs
from support.onnx_models.exported import flattened, session_of
from support.sampling import examples

_MAIN = OperatorName("main.sknd", "main")


@settings(
    max_examples=examples(120), deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)
@given(programs(), st.integers(0, 3), st.booleans(), st.booleans())
def test_random_graphs_are_valid_and_compute_the_same(text: str, n: int, c: bool, with_default: bool) -> None:
    snapshot = snapshot_of({"main.sknd": text})
    assert [each.message for each in snapshot.diagnostics("main.sknd") if each.severity == "error"] == []
    session = Session(snapshot)
    template = session.template(_MAIN)
    assert template is not None
    chance = np.random.default_rng(n)
    rows = 3 if "rows|8" in text else 2
    x, z, first, second = (chance.standard_normal((rows, 4)).astype(np.float32) for _ in range(4))
    k = None if with_default else np.full((2, 4), 0.5, np.float32)
    inputs = [x, z, (first, second), np.array(c), np.array(n), k]
    specialization = compose_root(session, template, {}, {}, {})
    variables = all_variables(session, specialization, {}, seed=0)
    bound = bind_arrays(session, template, inputs)
    outcome = execute(session, bound, inputs, Execution(variables=variables))
    expected = flattened(outcome.outputs)
    named = {"x": x, "z": z, "ps[0]": first, "ps[1]": second, "c": inputs[3], "n": inputs[4], "k": k}
    updated = flattened({name: outcome.variables[name] for name in outcome.updated})
    for flat in (False, True):
        model = write_model(specialization, variables, flat=flat)
        if flat:  # operators with formulas remain functions
            own = {each.name.rstrip("_0123456789") for each in model.functions if each.domain == "main"}
            assert own <= {"half", "scaled", "counting"}
        judge = session_of(model)
        feed = {name: value for name, value in named.items() if value is not None}
        found = judge.run(None, feed)
        names = [each.name for each in judge.get_outputs()][len(expected) :]
        states = sorted(zip(names, found[len(expected) :], strict=True), key=lambda pair: pair[0])
        for one, other in zip(
            [*found[: len(expected)], *(new for _, new in states)], [*expected, *updated], strict=True
        ):
            _assert_same(one, other)


@settings(
    max_examples=examples(80), deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)
@given(programs(), st.booleans())
def test_quantized_random_graphs_are_valid(text: str, flat: bool) -> None:
    """Rounding of halves differs between the engines, so that values are not compared."""
    snapshot = snapshot_of({"main.sknd": text})
    session = Session(snapshot)
    template = session.template(_MAIN)
    assert template is not None
    specialization = compose_root(session, template, {}, {}, {})
    variables = all_variables(session, specialization, {}, seed=0)
    quantized = session_of(write_model(specialization, variables, flat=flat, quantizing=session))
    plain = session_of(write_model(specialization, variables, flat=flat))
    for one, other in zip(quantized.get_outputs(), plain.get_outputs(), strict=True):
        assert (one.name, one.type) == (other.name, other.type)


def _assert_same(found: Any, expected: Any) -> None:
    assert found.shape == expected.shape
    scale = max(float(np.abs(expected).max(initial=0)), 1e-3)
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-4 * scale)
