"""Typing of packs: lists, ranges, expansions, indices, slices and substitutions, and their lengths (2.4)."""

from snd_analysis.skriptnd.types.packs.expansions import expanded
from snd_analysis.skriptnd.types.packs.indices import pack_index, substitution
from snd_analysis.skriptnd.types.packs.lengths import by_condition, joined_length
from snd_analysis.skriptnd.types.packs.lists import is_empty_list, list_
from snd_analysis.skriptnd.types.packs.ranges import range_, range_bounds
from snd_analysis.skriptnd.types.packs.slices import sliced

__all__ = [
    "by_condition",
    "expanded",
    "is_empty_list",
    "joined_length",
    "list_",
    "pack_index",
    "range_",
    "range_bounds",
    "sliced",
    "substitution",
]
