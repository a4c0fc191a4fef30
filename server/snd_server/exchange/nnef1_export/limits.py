"""Limits of writing models in NNEF 1.0, with their effects for users."""

from __future__ import annotations

MOST_UNROLLED = 4096
"""Maximum number of statements that a loop becomes where the dialect has none. A longer loop is refused."""
