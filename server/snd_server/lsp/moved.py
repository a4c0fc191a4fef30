"""Where a place of a text is after an edit of it."""

from __future__ import annotations

from collections.abc import Callable

from snd_analysis.base import Span
from snd_analysis.skriptnd.syntax import common_prefix


def moved(before: str, now: str) -> Callable[[Span], Span | None]:
    """A function from spans of ``before`` to those of ``now``; None for what was touched by the edit."""
    head = common_prefix(before, now)
    rest = min(len(before), len(now)) - head
    tail = common_prefix(before[::-1][:rest], now[::-1][:rest])
    last, distance = len(before) - tail, len(now) - len(before)

    def place(span: Span) -> Span | None:
        if span.end <= head:
            return span
        return span.shifted(distance) if span.start >= last else None

    return place
