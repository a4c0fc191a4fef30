"""Limits of reading a text."""

MOST_OPERATORS = 400
"""Maximum number of operators in a row in an expression: code that walks the tree recurses."""
MOST_LEVELS = 40
"""Maximum depth of nested expressions. Users see ``nesting-too-deep``."""
MOST_REMEMBERED_PIECES = 4
"""Maximum number of pieces of a text that are kept, for each entry of the body that is edited.

Then the text is read as a whole: users see nothing of it.
"""
