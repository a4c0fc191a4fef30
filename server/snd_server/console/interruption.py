"""Repetition of an interruption until the command has noticed it."""

from __future__ import annotations

import signal
from collections.abc import Callable
from types import FrameType

_SECONDS = 1.0
_CAN_REPEAT = hasattr(signal, "setitimer")


def repeat(handler: Callable[[int, FrameType | None], None]) -> None:
    """Call a handler of signals again in a second, unless ``stop_repeating`` is called before."""
    if _CAN_REPEAT:
        signal.signal(signal.SIGALRM, handler)
        signal.setitimer(signal.ITIMER_REAL, _SECONDS)


def stop_repeating() -> None:
    """Note that the interruption has been noticed."""
    if _CAN_REPEAT:
        signal.setitimer(signal.ITIMER_REAL, 0)
