"""Limits on the work that hostile input causes, in tests and in ``make fuzz``."""

from __future__ import annotations

import resource
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

FAR_SECONDS = 30  # of CPU time: a machine that does much else is no finding
FAR_BYTES = 3 << 30  # above what the process has already: one that has run thousands of tests has much
_AGAIN_SECONDS = 1.0  # where an exception is lost (in a callback of C, say) the next one ends it


class TookTooLong(BaseException):
    """Not an Exception: nothing that goes on after errors may go on after this."""


@contextmanager
def confined(cpu_seconds: float = FAR_SECONDS, waiting_seconds: float = 0) -> Iterator[None]:
    """Raise ``TookTooLong`` or MemoryError if the code takes more than the limits.

    ``waiting_seconds`` are measured by a clock, for code that may wait forever. 0 is no limit.
    """

    def give_up(number: int, frame: object) -> None:
        raise TookTooLong(f"it has taken {seconds[number]:g} seconds{' of CPU time' * (number == signal.SIGPROF)}")

    seconds = {signal.SIGPROF: cpu_seconds, signal.SIGALRM: waiting_seconds}
    handlers = {number: signal.signal(number, give_up) for number in seconds}
    before = resource.getrlimit(resource.RLIMIT_DATA)
    resource.setrlimit(resource.RLIMIT_DATA, (_data_bytes() + FAR_BYTES, before[1]))
    signal.setitimer(signal.ITIMER_PROF, cpu_seconds, _AGAIN_SECONDS)
    signal.setitimer(signal.ITIMER_REAL, waiting_seconds, _AGAIN_SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.setitimer(signal.ITIMER_REAL, 0)
        for number, handler in handlers.items():
            signal.signal(number, handler)
        resource.setrlimit(resource.RLIMIT_DATA, before)


def _data_bytes() -> int:
    """Return the memory of the process that RLIMIT_DATA counts; 0 if the system does not report it."""
    try:
        return int(Path("/proc/self/statm").read_text().split()[5]) * resource.getpagesize()
    except OSError:
        return 0
