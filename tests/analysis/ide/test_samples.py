"""Samples as editors show them: which they are, what they depend on, and whether they are small."""

from __future__ import annotations

import pytest

from snd_analysis.base import Span
from snd_analysis.ide.evaluation import KnownSample, samples_in
from support.memory import snapshot_of

INNER = """operator half {
    @input { x: real[n]; }
    @output { y: real[n]; }
    @lower { y[i,] = x[i,] / 2.0, i < n; }
}
operator unused {
    @input { x: real[n]; }
    @output { y: real[n]; }
    @lower { y[i,] = x[i,], i < n; }
}
"""
MAIN = """import inner;

# Quarters.
# >>> quarter([4.0])
# y: real[1] = [1.0]
# >>> quarter([4.0])
# and a remark
operator quarter {
    @input { x: real[n]; }
    @output { y: real[n]; }
    @compose {
        h = inner.half(x); # once
        y = inner.half(h);
    }
}
"""


def found(main: str = MAIN, inner: str = INNER) -> tuple[KnownSample, ...]:
    return tuple(samples_in(snapshot_of({"main.sknd": main, "inner.sknd": inner}), "main.sknd"))


def digests(main: str = MAIN, inner: str = INNER) -> list[str]:
    return [each.digest for each in found(main, inner)]


def test_samples_are_known_by_their_code_and_its_occurrence():
    first, second = found()
    assert first.name.code == second.name.code == "# >>> quarter([4.0])"
    assert (first.name.occurrence, second.name.occurrence) == (0, 1)
    assert MAIN[first.span.start : first.span.end].endswith("[1.0]")
    assert MAIN[: second.code_end].endswith("quarter([4.0])")
    moved = found("# Something above.\n\n" + MAIN)
    assert [each.name for each in moved] == [first.name, second.name]


@pytest.mark.parametrize(
    ("main", "inner"),
    [
        (MAIN, INNER.replace("/ 2.0", "/ 3.0")),
        (MAIN.replace("y = inner.half(h)", "y = inner.half(x)"), INNER),
        (MAIN, INNER.replace("x: real[n]", "x: real[n,m]", 1)),
        (MAIN, INNER.replace("operator half", "operator other")),
    ],
)
def test_what_a_sample_reaches_decides(main: str, inner: str):
    assert all(before != now for before, now in zip(digests(), digests(main, inner), strict=True))


@pytest.mark.parametrize(
    ("main", "inner"),
    [
        (MAIN, INNER.replace("x[i,], i", "x[i,] + 1.0, i")),
        (MAIN.replace("# once", "# and more"), INNER),
        ("\n\n" + MAIN.replace("a remark", "another"), "# A comment.\n" + INNER),
        (MAIN + "\ngraph g {\n    @input { x: real[1]; }\n    @output { y: real[1]; }\n"
         "    @compose { y = quarter(x); }\n}\n", INNER),
    ],
)  # fmt: skip
def test_what_it_does_not_reach_does_not(main: str, inner: str):
    assert digests() == digests(main, inner)


def test_the_recorded_result_counts_for_its_sample_alone():
    before, now = digests(), digests(MAIN.replace("= [1.0]", "= [2.0]"))
    assert before[0] != now[0]
    assert before[1] == now[1]


def test_another_file_of_the_same_text_is_something_else():
    files = {"main.sknd": MAIN.replace("import inner;", "import deep.inner;").replace("inner.half", "deep.inner.half")}
    snapshot = snapshot_of({**files, "deep/inner.sknd": INNER})
    assert [each.can_run for each in samples_in(snapshot, "main.sknd")] == [True, True]
    assert not set(digests()) & {each.digest for each in samples_in(snapshot, "main.sknd")}


def test_a_part_of_a_file():
    _, second = found()
    snapshot = snapshot_of({"main.sknd": MAIN, "inner.sknd": INNER})
    inside = Span(second.code_end, second.code_end)
    assert [each.name for each in samples_in(snapshot, "main.sknd", inside)] == [second.name]
    assert not list(samples_in(snapshot, "main.sknd", Span(0, 3)))


LOOPS = """import math, linalg;

# >>> loop(1.0)
graph loop {
    @input { x: real[]; }
    @output { y: real[]; }
    @compose { y = with a = x while math.lt(a, 2.0) do math.mul(a, 2.0); }
}
# >>> linalg.matmul(ones[2,3], ones[3,2])
# >>> linalg.matmul(ones[2000,300], ones[300,2000])
# >>> math.exp(zeros[2000,2000])
# >>> math.exp(zeros[20,20])
# >>> math.exp(1)
# >>> nothing(1)
"""


def test_small_is_what_computes_little():
    known = list(samples_in(snapshot_of({"main.sknd": LOOPS}), "main.sknd"))
    assert [each.can_run for each in known] == [True, True, True, True, True, False, False]
    assert [each.is_small for each in known] == [False, True, False, False, True, False, False]
