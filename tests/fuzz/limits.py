"""What no case may take."""

from __future__ import annotations

import resource
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

FAR_SECONDS = 30  # of CPU time: a machine that does much else is no finding
FAR_BYTES = 3 << 30  # above what the process has already: one that has run thousands of tests has much


class TookTooLong(BaseException):
    """Not an Exception: nothing that goes on after errors may go on after this."""


@contextmanager
def confined() -> Iterator[None]:
    """Raise ``TookTooLong``, or MemoryError, for what takes more than the limits."""

    def give_up(number: int, frame: object) -> None:
        raise TookTooLong(f"it has taken {FAR_SECONDS} seconds of CPU time")

    before = resource.getrlimit(resource.RLIMIT_DATA)
    handler = signal.signal(signal.SIGPROF, give_up)
    resource.setrlimit(resource.RLIMIT_DATA, (_data_bytes() + FAR_BYTES, before[1]))
    signal.setitimer(signal.ITIMER_PROF, FAR_SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, handler)
        resource.setrlimit(resource.RLIMIT_DATA, before)


def _data_bytes() -> int:
    """Return how much the process has of what RLIMIT_DATA counts; 0 where the system does not tell."""
    try:
        return int(Path("/proc/self/statm").read_text().split()[5]) * resource.getpagesize()
    except OSError:
        return 0
