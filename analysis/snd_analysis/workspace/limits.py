"""Limits of results kept between edits, and of messages, with their effects for users."""

from __future__ import annotations

MOST_KEPT_ARGUMENTS = 4
"""Maximum number of invocations of a long definition for which its composed statements are kept."""
MOST_KEPT_GRAPHS = 256
"""Maximum number of NNEF 1.0 graphs whose scopes are kept. Users see nothing of it."""
MOST_MESSAGE_CHARACTERS = 4_000
"""Maximum length of a message; longer ones lose their middle."""
LONGEST_SHOWN_INVOCATION = 60
"""Maximum number of characters of an invocation that a message quotes. Of a longer one, only the fix has the text."""
