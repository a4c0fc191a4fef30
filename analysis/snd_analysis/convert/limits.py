"""Limits of conversions, with their effects for users."""

from __future__ import annotations

LONGEST_NAME = 150
"""Maximum number of characters of a name that a conversion makes, since names are also names of files.

A longer one is cut.
"""
MOST_STEPS = 3
"""Maximum number of operators that replace one invocation. One that takes more stays an invocation."""
