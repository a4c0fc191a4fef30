"""Graphs that nobody chose, against NumPy; run at once and statement by statement (2.10, invariant 13)."""

from __future__ import annotations

import numpy as np
from hypothesis import HealthCheck, given, settings

from generators.random_graphs import Array, Block, graphs
from snd_runtime.execution import Execution, execute
from snd_runtime.execution.prepared import prepared
from support.runtime.executing import FLOAT64, R, instance_of, net, run
from support.sampling import examples

POSITIVE = """
operator positive { @input { x: real[n]; } @output { y: real[k | n]; }
    @lower { y[k,] = x[i,], i < n | x[i,] > 0.0; } }
"""


@settings(max_examples=examples(25), suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(graphs())
def test_graphs_compute_what_numpy_does(case: tuple[str, str, Block, dict[str, Array]]) -> None:
    text, last, block, inputs = case
    expected = block.run(dict(inputs))[last]
    declared = "x: real[nx]; z: real[nz];"
    session, specialization = instance_of(net(declared, f"{last}: real[~|100000];", text), [*inputs.values()])
    assert prepared(specialization).program is not None
    (found,) = execute(session, specialization, [*inputs.values()], Execution(real=FLOAT64)).outputs.values()
    assert isinstance(found, np.ndarray)
    assert np.allclose(found, expected, rtol=1e-12, atol=1e-12)
    (fused,) = execute(session, specialization, [*inputs.values()], Execution(real=FLOAT64)).outputs.values()
    assert np.array_equal(found, fused, equal_nan=True)  # type: ignore[arg-type]
    dynamic = f"{text} kept = positive(probe);"
    program = net(
        f"{declared} probe: real[m];", f"{last}: real[~|100000]; kept: real[~|m];", dynamic, operators=POSITIVE
    )
    again, kept = run(program, *inputs.values(), R([1.0, -1.0]))
    assert (again == found).all()
    assert kept.tolist() == [1]
