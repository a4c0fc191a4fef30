"""Limits of an evaluation, checked before each allocation and between chunks of work."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from math import prod
from typing import Final

from msgspec import Struct

from snd_analysis.base import checked_by
from snd_analysis.model import Place
from snd_runtime.errors import EvaluationFailed
from snd_runtime.rules import LIMIT_EXCEEDED

MOST_RANK: Final = 32
"""Maximum rank of a tensor, and number of indices of a formula: some operations of NumPy support no more."""
MOST_ITERATIONS_WITHOUT_COUNT = 100_000
"""Maximum number of iterations, in one evaluation, of loops that only a condition ends. With more, the run fails."""
MOST_PICTURED_IMAGES = 4
"""Maximum number of images of a tensor of more than two dimensions. Further ones are not shown."""
MOST_PICTURED_ELEMENTS = 64
"""Maximum number of elements along each side of one image. Of more, every second, third … is shown."""


def too_slow(seconds: float | None) -> str:
    """Return the message for an evaluation that takes longer than it may."""
    return f"this takes longer than the {seconds:g} seconds that are allowed"


class TimeOverError(Exception):
    """The time for some work is over."""


@contextmanager
def until(end: float | None) -> Iterator[None]:
    """Let checkpoints of the work inside raise TimeOverError after ``end``, a time of ``time.monotonic``."""

    def check() -> None:
        if end is not None and time.monotonic() > end:
            raise TimeOverError

    with checked_by(check):
        yield


class Limits(Struct, frozen=True):
    """Limits of one evaluation; None is no limit. ``chunk_elements`` computed at a time bound the temporaries."""

    seconds: float | None = None
    spent_seconds: float = 0.0
    """Seconds that were used before, for example by composing."""
    tensor_bytes: int | None = 1 << 32
    """Maximum bytes of all tensors that are alive together, as far as one operator knows."""
    spent_bytes: int = 0
    """Bytes of tensors that existed before."""
    elements: int | None = None
    """Maximum number of elements of a single tensor."""
    chunk_elements: int = 1 << 18
    contraction_elements: int = 1 << 24
    """The same for a factor of a matrix product, which gains by being large."""


class Budget:
    """The remaining time and memory of one evaluation. ``clock`` gives seconds since any point in time."""

    def __init__(self, limits: Limits, clock: Callable[[], float] = time.monotonic) -> None:
        self.limits = limits
        self._clock = clock
        self._end = None if limits.seconds is None else clock() + limits.seconds - limits.spent_seconds
        self._bytes = limits.spent_bytes
        self._held = 0
        self._iterations_without_count = 0

    def allocate(self, what: str, shape: Sequence[int], item_bytes: int, place: Place | None) -> None:
        """Take the memory of a tensor from the budget. Raise EvaluationFailed if it has not enough."""
        if len(shape) > MOST_RANK:
            message = f"{what} would have {len(shape)} dimensions, but snd computes with {MOST_RANK} at most"
            raise EvaluationFailed(LIMIT_EXCEEDED, message, place)
        elements = prod(shape)
        most = self.limits.elements
        if most is not None and elements > most:
            message = f"{what} would have {elements:,} elements, more than the {most:,} that are allowed"
            raise EvaluationFailed(LIMIT_EXCEEDED, message, place)
        self._bytes += elements * item_bytes
        allowed = self.limits.tensor_bytes
        if allowed is not None and self._bytes > allowed:
            message = f"{what} takes {elements * item_bytes:,} bytes, which is more than is left of {allowed:,}"
            raise EvaluationFailed(LIMIT_EXCEEDED, message, place)

    def allows(self, more: int, elements: int) -> bool:
        """Return whether so many more bytes are left, and a tensor may have so many elements."""
        limits = self.limits
        has_bytes = limits.tensor_bytes is None or self._bytes + more <= limits.tensor_bytes
        return has_bytes and (limits.elements is None or elements <= limits.elements)

    def release(self, elements: int, item_bytes: int) -> None:
        """Give back the memory of a temporary array."""
        self._bytes -= elements * item_bytes

    def hold(self, what: str, shape: Sequence[int], item_bytes: int, place: Place | None) -> None:
        """Take the memory of a tensor that stays to the end. Raise EvaluationFailed if there is not enough."""
        self.allocate(what, shape, item_bytes, place)
        self._held += prod(shape) * item_bytes

    @property
    def used(self) -> int:
        """Return the number of bytes of tensors that are freed before the end."""
        return self._bytes - self._held

    def settle(self, used: int) -> None:
        """Set ``used`` to a measured value."""
        self._bytes = used + self._held

    def iterate_without_count(self, place: Place) -> None:
        """Count an iteration of a loop that only a condition ends. Raise EvaluationFailed for too many."""
        self._iterations_without_count += 1
        if self._iterations_without_count > MOST_ITERATIONS_WITHOUT_COUNT:
            message = (
                f"this loop has no count, and its condition still holds after {MOST_ITERATIONS_WITHOUT_COUNT:,} "
                "iterations: if it needs more, write a count (do..(n))"
            )
            raise EvaluationFailed(LIMIT_EXCEEDED, message, place)

    def check_time(self, place: Place | None) -> None:
        """Raise EvaluationFailed when the time is over."""
        if self._end is not None and self._clock() > self._end:
            raise EvaluationFailed(LIMIT_EXCEEDED, too_slow(self.limits.seconds), place)
