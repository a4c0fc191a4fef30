"""Where a place of a text is after an edit of it."""

from __future__ import annotations

from collections.abc import Callable

from snd_analysis.source import Span


def moved(before: str, now: str) -> Callable[[Span], Span | None]:
    """A function from spans of ``before`` to those of ``now``; None for what was touched by the edit."""
    head = _common(before, now)
    rest = min(len(before), len(now)) - head
    tail = _common(before[::-1][:rest], now[::-1][:rest])
    last, distance = len(before) - tail, len(now) - len(before)

    def place(span: Span) -> Span | None:
        if span.end <= head:
            return span
        return span.shifted(distance) if span.start >= last else None

    return place


def _common(one: str, other: str) -> int:
    """The length of the longest common start, found by halving: comparing slices is quicker than characters."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low
