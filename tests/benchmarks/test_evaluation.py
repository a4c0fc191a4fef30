"""Evaluation in a worker process, from the request to the answer."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from snd_analysis.names.library import library_modules, library_names
from snd_analysis.names.symbols import OperatorName
from snd_runtime.evaluation import EvaluationAnswer, EvaluationRequest, Evaluator


@pytest.fixture(scope="module")
def evaluator() -> Iterator[Evaluator]:
    with Evaluator() as evaluator:
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


@pytest.mark.budget(1.0)
def test_from_the_death_of_a_worker_to_the_next_answer(benchmark: BenchmarkFixture, evaluator: Evaluator) -> None:
    relu = OperatorName("snd:nn", "relu")

    def replaced() -> None:
        evaluator.worker.stop()
        evaluate(evaluator, relu)

    benchmark.pedantic(replaced, rounds=5, warmup_rounds=1)
