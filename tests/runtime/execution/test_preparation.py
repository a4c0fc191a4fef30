"""Preparations of the runtime for a specialization are kept as long as the specialization, and no longer."""

from __future__ import annotations

import gc
from weakref import ref

import numpy as np
import pytest

from snd_runtime.execution import Execution, execute
from snd_runtime.execution.prepared import prepared
from support.runtime.executing import FLOAT64, instance_of

PROGRAM = """
operator twice { @input { x: real[n]; } @output { y: real[n]; } @lower { y[i,] = 2.0 * x[i,], i < n; } }
operator thrice { @input { x: real[n]; } @output { y: real[n]; } @compose { t = twice(x); y = twice(t); } }
"""


@pytest.mark.parametrize("name", ["twice", "thrice"])
def test_what_is_prepared_goes_with_its_specialization(name: str):
    inputs = [np.ones(3)]
    session, specialization = instance_of(PROGRAM, inputs, name)
    execute(session, specialization, inputs, Execution(real=FLOAT64))
    ready = prepared(specialization)
    execute(session, specialization, inputs, Execution(real=FLOAT64))
    assert prepared(specialization) is ready  # made once
    alive, kept = ref(specialization), ref(ready)
    del session, specialization, ready
    gc.collect()
    assert alive() is None
    assert kept() is None
