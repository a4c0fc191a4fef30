"""Limits of data that all packages share, with their effects for users."""

from __future__ import annotations

MOST_COMPARED_LINES = 2000
"""Maximum number of lines of a text that are compared with all others.

In a longer text, lines that recur often are not matched: the edits between two texts may be larger than need be, and
mean the same.
"""
