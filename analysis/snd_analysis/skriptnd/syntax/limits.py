"""Limits of reading and repairing texts, with their effects for users."""

from __future__ import annotations

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
