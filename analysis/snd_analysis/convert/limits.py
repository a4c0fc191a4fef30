"""Limits of conversions, with what users see at each."""

from __future__ import annotations

LONGEST_NAME = 150
"""Characters of a name that a conversion makes, since names are also names of files. A longer one is cut."""
MOST_STEPS = 3
"""Operators that one invocation is replaced by. What takes more stays an invocation."""
