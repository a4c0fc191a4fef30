"""Limits of the ranges of a graph of another format, with their effects for users."""

from __future__ import annotations

MOST_OPERATIONS = 20_000
"""Operations of one graph whose ranges are followed, those of invoked operators each time. Nothing is known of later
ones: mistakes in them are found by the run."""
MOST_ITERATIONS = 64
"""Iterations of a loop that are followed one by one. Of later ones the ranges are known if they grow by the same step
each time; mistakes in others are found by the run."""
PROBES = 8
"""Later iterations of a loop that are followed, to see that ranges still grow by the same step."""
