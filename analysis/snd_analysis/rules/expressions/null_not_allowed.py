from __future__ import annotations

from snd_analysis.base import Rule

NULL_NOT_ALLOWED = Rule("null-not-allowed", section="2.4.1")


def may_be_null(what: str, type_: object) -> str:
    """Return the message for a value of an optional type where null is not allowed."""
    return f"{what} can't be null, but this may be: its type is '{type_}'; give a value for null with '??'"
