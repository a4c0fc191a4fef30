"""The samples of the library say what its operators give, in both precisions."""

from __future__ import annotations

import numpy as np
import pytest

from snd_analysis.skriptnd.names import library_modules, library_text
from snd_runtime.samples import SampleRequest, Status, evaluate_samples


@pytest.mark.parametrize("real", [np.float32, np.float64])
@pytest.mark.parametrize("module", library_modules())
def test_samples_of_the_library_agree(module: str, real: type):
    outcomes = evaluate_samples(SampleRequest(f"snd:{module}", {}, real=np.dtype(real)))
    assert [each for each in outcomes if each.status not in (Status.OK, Status.AS_EXPECTED)] == []


def test_the_library_read_as_files_has_its_intrinsics():
    text = library_text("snd:rand")
    changed = text.replace("operator normal {", "operator normal2 {").replace(">>> normal{", ">>> normal2{")
    for path, each in (("model/rand.sknd", text), ("rand.sknd", f"# Ours.\n\n{text}")):
        assert _failures(path, each) == set()
    assert _failures("rand.sknd", changed) == {"no-evaluation"}
    assert _failures("random.sknd", text) == {"no-evaluation"}


def _failures(path: str, text: str) -> set[str | None]:
    outcomes = evaluate_samples(SampleRequest(path, {path: text}))
    return {each.rule.name for each in outcomes if each.status not in (Status.OK, Status.AS_EXPECTED)}
