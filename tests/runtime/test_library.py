"""Library operators against NumPy, and against the element-by-element oracle."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from agreement import assert_agreement
from library_cases import Case, all_cases
from operators import bind_library, library

from snd_runtime.lowering import lower

CASES = all_cases()


@pytest.mark.parametrize("case", CASES, ids=str)
def test_operator_as_numpy_has_it(case: Case):
    found = library(case.operator, *case.inputs, dtypes=case.dtypes, **case.attributes)
    _compare(found, case.expected)


def _compare(found: Any, expected: Any) -> None:
    if isinstance(expected, list):
        assert len(found) == len(expected)
        for one, other in zip(found, expected, strict=True):
            _compare(one, other)
        return
    assert found.shape == np.shape(expected)
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("case", CASES[::5], ids=str)
def test_operator_element_by_element(case: Case):
    lowered = lower(bind_library(case.operator, case.inputs, case.attributes, case.dtypes))
    assert_agreement(lowered, case.inputs, (7,))
