from __future__ import annotations

from snd_analysis.base import Rule, counted

INDEX_OUT_OF_RANGE = Rule("index-out-of-range", section="LANGUAGE")


def outside_of_pack(what: str, length: object) -> str:
    """Return the message for an index or bound beyond the items of a pack."""
    return f"the {what} is outside of the pack, which has {counted(length, 'item')}"
