"""Limits of reading the assertions of tract, with their effects for users."""

from __future__ import annotations

MOST_ROUNDS = 8
"""Maximum number of rounds in which bounds of symbols are concluded from each other. Further ones stay unknown."""
DEEPEST_ASSERTION = 64
"""Factors inside of each other in an assertion of tract. One that nests deeper is reported as none."""
