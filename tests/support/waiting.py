"""Waiting for expected events: as long as a busy machine needs, and no longer."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import TypeVar

FAR_SECONDS = 300.0
"""Nothing that works takes so long, however busy the machine is; a test that fails may."""
SILENCE_SECONDS = 60.0
"""Limit for tests that would wait forever if snd were wrong: they are few and short, and fail by this limit."""

_Found = TypeVar("_Found")


async def until(condition: Callable[[], bool], seconds: float = FAR_SECONDS) -> None:
    """Wait until a condition holds."""
    async with asyncio.timeout(seconds):
        while not condition():
            await asyncio.sleep(0.01)


async def eventually(
    ask: Callable[[], Awaitable[_Found]], holds: Callable[[_Found], object], seconds: float = FAR_SECONDS
) -> _Found:
    """Return the first answer that satisfies ``holds``."""
    end = time.monotonic() + seconds
    while not holds(found := await ask()):
        assert time.monotonic() < end, found
        await asyncio.sleep(0.03)
    return found
