"""A sample without recorded results fails where ``=`` writes an element twice, or leaves one out."""

from __future__ import annotations

import pytest

from snd_runtime.samples import SampleRequest, Status, evaluate_samples

TWICE, MISSING = "written-twice", "unwritten-element"


def broken_by(lower: str, count: str = "4", k: int = 2, recorded: str = "") -> str | None:
    """Return the rule that a sample breaks; None if nothing is wrong but that no results are recorded."""
    text = f"""# >>> f{{k={k}}}([1.0, 2.0, 3.0, 4.0], [true, true, false, true])
{recorded}operator f {{
    @attrib {{ k: int; }}
    @input {{ x: real[n]; b: bool[n]; }}
    @output {{ y: real[{count}]; }}
    @lower {{ {lower} }}
}}
"""
    (found,) = evaluate_samples(SampleRequest("model.sknd", {"model.sknd": text}))
    if found.rule is None:
        assert found.status in (Status.UNRECORDED, Status.OK)
        return None
    return found.rule.name


@pytest.mark.parametrize(
    ("lower", "rule"),
    [
        ("y[i,] = x[i,], i < n;", None),
        ("y[i / k,] = x[i,], i < n;", MISSING),
        ("y[i * (k - 2),] = x[i,], i < n; y[i,] += 1.0, i < n;", TWICE),
        ("y[i,] = x[i,], i < 2; y[i,] += 1.0, i < n;", None),
        ("y[i,] = x[i,], i < 2;", MISSING),
        ("y[i,] = x[i,], i < n | i % 2 == 0;", MISSING),
        # A guarded index leaves elements out, which is meant; it does not write one twice.
        ("y[|i * k|,] = x[i,], i < n;", None),
        ("y[|i * (k - 2)|,] = x[i,], i < n;", TWICE),
        ("y[|i / 2 - 1|,] = x[i,], i < n;", TWICE),
        ("y[|i / 2 - 3|,] = x[i,], i < n;", None),
        ("y[i,] = x[|i - k|,], i < n;", None),
        ("y[i / 2,] = x[|i - 2|,], i < n;", TWICE),
        ("y[i / 2,] = x[|i - 3|,], i < n;", None),
        ("y[i / 2,] = i == 1 ? x[|i - 2|,] : x[i,], i < n | i < 2;", None),
        ("y[i / 2,] = i == 3 ? x[|i - 9|,] : x[i,], i < n;", TWICE),
        # Data decide which points are skipped.
        ("y[i / 2,] = b[i,] ? x[|i - 9|,] : 0.0, i < n;", None),
        ("y[|i / 2|,] = x[i,], i < n | x[i,] > 2.0;", None),
    ],
)
def test_samples_are_held_to_writing_each_element_once(lower: str, rule: str | None):
    assert broken_by(lower) == rule


def test_who_records_a_result_has_looked_at_it():
    assert broken_by("y[|i / 2|,] = x[i,], i < n;", recorded="# y: real[4] = [2.0, 4.0, 0.0, 0.0]\n") is None
