"""Limits of the analysis of texts in NNEF 1.0, with their effects for users."""

from __future__ import annotations

# ---- limits of reading a text ----------------------------------------------------------------------------------------
MOST_OPERATORS = 400
"""Maximum number of operators in a row in an expression: code that walks the tree recurses."""
MOST_LEVELS = 40
"""Maximum depth of nested expressions. Users see ``nesting-too-deep``."""
MOST_REMEMBERED_PIECES = 4
"""Maximum number of pieces of a text that are kept, for each entry of the body that is edited.

Then the text is read as a whole: users see nothing of it.
"""


# ---- limits of reading the assertions of tract -----------------------------------------------------------------------
MOST_ROUNDS = 8
"""Maximum number of rounds in which bounds of symbols are concluded from each other. Further ones stay unknown."""
DEEPEST_ASSERTION = 64
"""Factors inside of each other in an assertion of tract. One that nests deeper is reported as none."""


# ---- limits of messages about NNEF 1.0 -------------------------------------------------------------------------------
MOST_LISTED_FILES = 3
"""Maximum number of files that nothing reads, as a message lists them. It counts the others."""
MOST_CONTRADICTED = 4
"""Maximum number of assertions that a contradiction points to: the last ones before it."""


# ---- limits of elaborating a graph -----------------------------------------------------------------------------------
MOST_INVOCATIONS_WITHIN = 100
"""Maximum depth of invocations between fragments: ``recursive-operator``."""
MOST_STATEMENTS = 20_000
"""Maximum number of statements of all fragments, counted for each invocation: ``value-too-large``."""
MOST_ITEMS = 65_536
"""Maximum number of items of an array: ``value-too-large``, as in SkriptND."""
MOST_CHARACTERS = 1_000_000
"""Maximum number of characters of a string: ``value-too-large``."""
MOST_ITEMS_MADE = 1_000_000
"""Maximum number of items of all computed arrays together: ``value-too-large``."""
MOST_DIGITS = 2_466
"""Maximum number of digits of an integer: ``value-too-large``, as in SkriptND."""
MOST_NOTES = 8
"""Maximum number of invocations of fragments that lead to a mistake. The middle of a longer chain is left out."""
GREATEST_INTEGER = 2**63 - 1
"""That a text may have: parsers keep integers in 64 bits."""
MOST_KNOWN_ITEMS = 256
"""Maximum number of items that a tensor of integers may have to be computed when a graph is read.

A larger one is a tensor only.
"""
MOST_SUGGESTIONS = 100
"""Maximum number of unknown tensors of a file that are compared with all of the graph. Others have no suggestion."""
LONGEST_UNPROVEN = 60
"""Maximum number of characters of two extents that a message compares. Of longer ones, it names the symbols."""
MOST_UNPROVEN_NOTES = 4
"""Maximum number of further operations with the same missing equality that a message points to."""
MOST_FITTED_SYMBOLS = 3
"""Maximum number of symbols for which sizes are tried that make shapes fit.

A message about more of them has no example.
"""
GREATEST_FITTED_SIZE = 3
"""Greatest size that is tried. A message says that shapes differ if they fit for greater sizes only."""
MOST_REMAINDERS = 16
"""Maximum number of remainders that are tried to see that an extent is rounded down.

For greater divisors, snd warns only.
"""
GREATEST_LEAST_SIZE = 1 << 20
"""Up to which snd looks for the least size for which no extent is negative."""
MOST_LISTED_NAMES = 6
"""Most names that a message lists."""
