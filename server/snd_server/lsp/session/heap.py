"""Garbage collection in pauses, so that no keystroke waits for it.

Long-lived objects are frozen: a collection then visits only later ones. Reference counts free most garbage of edits;
frozen objects in cycles wait for the next full collection.
"""

from __future__ import annotations

import gc

# Python's generations are collected as usual, except the oldest, which is large and hardly ever holds garbage.
_THRESHOLDS = (10_000, 20, 100)

# Number of pauses between two full collections.
_PAUSES = 32


class Heap:
    """The objects of this process."""

    def __init__(self) -> None:
        self._pauses = 0

    def loaded(self) -> None:
        """Freeze the loaded modules, before any other object exists."""
        gc.freeze()
        gc.set_threshold(*_THRESHOLDS)
        gc.enable()

    def settle(self) -> None:
        """There is nothing to do."""
        self._pauses += 1
        if self._pauses % _PAUSES == 0:
            gc.unfreeze()
        gc.collect()
        gc.freeze()
