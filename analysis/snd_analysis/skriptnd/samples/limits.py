"""Limits of reading samples, with what users see at each."""

from __future__ import annotations

DEEPEST_EXPRESSION = 200
"""Levels of an expression in a sample. What nests deeper is an error: trees are walked by recursion."""
