from __future__ import annotations

from snd_analysis.base import Rule

ZIP_NOT_EXPANDED = Rule("zip-not-expanded", section="2.4")


def tuple_within(what: str) -> str:
    """Return the message for a tuple without ``..`` in an index or a list."""
    return f"a tuple in {what} must be expanded: write '..' after it"
