"""Limits of the text of a Python file."""

from __future__ import annotations

MOST_NAMED = 4
"""Maximum number of tensors of a sequence that have names of their own. Items of longer ones have indices."""
MOST_WRITTEN = 64
"""Maximum number of elements of a constant that are written into the text. An operator with a larger one is refused."""
