"""Budgets of the benchmarks, and the table that compares them with what was measured.

``@pytest.mark.budget(seconds)`` names the budget; those that DESIGN states are said where they are used. Garbage
collection is as in the product: ``snd check`` is measured as a process of its own, which knows by itself; a server
freezes what it has loaded, so ``settle`` does, and what a keystroke leaves is collected as usual.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import pytest


@dataclass(frozen=True)
class Measurement:
    """Times in seconds; ``spread`` is the interquartile range, ``best`` what it takes where nothing else disturbs."""

    name: str
    best: float
    median: float
    spread: float
    budget: float | None


_MEASUREMENTS = pytest.StashKey[list[Measurement]]()


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "budget(seconds): what the median of a benchmark should not exceed")
    config.stash[_MEASUREMENTS] = []


@pytest.fixture(autouse=True)
def _measured(request: pytest.FixtureRequest, benchmark: Any) -> Iterator[None]:
    marker = request.node.get_closest_marker("budget")
    budget = marker.args[0] if marker else None
    if budget is not None:
        benchmark.extra_info["budget"] = budget
    yield
    gc.unfreeze()
    if benchmark.stats is None:
        return
    stats = benchmark.stats.stats
    name = f"{request.path.stem.removeprefix('test_')}: {request.node.name.removeprefix('test_').replace('_', ' ')}"
    request.config.stash[_MEASUREMENTS].append(Measurement(name, stats.min, stats.median, stats.iqr, budget))


@pytest.fixture
def settle() -> Callable[[], None]:
    """To be called when everything is loaded, as a server does."""

    def freeze() -> None:
        gc.collect()
        gc.freeze()

    return freeze


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    measurements = config.stash[_MEASUREMENTS]
    if not measurements:
        return
    width = max(len(each.name) for each in measurements)
    terminalreporter.section("benchmarks, in ms")
    terminalreporter.line(_row("benchmark", width, "best", "median", "spread", "budget", "ratio"))
    for each in measurements:
        times = [f"{1000 * seconds:.2f}" for seconds in (each.best, each.median, each.spread)]
        limits = (
            ["–", "–"] if each.budget is None else [f"{1000 * each.budget:.1f}", f"{each.median / each.budget:.2f}"]
        )
        over = each.budget is not None and each.median > each.budget
        terminalreporter.line(_row(each.name, width, *times, *limits), red=over)


def _row(name: str, width: int, *cells: str) -> str:
    return f"{name:{width}}" + "".join(f"{cell:>10}" for cell in cells)
