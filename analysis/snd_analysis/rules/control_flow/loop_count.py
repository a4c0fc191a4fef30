from __future__ import annotations

from snd_analysis.base import Rule

LOOP_COUNT = Rule("loop-count", section="2.10.1")


def negative_count(count: object) -> str:
    """Return the message for a count below 0."""
    return f"a loop count can't be negative, but this is {count}"
