"""Typing of packs: lists, ranges, expansions, indices, slices and substitutions, and their lengths (2.4)."""

from snd_analysis.skriptnd.types.expressions.packs.expansions import by_condition, condition_of, expanded, joined_length
from snd_analysis.skriptnd.types.expressions.packs.indices import infer_items, pack_index, sliced, substitution
from snd_analysis.skriptnd.types.expressions.packs.lists import list_, range_, range_bounds

__all__ = [
    "by_condition",
    "condition_of",
    "expanded",
    "infer_items",
    "joined_length",
    "list_",
    "pack_index",
    "range_",
    "range_bounds",
    "sliced",
    "substitution",
]
