"""Limits of what is known of a graph of another format, with what users see at each."""

from __future__ import annotations

MOST_OPERATIONS = 20_000
"""Operations of one graph whose ranges are followed, those of invoked operators each time. Nothing is known of later
ones: mistakes in them are found by the run."""
