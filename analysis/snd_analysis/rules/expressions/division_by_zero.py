from __future__ import annotations

from snd_analysis.base import Rule

DIVISION_BY_ZERO = Rule("division-by-zero", section="LANGUAGE")


def zero_divisor(operator: str) -> str:
    """Return the message for a division, named by its operator, whose right side is 0."""
    return f"the right side of '{operator}' is 0 here"
