from __future__ import annotations

from snd_analysis.base import Rule, counted

LENGTH_MISMATCH = Rule("length-mismatch", section="2.4")


def no_equal_packs(rest: str, count: int) -> str:
    """Return the message for ``rest``, such as "5 items", that does not divide into ``count`` packs."""
    return f"{rest} can't be unzipped into {count} packs of equal length"


def different_lengths(first: object, other: object) -> str:
    """Return the message for packs that must have one length."""
    return f"these packs have different lengths: {first} and {other}"


def mask_differs(mask: object, masked: object) -> str:
    """Return the message for a mask, of so many items, of a pack of another length."""
    return f"the mask has {counted(mask, 'item')}, but the pack that it masks has {masked}"
