"""Limits of messages about NNEF 1.0, with their effects for users."""

from __future__ import annotations

MOST_LISTED_FILES = 3
"""Maximum number of files that nothing reads, as a message lists them. It counts the others."""
MOST_CONTRADICTED = 4
"""Maximum number of assertions that a contradiction points to: the last ones before it."""
