from __future__ import annotations

from snd_analysis.base import Rule, counted

DECOMPOSITION_MISMATCH = Rule("decomposition-mismatch", section="2.9")


def wrong_count(length: object, wanted: str) -> str:
    """Return the message for a pack of ``length`` items that a list of names takes as ``wanted``."""
    return f"a pack of {counted(length, 'item')} can't be taken apart into {wanted}"
