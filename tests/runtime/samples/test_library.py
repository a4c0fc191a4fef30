"""The samples of the library say what its operators give, in both precisions."""

from __future__ import annotations

import numpy as np
import pytest

from snd_analysis.names.library import library_modules
from snd_runtime.samples import SampleRequest, Status, evaluate_samples


@pytest.mark.parametrize("real", [np.float32, np.float64])
@pytest.mark.parametrize("module", library_modules())
def test_samples_of_the_library_agree(module: str, real: type):
    outcomes = evaluate_samples(SampleRequest(f"snd:{module}", {}, real=np.dtype(real)))
    assert [each for each in outcomes if each.status not in (Status.OK, Status.AS_EXPECTED)] == []
