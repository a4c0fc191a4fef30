"""Checkpoints: places in long work at which it may be ended because its result is not wanted any more."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar


def _nothing() -> None:
    pass


_CURRENT: ContextVar[Callable[[], None]] = ContextVar("checkpoint", default=_nothing)


def checkpoint() -> None:
    """Call the checkpoint of the work that this thread does. Raise whatever it raises: that ends the work.

    Work that takes longer than some milliseconds calls this between its pieces, and leaves nothing half changed.
    """
    _CURRENT.get()()


@contextmanager
def checked_by(function: Callable[[], None]) -> Iterator[None]:
    """Let ``function`` be the checkpoint of all work inside."""
    token = _CURRENT.set(function)
    try:
        yield
    finally:
        _CURRENT.reset(token)
