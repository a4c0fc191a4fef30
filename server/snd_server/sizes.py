"""Texts that are too large to be analysed. Time and memory of an analysis go with what is counted here."""

from __future__ import annotations

import re

from snd_server.limits import MOST_DEFINITIONS, MOST_STATEMENTS

_DEFINITION = re.compile(r"\b(?:operator|graph|fragment)\b")


def too_large(text: str) -> str | None:
    """Return why a text is not analysed, in words; None if it is.

    Counts without reading: words of comments and strings count as well.
    """
    statements = text.count(";")
    if statements > MOST_STATEMENTS:
        return f"it has {statements:,} statements, and snd analyses up to {MOST_STATEMENTS:,} in a file"
    if len(text) < MOST_DEFINITIONS * len("graph"):
        return None
    definitions = sum(1 for _ in _DEFINITION.finditer(text))
    if definitions > MOST_DEFINITIONS:
        return f"it has {definitions:,} definitions, and snd analyses up to {MOST_DEFINITIONS:,} in a file"
    return None
