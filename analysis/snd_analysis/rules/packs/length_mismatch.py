from __future__ import annotations

from snd_analysis.base import Rule

LENGTH_MISMATCH = Rule("length-mismatch", section="2.4")


def no_equal_packs(rest: str, count: int) -> str:
    """Return the message for ``rest``, such as "5 items", that does not divide into ``count`` packs."""
    return f"{rest} can't be unzipped into {count} packs of equal length"
