from __future__ import annotations

from snd_analysis.base import Rule

EMPTY_EXTREMUM = Rule("empty-extremum", section="2.4")


def no_extremum(operator: str) -> str:
    """Return the message for a fold of an empty pack by ``<?`` or ``>?``."""
    return f"an empty pack has no {'minimum' if operator == '<?' else 'maximum'}"
