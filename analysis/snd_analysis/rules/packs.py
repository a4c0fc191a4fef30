"""Rules about packs and their lengths."""

from __future__ import annotations

from snd_analysis.base import Rule, counted

AMBIGUOUS_DECOMPOSITION = Rule("ambiguous-decomposition", section="2.9")
DECOMPOSITION_MISMATCH = Rule("decomposition-mismatch", section="2.9")
EXPANSION_WITHOUT_LENGTH = Rule("expansion-without-length", section="2.4")
INDEX_OUT_OF_RANGE = Rule("index-out-of-range", section="LANGUAGE")
LENGTH_MISMATCH = Rule("length-mismatch", section="2.4")
NOT_INDEXABLE = Rule("not-indexable", section="2.4")
PACK_EXPECTED = Rule("pack-expected", section="2.4")
PACK_NOT_EXPANDED = Rule("pack-not-expanded", section="2.4")
RANGE_WITHOUT_END = Rule("range-without-end", section="2.4")
UNEXPECTED_PACK = Rule("unexpected-pack", section="2.4")
ZERO_STEP = Rule("zero-step", section="2.4")
STEP_IS_ZERO = "the step of a range can't be 0"
ZIP_NOT_EXPANDED = Rule("zip-not-expanded", section="2.4")


def wrong_item_count(length: object, wanted: str) -> str:
    """Return the message for a pack of ``length`` items that a list of names takes as ``wanted``."""
    return f"a pack of {counted(length, 'item')} can't be decomposed into {wanted}"


def outside_of_pack(what: str, length: object) -> str:
    """Return the message for an index or bound beyond the items of a pack."""
    return f"the {what} is outside of the pack, which has {counted(length, 'item')}"


def no_equal_packs(rest: str, count: int) -> str:
    """Return the message for ``rest``, such as "5 items", that does not divide into ``count`` packs."""
    return f"{rest} can't be unzipped into {count} packs of equal length"


def different_lengths(first: object, other: object) -> str:
    """Return the message for packs that must have one length."""
    return f"these packs have different lengths: {first} and {other}"


def mask_differs(mask: object, masked: object) -> str:
    """Return the message for a mask, of so many items, of a pack of another length."""
    return f"the mask has {counted(mask, 'item')}, but the pack that it masks has {masked}"


def pack_for_value(what: str, type_: object) -> str:
    """Return the message for a pack where a single value is expected."""
    return f"{what} is a single value, but this is a pack of type '{type_}'"


def tuple_within(what: str) -> str:
    """Return the message for a tuple without ``..`` in an index or a list."""
    return f"a tuple in {what} must be expanded: write '..' after it"
