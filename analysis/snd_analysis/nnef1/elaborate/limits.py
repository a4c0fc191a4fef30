"""Limits of elaborating a graph, each with what users see when it is reached."""

MOST_INVOCATIONS_WITHIN = 100
"""How deeply fragments may invoke one another: ``recursive-operator``."""
MOST_STATEMENTS = 100_000
"""How many statements a graph may come to, those of fragments counted for each invocation: ``value-too-large``."""
MOST_ITEMS = 1_000_000
"""How many items an array may have: ``value-too-large``."""
