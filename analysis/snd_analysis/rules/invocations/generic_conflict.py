from __future__ import annotations

from snd_analysis.base import Rule

GENERIC_CONFLICT = Rule("generic-conflict", section="2.13")


def message(operator: str, generic: str, first: str, by: str, dtype: str) -> str:
    """Return the message for a second type; ``first`` states the type before, as in "is 'int' by the input 'x'"."""
    return f"'{generic}' of '{operator}' {first}, but is {dtype} by {by}"
