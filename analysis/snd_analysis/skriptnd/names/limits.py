"""Limits of what is said about names, with what users see at each."""

from __future__ import annotations

MOST_GUESSES = 64
"""Unknown names of a definition for which similar names are suggested. Further ones are reported without a suggestion:
comparing names takes time."""
MOST_FURTHER_USES = 3
"""Notes that point to further uses of an unknown name. The others are not listed."""
MOST_VERSIONS = 2
"""Results of a statement that are kept: while somebody types, a name stands for something, then for nothing, then for
what it did. Users see nothing of it."""
LONGEST_INDEX = 2
"""Characters of an unknown name in a formula that is taken for an index: the message says where its bound stands."""
