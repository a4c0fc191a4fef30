"""Limits of what is kept between edits, and of what is told, with what users see at each."""

from __future__ import annotations

MOST_KEPT_ARGUMENTS = 4
"""Invocations of a long definition for which its composed statements are kept. Users see nothing of it."""
MOST_KEPT_GRAPHS = 256
"""Graphs of NNEF 1.0 of which it is kept what they see. Users see nothing of it."""
MOST_MESSAGE_CHARACTERS = 4_000
"""Of a message; of longer ones the middle is left out."""
LONGEST_SHOWN_INVOCATION = 60
"""Characters of an invocation that a message quotes. Of a longer one, only the fix has the text."""
