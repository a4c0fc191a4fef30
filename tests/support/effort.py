"""Amount of work, in a measure that does not depend on the machine."""

from __future__ import annotations

import sys
from collections.abc import Callable


def calls_of(action: Callable[[], object]) -> int:
    """Return the number of function calls, built-in ones included."""
    count = 0

    def note(frame: object, event: str, argument: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        action()
    finally:
        sys.setprofile(before)
    return count


def growth_of(action: Callable[[int], object], size: int) -> float:
    """Return the ratio of the work for four times the size: 4 if it is linear, 16 if it is quadratic."""
    action(size // 8)  # warm up caches
    return calls_of(lambda: action(4 * size)) / calls_of(lambda: action(size))
