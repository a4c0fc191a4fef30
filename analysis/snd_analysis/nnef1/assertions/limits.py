"""Limits of reading the assertions of tract, with what users see at each."""

from __future__ import annotations

MOST_ROUNDS = 8
"""Times that bounds of symbols are concluded from each other. What takes more is not known."""
DEEPEST_ASSERTION = 64
"""Factors inside of each other in an assertion of tract. One that nests deeper is reported as none."""
