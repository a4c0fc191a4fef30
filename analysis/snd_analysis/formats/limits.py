"""Limits of the ranges of a graph of another format, with their effects for users."""

from __future__ import annotations

MOST_OPERATIONS = 20_000
"""Maximum number of operations of a graph whose ranges are followed, invoked operators counted each time.

Later ones are unknown: the run finds mistakes in them.
"""
MOST_ITERATIONS = 64
"""Maximum number of iterations of a loop that are followed one by one.

The ranges of later ones are known if they grow by the same step each time; the run finds mistakes in others.
"""
PROBES = 8
"""Later iterations of a loop that are followed, to see that ranges still grow by the same step."""
