"""Overhead of a query: a known answer, and an edit of one of a hundred dependencies."""

from __future__ import annotations

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from snd_analysis.db import Database, Input, query

text = Input(lambda source, name: "")


@query
def length(db: Database, name: str) -> int:
    return len(text(db, name))


@query
def total(db: Database) -> int:
    return sum(length(db, f"file {at}") for at in range(100))


@pytest.mark.budget(0.002)
def test_a_thousand_known_answers(benchmark: BenchmarkFixture) -> None:
    db = Database()

    def ask() -> int:
        return sum(length(db, "file 0") for _ in range(1000))

    assert benchmark(ask) == 0


@pytest.mark.budget(0.001)
def test_one_of_a_hundred_dependencies_changes(benchmark: BenchmarkFixture) -> None:
    revisions = [Database()]

    def edit() -> int:
        revisions[0] = revisions[0].changed({text.at("file 7"): "x" * (revisions[0].revision % 5)})
        return total(revisions[0])

    assert benchmark(edit) < 5
