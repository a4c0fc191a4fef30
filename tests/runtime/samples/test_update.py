"""Records in a file: results in their places, and everything else byte for byte as it was."""

from __future__ import annotations

import pytest

from snd_runtime.samples import SampleRequest, Status, evaluate_samples, update_edits
from support.memory import snapshot_of

RELU = """\
operator relu {
    @attrib { alpha: real = 0.5; }
    @input { x: real[n]; }
    @output { y: real[n]; sum: real[]; }
    @lower {
        y[i,] = x[i,] < 0.0 ? alpha * x[i,] : x[i,], i < n;
        sum[] += x[i,], i < n;
    }
}
"""


def updated(text: str) -> str:
    """The text with what comes of its samples."""
    outcomes = evaluate_samples(SampleRequest("a.sknd", {"a.sknd": text}))
    samples = snapshot_of({"a.sknd": text}).samples("a.sknd")
    edits = [
        edit for placed, outcome in zip(samples, outcomes, strict=True) for edit in update_edits(text, placed, outcome)
    ]
    for edit in sorted(edits, key=lambda edit: edit.span, reverse=True):
        text = edit.apply(text)
    return text


def statuses(text: str) -> list[Status]:
    return [outcome.status for outcome in evaluate_samples(SampleRequest("a.sknd", {"a.sknd": text}))]


CASES = {
    "nothing recorded": (
        "# >>> relu([-1.0, 2.0])\n",
        "# >>> relu([-1.0, 2.0])\n# y: real[2] = [-0.5, 2.0]\n# sum: real[] = 1.0\n",
    ),
    "nothing recorded, with a tolerance": (
        "# >>> relu([-1.0,\n# ... 2.0])\n# ~1e-3\n# Text.\n",
        "# >>> relu([-1.0,\n# ... 2.0])\n# y: real[2] = [-0.5, 2.0]\n# sum: real[] = 1.0\n# ~1e-3\n# Text.\n",
    ),
    "one differs": (
        "#  >>> relu([-1.0, 2.0])\n#  y: real[2] = [-0.5,   2.0]\n#  sum: real[] = 2.0 # ~1e-2\n",
        "#  >>> relu([-1.0, 2.0])\n#  y: real[2] = [-0.5,   2.0]\n#  sum: real[] = 1.0 # ~1e-2\n",
    ),
    "another order, and one too many": (
        "# >>> relu([1.0])\n# sum: real[] = 1.0\n# ~1e-3\n# z: real[] = 1.0\n# y: real[1] = [5.0]\n",
        "# >>> relu([1.0])\n# y: real[1] = [1.0]\n# sum: real[] = 1.0\n# ~1e-3\n",
    ),
    "another shape": (
        "# >>> relu([1.0])\n# y: real[2] = [1.0, 2.0]\n# sum: real[] = 1.0\n",
        "# >>> relu([1.0])\n# y: real[1] = [1.0]\n# sum: real[] = 1.0\n",
    ),
    "an error that is none any more": (
        "\t# >>> relu([1.0])\n\t# error: too few\n",
        "\t# >>> relu([1.0])\n\t# y: real[1] = [1.0]\n\t# sum: real[] = 1.0\n",
    ),
    "what agrees within its tolerance stays": (
        "# >>> relu([1.0])\n# y: real[1] = [1.000005]\n# sum: real[] = 0.9 # ~0.2\n",
        "# >>> relu([1.0])\n# y: real[1] = [1.000005]\n# sum: real[] = 0.9 # ~0.2\n",
    ),
    "one that can't be composed stays": ("# >>> relu(1.0)\n# y: real[] = 1.0\n",) * 2,
    "large results": (
        "# >>> relu(ones[101])\n",
        "# >>> relu(ones[101])\n# y: real[101] n=101 x∈[1, 1] μ=1 σ=0 nan=0\n# sum: real[] = 101.0\n",
    ),
}


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("line_break", ["\n", "\r\n", "\r"])
def test_update(case: str, line_break: str):
    before, after = ((text + RELU).replace("\n", line_break) for text in CASES[case])
    assert updated(before) == after
    assert updated(after) == after


def test_at_the_end_of_a_file():
    assert updated(f"{RELU}\r\n# >>> relu([1.0])").endswith(
        "}\n\r\n# >>> relu([1.0])\r\n# y: real[1] = [1.0]\r\n# sum: real[] = 1.0"
    )


def test_outcomes():
    text = f"""\
# >>> relu([1.0])
# y: real[1] = [1.0]
# sum: real[] = 1.0
# >>> relu([1.0])
# y: real[1] = [2.0]
# sum: real[] = 1.0
# >>> relu([1.0])
# y: real[1] = [1.0]
# >>> relu([1.0])
# >>> relu(1.0)
# >>> relu(1.0)
# error: rank 1
# >>> relu([1.0])
# error: rank 1
# >>> pick([5], [1.0])
# error: outside
# >>> pick([5], [1.0])
# error: rank 1
# >>> pick([5], [1.0])
{RELU}
operator pick {{
    @input {{ at: int[m]; x: real[n]; }}
    @output {{ y: real[m]; }}
    @lower {{ y[i,] = x[at[i,],], i < m; }}
}}
"""
    assert statuses(text) == [
        Status.OK,
        Status.DIFFERS,
        Status.DIFFERS,
        Status.UNRECORDED,
        Status.INVALID,
        Status.AS_EXPECTED,
        Status.DIFFERS,
        Status.AS_EXPECTED,
        Status.DIFFERS,
        Status.FAILED,
    ]


def test_random_arguments_are_the_same_each_time():
    text = f"# >>> relu(random[3])\n{RELU}"
    recorded = updated(text)
    assert statuses(recorded) == [Status.OK]
    moved = recorded.replace("# >>>", "# >>> relu(random[4])\n\n# >>>")
    assert statuses(moved)[1:] == [Status.OK]


def test_limits_cost_the_sample_that_exceeds_them():
    text = f"# >>> relu(zeros[1000000000000])\n# >>> relu([1.0])\n# y: real[1]\n# sum: real[] = 1.0\n{RELU}"
    outcomes = evaluate_samples(SampleRequest("a.sknd", {"a.sknd": text}))
    assert [outcome.status for outcome in outcomes] == [Status.FAILED, Status.OK]
    assert outcomes[0].rule.name == "limit-exceeded"
