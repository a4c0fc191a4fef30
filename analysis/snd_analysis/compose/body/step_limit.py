"""How much composing one statement may cost: loops within loops are a few characters, and endless."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from snd_analysis.compose.limits import MOST_STEPS

if TYPE_CHECKING:
    from snd_analysis.compose.specialization import Specialization


class TooManyStepsError(Exception):
    """A loop leads to more than ``MOST_STEPS``."""


class StepCount:
    """What was composed of one body so far. Inside of loops there is a limit, the same whatever is known already."""

    __slots__ = ("_counted", "_limit", "done")

    def __init__(self) -> None:
        self.done = 0
        self._limit: int | None = None
        self._counted: set[Specialization] = set()

    def add(self, more: int = 1) -> None:
        """Counts statements or iterations. Raises TooManyStepsError."""
        self.done += more
        if self._limit is not None and self.done > self._limit:
            raise TooManyStepsError

    def add_specialization(self, specialization: Specialization) -> None:
        """Counts what an operator is composed of, once for all invocations. Raises TooManyStepsError."""
        if specialization not in self._counted:
            self._counted.add(specialization)
            self.add(specialization.steps)

    @property
    def is_limited(self) -> bool:
        """Whether this is inside of a loop."""
        return self._limit is not None

    @contextmanager
    def limited(self) -> Iterator[None]:
        """Within, there is a limit."""
        around, self._counted, self._limit = self._counted, set(), self.done + MOST_STEPS
        try:
            yield
        finally:
            self._counted, self._limit = around, None
