"""Share of a sweep that is tried: a part in ``make test``, everything in ``make test-all`` (``pytest --exhaustive``).

The part is the same on every machine and in every run, so that no change is rejected because of another.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeVar

_Item = TypeVar("_Item")

_exhaustive = False


def set_exhaustive(value: bool) -> None:
    """Decide for this run. Must be called before test modules are imported."""
    global _exhaustive
    _exhaustive = value


def sample(items: Iterable[_Item], count: int) -> list[_Item]:
    """Return ``count`` of the items, spread evenly and in their order; all of them in an exhaustive run."""
    everything = list(items)
    if _exhaustive or len(everything) <= count:
        return everything
    return [everything[(2 * at + 1) * len(everything) // (2 * count)] for at in range(count)]


def tries(some: int, all_of_them: int) -> int:
    """Return the second number in an exhaustive run, else the first."""
    return all_of_them if _exhaustive else some


def examples(count: int) -> int:
    """Return how many examples Hypothesis tries of a property that is worth ``count``: an eighth if not exhaustive."""
    return tries(max(5, count // 8), count)
