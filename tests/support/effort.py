"""How much work something is, in a measure that does not depend on the machine."""

from __future__ import annotations

import sys
from collections.abc import Callable


def calls_of(action: Callable[[], object]) -> int:
    """How many functions are called, built-in ones too."""
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
    """How many times as much work four times the size is: 4 if it is linear, 16 if it is quadratic."""
    action(size // 8)  # what is made once is made here
    return calls_of(lambda: action(4 * size)) / calls_of(lambda: action(size))
