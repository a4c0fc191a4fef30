"""What a worker process may take."""

from __future__ import annotations

from msgspec import Struct


class ProcessLimits(Struct, frozen=True):
    """``memory_bytes`` beyond what the process takes when it is ready and idle; None is no limit.

    The kernel enforces it as a limit of address space, where there is one (Linux): then an allocation fails at once,
    at its place, while a watch over resident memory would come too late for a fast one, and would have to kill. What
    tensors take is bounded everywhere by the budget of an evaluation, which says more; this bounds all the rest.
    """

    memory_bytes: int | None = None
    threads: int | None = None
    """For linear algebra; None for one per processor, up to four."""
