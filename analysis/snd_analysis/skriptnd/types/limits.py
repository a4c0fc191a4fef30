"""Limits of typing, with their effects for users."""

from __future__ import annotations

MOST_DIMENSIONS = 64
"""Maximum number of dimensions of a shape whose extents are followed.

Mismatches of longer shapes are found by composing.
"""
MOST_JOINED_ITEMS = 4096
"""Maximum number of items of a list, joined from packs, whose values are followed: packs may double with every step.

Mistakes in longer lists are found by composing.
"""
MOST_RANGE_ITEMS = 64
"""Maximum number of items of a range or repetition whose values are followed.

Mistakes in longer ones are found by composing.
"""
DEEPEST_SCOPE = 64
"""Maximum number of levels of operators below a scoped name that completion lists.

Only operators that invoke each other, which is an error, lead deeper.
"""
MOST_SCOPED_SUGGESTIONS = 3
"""Maximum number of scoped names that are suggested for an unknown one in ``@quantize``."""
MOST_NAMES_OF_CYCLE = 8
"""Maximum number of operators of a chain that invokes itself, as a message lists them.

Of a longer chain, the middle is left out.
"""
MOST_ORDERED = 5
"""Maximum number of arguments for which all orders are tried where their types are wrong.

Beyond it, each mismatch is reported by itself.
"""
