"""The samples in each module of the libraries, and in each example, give the results that they record.

`make test` leaves out libraries of formats that have tests of their own: test_onnx.py, test_tosa.py, test_tennis.py,
test_cvm.py, and test_tract_operations.py.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from support.server.processes import ROOT

LIBRARIES = sorted((ROOT / "analysis" / "snd_analysis" / "libraries").glob("*/*.sknd"))
OTHER_FORMATS = {"cvm", "onnx", "tennis", "tosa", "tract"}
EXAMPLES = sorted(each for each in (ROOT / "examples").iterdir() if each.is_dir())


@pytest.mark.parametrize(
    "path",
    [
        pytest.param(
            path,
            id=f"{path.parent.name}/{path.stem}",
            marks=[pytest.mark.exhaustive] if path.stem in OTHER_FORMATS else [],
        )
        for path in (*LIBRARIES, *EXAMPLES)
    ],
)
@pytest.mark.usefixtures("evaluated_here")
def test_samples_are_right(path: Path, real):
    outcome = real("test", str(path), "--quiet")
    assert (outcome.status, outcome.stderr) == (0, ""), outcome.stdout
