"""Definitions with mistakes are not run: what came out would mean nothing."""

from __future__ import annotations

import pytest

from snd_runtime.samples import SampleOutcome, SampleRequest, Status, evaluate_samples


def outcome(body: str) -> SampleOutcome:
    text = f"""import math;

# >>> f([1.0, 2.0])
# y: real[2]
operator f {{
    @input {{ x: real[n]; }}
    @output {{ y: real[n]; }}
    {body}
}}
"""
    (found,) = evaluate_samples(SampleRequest("model.sknd", {"model.sknd": text}))
    return found


@pytest.mark.parametrize(
    ("body", "block"),
    [
        ("@lower { y[i,] = x[i,] * 'a', i < n; }", "lower"),
        ("@lower { y[i,] = x[i,] * missing, i < n; }", "lower"),
        ("@lower { y[i,] = x[i,], i < n; y[i,] += ) 2.0, i < n; }", "lower"),
        ("@variable { v: real[2] = 1.0; } @lower { y[i,] = x[i,] * v[i,], i < n; }", "variable"),
        ("@constant { c: real[] = 'a'; } @lower { y[i,] = x[i,], i < n; }", "constant"),
        ("@compose { y = math.mul(x, 'a'); }", "compose"),
        ("@compose { h = math.exp('a'); y = math.exp(x); }", "compose"),
        ("@compose { y = math.exp(x); ) ; }", "compose"),
        ("@variable { v: real[2]; } @compose { y = x; } @update { v = math.mul(v, 'a'); }", "update"),
    ],
)
def test_a_definition_with_mistakes_is_not_run(body: str, block: str):
    found = outcome(body)
    assert (found.status, found.rule.name) == (Status.FAILED, "no-evaluation")
    assert found.message == f"'f' can't run: its '@{block}' has mistakes, which 'snd check' reports"
    assert [site.place.definition for site in found.sites] == ["f"]


def test_one_without_is():
    assert outcome("@lower { y[i,] = x[i,] * 2.0, i < n; }").status is Status.OK
    assert outcome("@compose { y = math.mul(x, 2.0); }").status is Status.OK


def test_one_whose_formulas_and_composition_disagree_fails():
    body = "@lower { y[i,] = x[i,] * 2.0, i < n; } @compose { y = math.add(x, %s); }"
    assert outcome(body % "x").status is Status.OK
    found = outcome(body % "2.0")
    assert (found.status, found.rule.name) == (Status.FAILED, "decomposition-differs")
    assert found.message.endswith("about 'y': 1 of 2 items differ, the largest deviation is 1 at [0]")
