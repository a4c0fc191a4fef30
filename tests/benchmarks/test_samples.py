"""Samples: what they add to a check, and how long one takes once the worker is warm."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from snd_analysis.base import Edit, Span
from snd_analysis.skriptnd.names import library_text
from snd_analysis.workspace import Workspace
from snd_runtime.samples import SampleEvaluator, SampleRequest, Status
from support.memory import MemoryReader, snapshot_of


@pytest.fixture(scope="module")
def evaluator() -> Iterator[SampleEvaluator]:
    with SampleEvaluator() as evaluator:
        yield evaluator


@pytest.mark.budget(0.02)  # of a library operator, with the worker warm: issue 5
def test_one_sample_in_the_worker(benchmark: Any, evaluator: SampleEvaluator):
    request = SampleRequest("a.sknd", {"a.sknd": library_text("snd:layout")})
    outcomes = benchmark(lambda: [*evaluator.outcomes(request, (20,))])
    assert outcomes[0].status is Status.OK


@pytest.mark.budget(0.25)  # edited, composed and evaluated
def test_one_sample_that_was_edited(benchmark: Any, evaluator: SampleEvaluator):
    text = library_text("snd:layout")
    number = iter(range(1_000_000))

    def run() -> Any:
        edited = text.replace("# >>> tensor{value=[5]}()", f"# >>> tensor{{value=[{next(number)}]}}()")
        return [*evaluator.outcomes(SampleRequest("a.sknd", {"a.sknd": edited}), (1,))]

    run()
    assert benchmark(run)[0].status is Status.DIFFERS


@pytest.mark.budget(0.01)  # an edit inside of one operator
def test_keystroke_in_a_file_with_many_samples(benchmark: Any, settle: Callable[[], None]):
    text = library_text("snd:math")
    workspace = Workspace(MemoryReader({}))
    workspace.open("a.sknd", text)
    workspace.snapshot().diagnostics("a.sknd")
    settle()
    at = text.index("1.0 / x[i..]")
    digits = iter("12" * 500_000)

    def press() -> None:
        workspace.edit("a.sknd", [Edit(Span(at, at + 1), next(digits))])
        workspace.snapshot().diagnostics("a.sknd")

    benchmark(press)


def test_samples_of_the_largest_module(benchmark: Any):
    def check() -> int:
        snapshot = snapshot_of({})
        return len([*snapshot.checked_samples("snd:math")])

    assert benchmark.pedantic(check, rounds=2) > 50
