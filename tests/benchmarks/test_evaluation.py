"""Evaluation in a worker process, from the request to the answer."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from snd_analysis.skriptnd.names import OperatorName, library_modules, library_names, library_text
from snd_runtime.evaluation import EvaluationAnswer, EvaluationRequest, Evaluator
from snd_runtime.samples import SampleEvaluator, SampleRequest, Status
from support.memory import snapshot_of


@pytest.fixture(scope="module")
def evaluator() -> Iterator[Evaluator]:
    with Evaluator() as evaluator:
        yield evaluator


@pytest.fixture(scope="module")
def samples() -> Iterator[SampleEvaluator]:
    with SampleEvaluator() as evaluator:
        yield evaluator


def evaluate(evaluator: Evaluator, name: OperatorName) -> EvaluationAnswer:
    return evaluator.evaluate({}, EvaluationRequest(name))


def needs_nothing(evaluator: Evaluator) -> list[OperatorName]:
    """The operators of the library that can be evaluated with made-up inputs alone."""
    names = [
        OperatorName(f"snd:{module}", name)
        for module in library_modules()
        for name in library_names(module).definitions
    ]
    return [name for name in names if not evaluate(evaluator, name).failures]


@pytest.mark.budget(0.02)
@pytest.mark.parametrize("name", ["nn.relu", "nn.conv", "linalg.matmul", "nn.batch_norm", "math.add"])
def test_a_small_operator_once_the_worker_is_warm(benchmark: BenchmarkFixture, evaluator: Evaluator, name: str) -> None:
    """The goal of the interpreter: 20 ms for the sample of any operator."""
    module, _, operator = name.partition(".")
    assert not evaluate(evaluator, OperatorName(f"snd:{module}", operator)).failures
    benchmark(evaluate, evaluator, OperatorName(f"snd:{module}", operator))


@pytest.mark.budget(0.02)
def test_the_library_once_the_worker_is_warm_each(benchmark: BenchmarkFixture, evaluator: Evaluator) -> None:
    """One operator after the other: a round each, so that the slowest of them all is seen in the spread."""
    names = needs_nothing(evaluator)
    assert len(names) > 50
    each = iter(names)
    benchmark.pedantic(lambda: evaluate(evaluator, next(each)), rounds=len(names), iterations=1)


@pytest.mark.budget(0.02)
@pytest.mark.parametrize("module", library_modules())
def test_every_operator_by_its_samples(benchmark: BenchmarkFixture, samples: SampleEvaluator, module: str) -> None:
    """A round for each sample, with the worker warm; those that take longer than 20 ms are named in the report."""
    path = f"snd:{module}"
    request = SampleRequest(path, {path: library_text(path)})
    placed = snapshot_of({}).samples(path)
    calls = [each.sample.invocation for each in placed]
    names = ["?" if call is None else call.function.text for call in calls]
    for outcome in samples.outcomes(request, range(len(names))):
        assert outcome.status in (Status.OK, Status.AS_EXPECTED)
    numbers, seconds = iter(range(len(names))), list[float]()

    def one() -> None:
        number = next(numbers)
        start = time.perf_counter()
        list(samples.outcomes(request, (number,)))
        seconds.append(time.perf_counter() - start)

    benchmark.pedantic(one, rounds=len(names), iterations=1)
    benchmark.extra_info["slow"] = [name for name, took in zip(names, seconds, strict=True) if took > 0.02]


@pytest.mark.budget(1.0)
def test_from_the_death_of_a_worker_to_the_next_answer(benchmark: BenchmarkFixture, evaluator: Evaluator) -> None:
    relu = OperatorName("snd:nn", "relu")

    def replaced() -> None:
        evaluator.worker.stop()
        evaluate(evaluator, relu)

    benchmark.pedantic(replaced, rounds=5, warmup_rounds=1)
