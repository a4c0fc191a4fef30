"""Limits of a worker process."""

from __future__ import annotations

import os

from msgspec import Struct

DEEPEST_RECURSION = 10_000
"""Maximum depth of calls, as in the command: trees and compositions are walked by recursion. Deeper ones fail."""
MOST_THREADS = 4
"""Maximum number of threads of linear algebra.

The threads spin while they wait for each other. If other programs run as well, such as an editor, more threads than
free processors take many times as long as one thread.
"""


class ProcessLimits(Struct, frozen=True):
    """Limits of a process: ``memory_bytes`` beyond the memory of the ready and idle process; None is no limit.

    The kernel enforces it as a limit of address space, where there is one (Linux): then an allocation fails at once, at
    its place, while a watch over resident memory would come too late for a fast one, and would have to kill. The budget
    of an evaluation bounds the memory of tensors on all systems, with better messages; this bounds all other memory.
    """

    memory_bytes: int | None = None
    threads: int | None = None
    """Number of threads of linear algebra; None for one per processor, up to four."""


_THREAD_VARIABLES = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "BLIS_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS",
)
"""Variables of the environment with the number of threads of a library of linear algebra, read when it is loaded."""


def thread_count(limits: ProcessLimits) -> int:
    """Return the number of threads of linear algebra in a process with these limits."""
    return limits.threads or min(MOST_THREADS, max(1, (os.cpu_count() or 1) // 2))


def limit_threads(count: int) -> None:
    """Set the number of threads of linear algebra in this process, which has not loaded NumPy so far."""
    for name in _THREAD_VARIABLES:
        os.environ[name] = str(count)
