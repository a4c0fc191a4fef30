"""Random graphs as NNEF 1.0: accepted, and with the values of snd in tract; or refused with reasons."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

pytest.importorskip("tract", reason="tract has no wheel for this platform")

from snd_analysis.compose import Session, compose_root
from snd_analysis.nnef1.syntax import Dialect
from snd_analysis.skriptnd.names import OperatorName
from snd_runtime.execution import Execution, execute
from snd_server.exchange.exporting import all_variables
from snd_server.exchange.graph_export.errors import NotExportable
from support.memory import snapshot_of
from support.nnef1.exported import engine, run_written
from support.onnx_models.export_programs import programs
from support.onnx_models.exported import flattened
from support.sampling import examples

_MAIN = OperatorName("main.sknd", "main")


@pytest.mark.parametrize("dialect", Dialect)
def test_random_graphs_are_accepted_and_compute_the_same(dialect: Dialect):
    """A graph without state, formulas, dynamic loops and optional inputs is never refused in tract's dialect."""
    compared = 0
    with engine() as inference:

        @settings(
            max_examples=examples(80), deadline=None,
            suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
        )  # fmt: skip
        @given(programs(), st.integers(0, 3), st.booleans(), st.booleans())
        def check(text: str, n: int, c: bool, flat: bool) -> None:
            nonlocal compared
            snapshot = snapshot_of({"main.sknd": text})
            session = Session(snapshot)
            template = session.template(_MAIN)
            assert template is not None
            chance = np.random.default_rng(n)
            rows = 3 if "rows|8" in text else 2
            x, z, first, second, k = (chance.standard_normal((rows, 4)).astype(np.float32) for _ in range(5))
            inputs: list[Any] = [x, z, (first, second), np.array(c), np.array(n), k[:2]]
            specialization = compose_root(session, template, {}, {}, {"x": ((rows, 4),), "z": ((rows, 4),)})
            variables = all_variables(session, specialization, {}, seed=0)
            outcome = execute(session, specialization, inputs, Execution(variables=variables))
            try:
                found = run_written(session, specialization, variables, inputs, dialect, inference, flat=flat)
            except NotExportable as refused:
                reasons = {each.reason.rpartition(": ")[2] for each in refused.problems}
                assert reasons <= _REASONS, reasons
                return
            assert found.refusal is None, found.refusal
            for results in found.results.values():
                for own, other in zip(flattened(outcome.outputs), results, strict=True):
                    assert own.shape == other.shape
                    scale = max(float(np.abs(own).max(initial=0)), 1e-3)
                    np.testing.assert_allclose(other, own, rtol=0, atol=1e-4 * scale)
            compared += 1

        check()
    assert compared > examples(80) // 5


_REASONS = {
    "NNEF 1.0 has no such operation, and no formulas of operators",
    "tract has no variables that a run changes, only states of scans",
    "a fragment can't update variables",
    "the number of iterations depends on a condition",
    "the number of iterations is known in the run only",
    "tract repeats nothing that reads no part of a tensor",
    "its cases have different shapes, and NNEF 1.0 selects elements only",
    "Khronos' dialect computes with scalars only",
}
"""The reasons why such a graph can't be exported: formulas, state, and loops that depend on data."""
