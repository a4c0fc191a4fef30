"""The width of lines; a separate module, so that configurations can be read without the formatter."""

DEFAULT_WIDTH = 100
"""Columns of a line, where nothing says otherwise."""
