from __future__ import annotations

from snd_analysis.base import Rule

INT_OVERFLOW = Rule("int-overflow", section="2.12")


def too_wide(value: object) -> str:
    """Return the message for an int beyond those of tensors."""
    return f"{value} does not fit into 64 bits"
