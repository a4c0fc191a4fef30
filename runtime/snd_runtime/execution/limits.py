"""Limits of running graphs, with their effects for users."""

from __future__ import annotations

DEEPEST_FACTOR = 12
"""Maximum number of invocations followed to find the role of a variable. Beyond it, the role is unknown."""
MOST_FLAT_STEPS = 20_000
"""Maximum number of steps of a program that is made flat. A longer one runs unchanged: users see the same, later."""
MOST_CONSTANT_ELEMENTS = 1 << 16
"""Maximum number of elements of the constants of an operator that becomes a part of the program around it.

Operators with more stay invocations: users see the same.
"""
MOST_DRAWN = 131_071
"""Maximum number of elements of a variable that are drawn.

A larger variable repeats them. A prime number, so that rows and channels differ nevertheless.
"""
MOST_ROW_POINTS = 1 << 26
"""Maximum number of points that compiled steps compute in a row, a few seconds.

The time is checked only before and after.
"""
