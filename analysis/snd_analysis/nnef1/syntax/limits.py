"""Limits of reading a text."""

MOST_LEVELS = 40
"""How deeply expressions may be nested. Users see ``nesting-too-deep``."""
