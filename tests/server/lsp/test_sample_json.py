"""The outcome of a sample, as clients get it."""

from __future__ import annotations

from typing import Any

from snd_runtime.samples import SampleRequest, evaluate_samples
from snd_server.lsp.values.sample_json import sample_content

TEXT = """operator divided {
    @input { x: real[n]; y: real[]; }
    @output { z: real[n]; }
    @lower { z[i,] = x[i,] / y[], i < n; }
}
"""


def result(sample: str) -> Any:
    (outcome,) = evaluate_samples(SampleRequest("m.sknd", {"m.sknd": f"# >>> {sample}\n{TEXT}"}))
    (found,) = sample_content(outcome)["results"]
    return found


def test_what_goes_without_saying_is_in_what_would_be_recorded_only():
    found = result("divided(ones[200], 1.0)")
    assert found["text"] == "z: real[200] n=200 x∈[1, 1] μ=1 σ=0 nan=0"
    assert found["brief"] == "z: real[200] n=200 x∈[1, 1] μ=1 σ=0"
    found = result("divided(zeros[200], 0.0)")
    assert found["text"] == found["brief"]
    assert found["brief"].endswith("nan=200")
