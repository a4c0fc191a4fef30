from __future__ import annotations

from snd_analysis.base import Rule

UNEXPECTED_PACK = Rule("unexpected-pack", section="2.4")


def pack_for_value(what: str, type_: object) -> str:
    """Return the message for a pack where a single value is expected."""
    return f"{what} is a single value, but this is a pack of type '{type_}'"
