"""The examples in docs/samples.md are right, and their samples say what comes out."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from snd_runtime.samples import SampleRequest, Status, evaluate_samples
from support.memory import check, shown

TEXT = (Path(__file__).parents[3] / "docs" / "samples.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"^```sknd\n(.*?)^```", TEXT, re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("example", EXAMPLES, ids=range(len(EXAMPLES)))
def test_example(example: str):
    files = {"a.sknd": example}
    found = check(files)
    assert not any(found.values()), shown(found, files)
    outcomes = evaluate_samples(SampleRequest("a.sknd", files))
    assert outcomes
    assert {outcome.status for outcome in outcomes} == {Status.OK}
