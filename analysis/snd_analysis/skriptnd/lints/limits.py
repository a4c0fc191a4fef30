"""Limits of messages about names and comments, with their effects for users."""

from __future__ import annotations

MOST_NAMED = 5
"""Maximum number of unused results that a message names. It counts the others."""
MOST_UNKNOWN_RULES = 20
"""Maximum number of unknown rules of one comment that are reported. The last message counts the others."""
LONGEST_RULE = 80
"""Maximum number of characters of the name of an unknown rule. A longer one is cut."""
