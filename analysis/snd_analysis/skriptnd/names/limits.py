"""Limits of the resolution of names, with their effects for users."""

from __future__ import annotations

MOST_GUESSES = 64
"""Maximum number of unknown names of a definition for which similar names are suggested.

Further ones are reported without a suggestion: comparing names takes time.
"""
MOST_FURTHER_USES = 3
"""Maximum number of notes that point to further uses of an unknown name. The others are not listed."""
MOST_VERSIONS = 2
"""Maximum number of kept results of a statement.

During typing, a name is resolved, then undefined, then resolved as before. Users see nothing of the limit.
"""
LONGEST_INDEX = 2
"""Maximum number of characters of an unknown name in a formula that is taken for an index.

The message says where the bound of an index is written.
"""
