"""Limits of reading a text."""

MOST_LEVELS = 100
"""How deeply expressions may be nested. Users see ``nesting-too-deep``."""
