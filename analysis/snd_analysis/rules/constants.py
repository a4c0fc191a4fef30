"""Rules about constants."""

from __future__ import annotations

from snd_analysis.base import Rule

CONSTANT_INDICES = Rule("constant-indices", section="2.7")
CONSTANT_VALUES = Rule("constant-values", section="2.7")
MISSING_LENGTH = Rule("missing-length", section="2.7")
MISSING_VALUE = Rule("missing-value", section="2.7")


def wrong_index_count(name: str, rank: object, count: object) -> str:
    """Return the message for a constant that has not one index for each dimension."""
    word = "index" if str(count) == "1" else "indices"
    return f"'{name}' has the rank {rank}, but {count} {word}: there must be one for each dimension"


def wrong_bound(index: str, bound: object, name: str, extent: object) -> str:
    """Return the message for an index of a constant that runs over another number than its dimension has."""
    return f"the index '{index}' runs up to {bound}, but this extent of '{name}' is {extent}"
