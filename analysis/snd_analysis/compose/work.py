"""How much composing one statement may cost: loops within loops are a few characters, and endless."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from snd_analysis.compose.instance import Instance

MOST_WORK = 100_000
"""So many statements and iterations are composed for one loop, with those of the operators that it invokes."""
MOST_LEVELS = 400
"""Operators are composed of others in so many levels: everything that walks them recurses."""


class TooMuchWorkError(Exception):
    """A loop leads to more than ``MOST_WORK``."""


class Work:
    """What was composed of one body so far. Inside of loops there is a limit, the same whatever is known already."""

    __slots__ = ("_counted", "_limit", "done")

    def __init__(self) -> None:
        self.done = 0
        self._limit: int | None = None
        self._counted: set[Instance] = set()

    def add(self, more: int = 1) -> None:
        """Counts statements or iterations. Raises TooMuchWorkError."""
        self.done += more
        if self._limit is not None and self.done > self._limit:
            raise TooMuchWorkError

    def add_instance(self, instance: Instance) -> None:
        """Counts what an operator is composed of, once for all invocations. Raises TooMuchWorkError."""
        if instance not in self._counted:
            self._counted.add(instance)
            self.add(instance.work)

    @property
    def is_limited(self) -> bool:
        """Whether this is inside of a loop."""
        return self._limit is not None

    @contextmanager
    def limited(self) -> Iterator[None]:
        """Within, there is a limit."""
        around, self._counted, self._limit = self._counted, set(), self.done + MOST_WORK
        try:
            yield
        finally:
            self._counted, self._limit = around, None
