"""Budgets of the benchmarks, and the table that compares them with what was measured.

``@pytest.mark.budget(seconds)`` names the budget; what it is for is said where it is used. Garbage
collection is as in the product: ``snd check`` is measured as a process of its own, which knows by itself; a server
freezes what it has loaded, so ``settle`` does, and what a keystroke leaves is collected as usual.
"""

from __future__ import annotations

import gc
import statistics
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import pytest


@dataclass(frozen=True)
class Measurement:
    """Times in seconds, or bytes; ``best`` is what it takes where nothing else disturbs."""

    name: str
    best: float
    median: float
    ninety_fifth: float
    """Value that 95 of 100 measurements do not exceed."""
    budget: float | None
    is_memory: bool = False


def _measurement(name: str, values: Sequence[float], budget: float | None, is_memory: bool = False) -> Measurement:
    ordered = sorted(values)
    return Measurement(
        name, ordered[0], statistics.median(ordered), ordered[int(len(ordered) * 0.95)], budget, is_memory
    )


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
    seconds = benchmark.stats.stats.data
    request.config.stash[_MEASUREMENTS].append(_measurement(_name(request), seconds, budget))


def _name(request: pytest.FixtureRequest) -> str:
    return f"{request.path.stem.removeprefix('test_')}: {request.node.name.removeprefix('test_').replace('_', ' ')}"


@pytest.fixture
def also(request: pytest.FixtureRequest) -> Callable[..., None]:
    """Add to the table what a benchmark measured by the way: a name, seconds (or bytes), and a budget if there is."""

    def add(what: str, values: Sequence[float], budget: float | None = None, is_memory: bool = False) -> None:
        measurement = _measurement(f"{_name(request)}, {what}", values, budget, is_memory)
        request.config.stash[_MEASUREMENTS].append(measurement)

    return add


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
    terminalreporter.section("benchmarks, in ms or MB")
    terminalreporter.line(_row("benchmark", width, "best", "median", "95 %", "budget", "ratio"))
    for each in measurements:
        factor = 1e-6 if each.is_memory else 1e3
        times = [f"{factor * value:.2f}" for value in (each.best, each.median, each.ninety_fifth)]
        limits = (
            ["–", "–"] if each.budget is None else [f"{factor * each.budget:.1f}", f"{each.median / each.budget:.2f}"]
        )
        over = each.budget is not None and each.median > each.budget
        terminalreporter.line(_row(each.name, width, *times, *limits), red=over)


def _row(name: str, width: int, *cells: str) -> str:
    return f"{name:{width}}" + "".join(f"{cell:>10}" for cell in cells)
