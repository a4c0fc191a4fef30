"""Limits of answers to editors, with their effects for users."""

from __future__ import annotations

MOST_COMPLETIONS = 300
"""Maximum number of completions of one list. Editors ask again for longer lists as the word grows."""
MOST_RESULTS = 200
"""Maximum number of earlier results that are considered. Results of a longer graph are offered once they are begun."""
MOST_CLOSING = 40
"""Maximum number of tokens that may be missing after a cursor.

Where more are missing, nothing is offered that depends on them.
"""
STATEMENTS_BEFORE = 8
"""Number of statements before a cursor to check for damage, which may reach up to the cursor."""
MOST_SYMBOLS = 256
"""Maximum number of symbols that a search of the workspace finds. The best ones are shown."""
LONGEST_VALUE = 160
"""Maximum number of characters of a value. A longer one is cut."""
LONGEST_EXTENT = 24
"""Maximum number of characters of an extent in a short type, as hints have it. A longer one is shown as `…`."""
LONGEST_HINT = 40
"""Maximum number of characters of a value in a hint. A longer one is cut."""
LONGEST_EXPRESSION = 100
"""Maximum number of characters of an expression that a hover repeats. A longer one is cut."""
MOST_NAMES = 60
"""Maximum number of definitions that the hover of a module names. After these it ends with `…`."""
MOST_SHOWN_CONDITIONS = 10
"""Maximum number of unproved conditions of an operator in a hover. Beyond it, their number is shown."""
MOST_TENSORS = 12
"""Maximum number of tensors below a label that a hover lists. It counts the others."""
MOST_CHECKS = 3
"""Maximum number of checks of the run that a hover lists. It counts the others."""
LONGEST_LIST = 64
"""Maximum number of items of a list that an action writes out. For longer ones it is not offered."""
LONGEST_CODE = 36
"""Maximum number of characters of a sample by which a hover names it, and of an expression in an action.

A longer one is cut.
"""
MOST_NODES = 20_000
"""Approximate maximum number of nodes of a drawing, in all bodies together. Deeper ones are left out."""
MOST_ELEMENTS = 1_000_000
"""Maximum number of elements of all results in an automatic evaluation. Beyond it, the user has to ask."""
MOST_PRODUCTS = 10_000_000
"""Maximum number of multiply-adds in an automatic evaluation. Beyond it, the user has to ask."""
MOST_POINTS_OF_PICTURE = 30_000
"""Maximum number of points of all formulas that are looked at for a picture of data flow, which takes some seconds.

There may be more if few indices have to be looked at. Beyond that, the picture says that there are too many elements.
"""
LONGEST_PICTURED_VECTOR = 12
"""Maximum number of elements of a vector whose data flow the reference of the library draws."""
MOST_POINTS_OF_FLOW = 2_000
"""Maximum number of points of a formula whose reads a hover shows; nothing is shown for larger ones."""
MOST_SHOWN_ITEMS = 12
"""Maximum number of items of an array of NNEF 1.0 in a hover or hint. The others are '…'."""
MOST_FORMULA_LINES = 24
"""Maximum number of lines about the formula of an operation of NNEF 1.0. A longer text is not shown in its hover."""
MOST_ARGUMENTS = 4
"""Maximum number of arguments of an operator that formulas are compared with. One that takes more is not proposed."""
MOST_CHOICES = 64
"""Maximum number of attributes that are tried for one operator with the same arguments. Others are not proposed."""
MOST_LOOKED_AT = 2_000
"""Maximum number of choices of attributes of one operator of the library that are tried to replace a formula.

Further choices are not proposed.
"""
MOST_TRIED_CHARACTERS = 30_000
"""Maximum number of characters of a file in which a refactoring is tried before it is offered.

In a longer one it may be refused when it is chosen.
"""
MOST_NAMED_USES = 3
"""Maximum number of uses of a definition that stand in the message that it can't be deleted. Others are counted."""
MOST_MOVE_TARGETS = 4
"""Maximum number of files to which the actions at an operator offer to move it, besides a new one.

The command takes any file.
"""
