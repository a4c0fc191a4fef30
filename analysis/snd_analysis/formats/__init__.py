"""Demands of the formats beyond the language: ranges of ints, and restrictions of a target.

Nothing here is loaded for a graph that invokes no operator of `tosa` or `cvm`, unless a target is set.
"""

from typing import TYPE_CHECKING

from snd_analysis.base import loaded_when_used
from snd_analysis.formats.reached import TOSA, has_ranges

if TYPE_CHECKING:
    from snd_analysis.formats.intervals import (
        STORED,
        WIDEST,
        PaddingSizes,
        Range,
        bits_of,
        padding_sizes,
        storage_attribute,
        storage_of,
    )
    from snd_analysis.formats.profile import profile_failures
    from snd_analysis.formats.ranges import Ranges, ranges_of
else:
    __getattr__ = loaded_when_used(__name__, "intervals", "profile", "ranges")

__all__ = [
    "STORED",
    "TOSA",
    "WIDEST",
    "PaddingSizes",
    "Range",
    "Ranges",
    "bits_of",
    "has_ranges",
    "padding_sizes",
    "profile_failures",
    "ranges_of",
    "storage_attribute",
    "storage_of",
]
