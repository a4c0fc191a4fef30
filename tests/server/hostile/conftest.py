from __future__ import annotations

import resource
import signal
from collections.abc import Iterator

import pytest

from support.waiting import FAR_SECONDS

_FAR_BYTES = 4 << 30


@pytest.fixture(autouse=True)
def _confined() -> Iterator[None]:
    """What hangs or takes gigabytes fails: both limits are far from what anything here needs."""

    def give_up(signal_number: int, frame: object) -> None:
        raise TimeoutError(f"this has taken {FAR_SECONDS} seconds")

    before = resource.getrlimit(resource.RLIMIT_DATA)
    handler = signal.signal(signal.SIGALRM, give_up)
    resource.setrlimit(resource.RLIMIT_DATA, (_FAR_BYTES, before[1]))
    signal.alarm(int(FAR_SECONDS))
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, handler)
        resource.setrlimit(resource.RLIMIT_DATA, before)
