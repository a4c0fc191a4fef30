"""Whole processes, from their start to their end."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from support.benchmarks.programs import LIBRARY, ROOT


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """As where snd is installed: its modules are compiled, the cache is where nobody else is."""
    packages = os.pathsep.join(str(ROOT / room) for room in ("analysis", "runtime", "server"))
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return {**kept, "PYTHONPATH": packages, "SND_CACHE_DIR": str(tmp_path)}


def measure(benchmark: BenchmarkFixture, environment: dict[str, str], *arguments: str, rounds: int = 9) -> None:
    """Run ``snd ARGUMENT…`` once unmeasured, then so many times."""

    def run() -> None:
        command = [sys.executable, "-m", "snd_server", *arguments]
        process = subprocess.run(command, env=environment, cwd=ROOT, capture_output=True, encoding="utf-8")
        assert process.returncode == 0, process.stdout + process.stderr

    benchmark.pedantic(run, rounds=rounds, warmup_rounds=1)


def test_start(benchmark: BenchmarkFixture, environment: dict[str, str]) -> None:
    measure(benchmark, environment, "--version")


@pytest.mark.budget(0.300)
@pytest.mark.parametrize("example", ["alexnet", "broken"])
def test_to_the_first_diagnostic(benchmark: BenchmarkFixture, environment: dict[str, str], example: str) -> None:
    """Budget: from the start of the process to the first diagnostic in 300 ms."""
    measure(benchmark, environment, "check", "--no-cache", "--exit-zero", f"examples/{example}")


@pytest.mark.budget(1.0)
def test_check_of_the_library_cold(benchmark: BenchmarkFixture, environment: dict[str, str]) -> None:
    """Budget: ``snd check`` of the standard library in 1 s."""
    measure(benchmark, environment, "check", "--no-cache", str(LIBRARY), rounds=5)


@pytest.mark.budget(0.15)
def test_check_of_the_library_from_the_cache(benchmark: BenchmarkFixture, environment: dict[str, str]) -> None:
    """Budget: ``snd check`` of the standard library in 0.15 s from the cache."""
    measure(benchmark, environment, "check", str(LIBRARY))
