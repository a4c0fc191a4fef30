"""Limits of the analysis of texts in SkriptND, with their effects for users."""

from __future__ import annotations

# ---- limits of reading and repairing texts ---------------------------------------------------------------------------
LONGEST_CHAIN = 300
"""Maximum number of operators in a chain.

A longer chain is an error: trees are walked by recursion, and a chain nests one level per operator.
"""
LONGEST_LOOKAHEAD = 24
"""Maximum number of tokens that are looked at where a repair of a whole statement is tried.

Mistakes beyond are reported by themselves.
"""
MOST_ERRORS_IN_A_ROW = 3
"""Maximum number of nearby errors that are repaired by a guess. At the next one, the statement is skipped."""
MOST_DELETED_TOKENS = 20
"""Maximum number of tokens that a repair leaves out. Beyond it, the statement is skipped, with one error."""
MOST_TOKENS_READ_AGAIN = 40
"""Maximum number of tokens before a mistake that are read again in another way.

Beyond, the error stands where the parser noticed it.
"""
MOST_TOKENS_OF_BLOCK = 200
"""Maximum number of tokens in which the parser searches for the 'yield' of a block without '{'.

Beyond, each of its statements is an error.
"""
LONGEST_COMPLETION = 12
"""Maximum number of tokens that may be missing from an unfinished statement.

With more missing, the parser recovers as from any mistake.
"""
LONGEST_UNFINISHED_LINE = 40
"""Maximum number of tokens of the line on which a statement is unfinished.

On a longer line, the parser recovers as from any mistake.
"""
LONGEST_UNFINISHED_ENTRY = 2000
"""Maximum number of tokens of the unfinished statement. In a longer one, the parser recovers as from any mistake."""
MOST_MOVED_TOKENS = 20_000
"""Maximum number of tokens of a definition inside another one.

For a longer one, the brace around it counts as unclosed.
"""
MOST_STRING_PARTS = 1_000
"""Maximum number of expressions in a text, and parts between them.

One more is an error, and the rest of the text is not read.
"""
MOST_TOKENS_OF_ENTRY = 50_000
"""Maximum number of tokens of one declaration or statement.

A longer one is an error, and its contents are not checked.
"""
DEEPEST_NESTING = 600
"""Maximum number of open grammar symbols, and of levels of expressions in a statement.

Deeper nesting is an error: trees are walked by recursion.
"""
MOST_DIGITS = 4000
"""Maximum number of digits of an int. A longer one is an error: Python refuses to convert it."""
LONGEST_SHOWN_PACK = 40
"""Maximum number of characters of a pack that a message quotes. A longer one is called "the pack"."""


# ---- limits of the resolution of names -------------------------------------------------------------------------------
MOST_GUESSES = 64
"""Maximum number of unknown names of a definition for which similar names are suggested.

Further ones are reported without a suggestion: comparing names takes time.
"""
MOST_FURTHER_USES = 3
"""Maximum number of notes that point to further uses of an unknown name. The others are not listed."""
MOST_VERSIONS = 2
"""Maximum number of kept results of a statement.

During typing, a name is resolved, then undefined, then resolved as before. Users see nothing of the limit.
"""
LONGEST_INDEX = 2
"""Maximum number of characters of an unknown name in a formula that is taken for an index.

The message says where the bound of an index is written.
"""


# ---- limits of typing ------------------------------------------------------------------------------------------------
MOST_DIMENSIONS = 64
"""Maximum number of dimensions of a shape whose extents are followed.

Mismatches of longer shapes are found by composing.
"""
MOST_JOINED_ITEMS = 4096
"""Maximum number of items of a list, joined from packs, whose values are followed: packs may double with every step.

Mistakes in longer lists are found by composing.
"""
MOST_RANGE_ITEMS = 64
"""Maximum number of items of a range or repetition whose values are followed.

Mistakes in longer ones are found by composing.
"""
DEEPEST_SCOPE = 64
"""Maximum number of levels of operators below a scoped name that completion lists.

Only operators that invoke each other, which is an error, lead deeper.
"""
MOST_SCOPED_SUGGESTIONS = 3
"""Maximum number of scoped names that are suggested for an unknown one in ``@quantize``."""
MOST_NAMES_OF_CYCLE = 8
"""Maximum number of operators of a chain that invokes itself, as a message lists them.

Of a longer chain, the middle is left out.
"""
MOST_ORDERED = 5
"""Maximum number of arguments for which all orders are tried where their types are wrong.

Beyond it, each mismatch is reported by itself.
"""


# ---- limits of reading samples ---------------------------------------------------------------------------------------
DEEPEST_EXPRESSION = 200
"""Maximum depth of an expression in a sample. Deeper nesting is an error: trees are walked by recursion."""


# ---- limits of messages about names and comments ---------------------------------------------------------------------
MOST_NAMED = 5
"""Maximum number of unused results that a message names. It counts the others."""
MOST_UNKNOWN_RULES = 20
"""Maximum number of unknown rules of one comment that are reported. The last message counts the others."""
LONGEST_RULE = 80
"""Maximum number of characters of the name of an unknown rule. A longer one is cut."""
