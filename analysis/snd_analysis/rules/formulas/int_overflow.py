from __future__ import annotations

from snd_analysis.base import Rule

INT_OVERFLOW = Rule("int-overflow", section="2.12")


def too_wide(value: object) -> str:
    """Return the message for an int beyond the range of tensors."""
    return f"{value} does not fit into 64 bits"


def result_too_wide(operator: str) -> str:
    """Return the message for a result of an operator beyond the ints of tensors."""
    return too_wide(f"the result of '{operator}'")
