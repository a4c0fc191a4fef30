"""Time of parsing a file from nothing, and after an edit."""

from __future__ import annotations

import subprocess
import sys

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from snd_analysis.skriptnd.syntax import parse_file, table, tokenize
from support.benchmarks.programs import MODULES, chain, operator_of_lines

PROTOTYPE = 0.052 / 190_000
"""Seconds per character: how long a prototype took for a corpus of 190 KB."""
WHOLE_LIBRARY = sum(map(len, MODULES.values()))


def sized(module: str) -> object:
    """The name of a module as a parameter, with the budget that its size gives it."""
    return pytest.param(module, marks=pytest.mark.budget(PROTOTYPE * len(MODULES[module])))


def test_tokens_of_the_library(benchmark: BenchmarkFixture) -> None:
    benchmark(lambda: [tokenize(text) for text in MODULES.values()])


@pytest.mark.budget(PROTOTYPE * WHOLE_LIBRARY)
def test_all_library_modules(benchmark: BenchmarkFixture) -> None:
    trees = benchmark(lambda: [read(text) for text in MODULES.values()])
    assert not any(trees)


@pytest.mark.parametrize("module", [sized(module) for module in MODULES])
def test_library_module(benchmark: BenchmarkFixture, module: str) -> None:
    assert not benchmark(read, MODULES[module])


def read(text: str) -> list[object]:
    """All problems of a text: chunks are parsed when somebody asks for them."""
    return list(parse_file(text).problems)


@pytest.mark.budget(0.00034)
def test_operator_of_32_lines(benchmark: BenchmarkFixture) -> None:
    """The prototype took 0.34 ms."""
    benchmark(read, operator_of_lines(32))


@pytest.mark.budget(0.005)
@pytest.mark.parametrize("inserted", ["q", "(", '"'])
def test_keystroke_in_an_operator(benchmark: BenchmarkFixture, inserted: str) -> None:
    """Budget: a keystroke to the tree and its syntax errors in 5 ms."""
    text = MODULES["nn"]
    at = text.index("@compose", len(text) // 2) + 20
    before = parse_file(text)
    assert not list(before.problems)
    benchmark(lambda: list(parse_file(text[:at] + inserted + text[at:], before).problems))


@pytest.mark.budget(0.005)
def test_a_statement_at_the_end_of_5000(benchmark: BenchmarkFixture) -> None:
    text = chain(5_000)
    at = text.rindex("    }\n}")
    before = parse_file(text)
    assert not list(before.problems)
    benchmark(lambda: list(parse_file(text[:at] + "        z = nn.conv{\n" + text[at:], before).problems))


def test_load_the_table(benchmark: BenchmarkFixture) -> None:
    benchmark(table.__wrapped__)


def test_import_and_first_parse(benchmark: BenchmarkFixture) -> None:
    code = "from snd_analysis.skriptnd.syntax.chunks import parse_file; parse_file('operator f { }')"
    benchmark.pedantic(subprocess.run, args=([sys.executable, "-c", code],), kwargs={"check": True}, rounds=5)
