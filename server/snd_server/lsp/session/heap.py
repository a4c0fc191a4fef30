"""When garbage is collected: in pauses, so that no keystroke waits for it.

What lives long is frozen: a collection then looks only at what came after. Reference counts free most of what edits
leave after; what is frozen and lies in cycles waits for the next look at everything.
"""

from __future__ import annotations

import gc

# The generations are collected as usual but for the oldest, which is large and hardly ever holds garbage.
_THRESHOLDS = (10_000, 20, 100)

# How many pauses pass between two looks at everything.
_PAUSES = 32


class Heap:
    """The objects of this process."""

    def __init__(self) -> None:
        self._pauses = 0

    def loaded(self) -> None:
        """All modules are there, and nothing else."""
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
