"""Limits of messages about NNEF 1.0, with their effects for users."""

from __future__ import annotations

MOST_LISTED_FILES = 3
"""Files that nothing reads, as a message lists them. It counts the others."""
MOST_CONTRADICTED = 4
"""Assertions that a contradiction points to: the last ones before it."""
