"""What no case may take."""

from __future__ import annotations

import resource
import signal
from collections.abc import Iterator
from contextlib import contextmanager

FAR_SECONDS = 30
FAR_BYTES = 3 << 30


class TookTooLong(BaseException):
    """Not an Exception: nothing that goes on after errors may go on after this."""


@contextmanager
def confined() -> Iterator[None]:
    """Raise ``TookTooLong``, or MemoryError, for what takes more than the limits."""

    def give_up(number: int, frame: object) -> None:
        raise TookTooLong(f"it has taken {FAR_SECONDS} seconds")

    before = resource.getrlimit(resource.RLIMIT_DATA)
    handler = signal.signal(signal.SIGALRM, give_up)
    resource.setrlimit(resource.RLIMIT_DATA, (FAR_BYTES, before[1]))
    signal.alarm(FAR_SECONDS)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, handler)
        resource.setrlimit(resource.RLIMIT_DATA, before)
