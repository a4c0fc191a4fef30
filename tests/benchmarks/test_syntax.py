"""How long reading takes: ``pytest tests/benchmarks/test_syntax.py --benchmark-only``. The budgets are in DESIGN."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from snd_analysis.syntax.chunks import parse_file
from snd_analysis.syntax.table import table
from snd_analysis.syntax.tokens import tokenize

STDLIB = sorted((Path(__file__).parents[2] / "analysis" / "snd_analysis" / "stdlib").glob("*.sknd"))
TEXTS = {file.stem: file.read_text(encoding="utf-8") for file in STDLIB}
STATEMENTS = 5_000


def big_graph() -> str:
    """One graph of thousands of statements, as exporters write them."""
    kinds = (
        "nn.relu(t{0});",
        "nn.conv{{stride=[2, 2], padding=[1, 1, 1, 1], groups={0}}}(t{0}, w{0}, b{0});",
        "math.add(t{0}, t{0});",
        "layout.reshape{{shape=[1, -1]}}(t{0});",
    )
    body = "".join(f"        t{at + 1} = {kinds[at % len(kinds)].format(at)}\n" for at in range(STATEMENTS))
    head = "import nn, math, layout;\n\ngraph big {\n    @input { t0: real[1, 3, 8, 8]; }\n"
    return f"{head}    @compose {{\n{body}    }}\n}}\n"


def operator_of_lines(count: int) -> str:
    """The library operator whose number of lines is nearest to ``count``."""
    chunks = [placed.chunk.text for text in TEXTS.values() for placed in parse_file(text).chunks]
    return min(chunks, key=lambda text: abs(text.count("\n") - count))


def test_tokens_of_the_library(benchmark: BenchmarkFixture) -> None:
    benchmark(lambda: [tokenize(text) for text in TEXTS.values()])


def test_all_library_modules(benchmark: BenchmarkFixture) -> None:
    trees = benchmark(lambda: [parse_file(text) for text in TEXTS.values()])
    assert not any(list(tree.problems) for tree in trees)


@pytest.mark.parametrize("module", TEXTS)
def test_library_module(benchmark: BenchmarkFixture, module: str) -> None:
    benchmark(parse_file, TEXTS[module])


def test_operator_of_32_lines(benchmark: BenchmarkFixture) -> None:
    benchmark(parse_file, operator_of_lines(32))


@pytest.mark.parametrize("inserted", ["q", "(", '"'])
def test_keystroke_in_an_operator(benchmark: BenchmarkFixture, inserted: str) -> None:
    text = TEXTS["nn"]
    at = text.index("@compose", len(text) // 2) + 20
    benchmark(parse_file, text[:at] + inserted + text[at:], parse_file(text))


def test_big_graph(benchmark: BenchmarkFixture) -> None:
    tree = benchmark(parse_file, big_graph())
    assert not list(tree.problems)


@pytest.mark.parametrize("place", [0.02, 0.5, 0.98])
@pytest.mark.parametrize("inserted", ["q", "("])
def test_keystroke_in_the_big_graph(benchmark: BenchmarkFixture, place: float, inserted: str) -> None:
    text = big_graph()
    at = text.index("(t", int(len(text) * place)) + 1
    tree = parse_file(text)
    changed = benchmark(parse_file, text[:at] + inserted + text[at:], tree)
    assert inserted == "q" or list(changed.problems)


def test_a_statement_at_the_end_of_the_big_graph(benchmark: BenchmarkFixture) -> None:
    text = big_graph()
    at = text.rindex("    }\n}")
    benchmark(parse_file, text[:at] + "        y = nn.conv{\n" + text[at:], parse_file(text))


def test_load_the_table(benchmark: BenchmarkFixture) -> None:
    benchmark(table.__wrapped__)


def test_import_and_first_parse(benchmark: BenchmarkFixture) -> None:
    code = "from snd_analysis.syntax.chunks import parse_file; parse_file('operator f { }')"
    benchmark.pedantic(subprocess.run, args=([sys.executable, "-c", code],), kwargs={"check": True}, rounds=5)
