"""Limits of evaluations on request, with their effects for users."""

from __future__ import annotations

MOST_SHOWN = 100
"""Maximum number of elements of a tensor that is shown in full. Of a larger one, statistics are shown."""
MOST_MADE_ITEMS = 1024
"""Maximum number of tensors that are generated for an input that is a pack. A pack that needs more is refused."""
MOST_KEPT_SHAPES = 256
"""Maximum number of searches for shapes whose results are kept for the next evaluation."""
MOST_SIZE_OF_MANY_RANKS = 64
"""Extents that are tried with ranks of 4 and more. If larger ones are needed, users have to give shapes."""
MOST_EXTENT = 4096
"""Numbers of a definition that are tried as extents. If larger ones are needed, users have to give shapes."""
MOST_DEMANDED_EXTENT = 1 << 20
"""Extents that conditions are solved for. If larger ones are needed, users have to give shapes."""
MOST_TRIED_ITEMS = 64
"""Maximum number of tensors of a pack that a search for shapes makes. If more are needed, users have to give shapes."""
MOST_SUMS = 30
"""Maximum number of pairs of symbols that ``snd convert --verify`` tries as the parts of another one.

Beyond it, the command reports that the source does not run.
"""
MOST_DISTINCT_ELEMENTS = 1 << 16
"""Maximum number of elements of all inputs of an evaluation that compares two versions of a definition.

Larger inputs are left out.
"""
