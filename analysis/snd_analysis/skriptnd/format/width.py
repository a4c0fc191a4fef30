"""How wide lines are; by itself, so that configurations can be read without the formatter."""

DEFAULT_WIDTH = 100
"""Columns of a line, where nothing says otherwise."""
