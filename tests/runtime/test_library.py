"""Library operators against NumPy, and against the element-by-element oracle."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from generators.library_cases import Case, all_cases
from oracles.agreement import assert_agreement
from snd_analysis.skriptnd.names import LIBRARY_PREFIX, library_modules
from snd_analysis.skriptnd.syntax import nodes
from snd_runtime.lowering import lower
from support.runtime.operators import bind_library, library, library_snapshot

CASES = all_cases()


def test_there_is_a_case_for_every_operator_with_formulas():
    lowered = {
        f"{module}.{definition.name.text}"
        for module in library_modules()
        for _, definition in library_snapshot().tree(f"{LIBRARY_PREFIX}{module}").definitions
        if any(isinstance(block, nodes.Block) and block.kind == "lower" for block in definition.blocks)
    }
    assert len(lowered) > 100
    assert lowered <= {case.operator for case in CASES}


@pytest.mark.parametrize("case", CASES, ids=str)
def test_operator_as_numpy_has_it(case: Case):
    found = library(case.operator, *case.inputs, dtypes=case.dtypes, **case.attributes)
    _compare(found, case.expected)


@pytest.mark.parametrize("case", CASES[1::3], ids=str)
def test_operator_in_32_bits(case: Case):
    lowered = lower(bind_library(case.operator, case.inputs, case.attributes, case.dtypes))
    outputs = lowered.run(case.inputs)
    _compare(outputs[0] if len(outputs) == 1 else outputs, case.expected, 2e-5)


def _compare(found: Any, expected: Any, tolerance: float = 1e-9) -> None:
    if isinstance(expected, list):
        assert len(found) == len(expected)
        for one, other in zip(found, expected, strict=True):
            _compare(one, other, tolerance)
        return
    assert found.shape == np.shape(expected)
    np.testing.assert_allclose(found, expected, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("case", CASES[::5], ids=str)
def test_operator_element_by_element(case: Case):
    lowered = lower(bind_library(case.operator, case.inputs, case.attributes, case.dtypes))
    assert_agreement(lowered, case.inputs, (7,))
