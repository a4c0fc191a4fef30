"""Limits of reading samples, with their effects for users."""

from __future__ import annotations

DEEPEST_EXPRESSION = 200
"""Maximum depth of an expression in a sample. Deeper nesting is an error: trees are walked by recursion."""
