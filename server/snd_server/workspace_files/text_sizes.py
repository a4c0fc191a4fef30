"""Texts that are too large to be analysed. Time and memory of an analysis grow with the numbers counted here."""

from __future__ import annotations

import re

from snd_server.limits import MOST_DEFINITIONS, MOST_SAMPLES, MOST_STATEMENTS

_HEADS = ("operator", "graph", "fragment")
_DEFINITION = re.compile(rf"\b(?:{'|'.join(_HEADS)})\b")
_SAMPLE = re.compile(r"#[ \t]*>>>")


def too_large(text: str) -> str | None:
    """Return why a text is not analysed, in words; None if it is.

    Counts without reading: words of comments and strings count as well.
    """
    statements = text.count(";")
    if statements > MOST_STATEMENTS:
        return f"it has {statements:,} statements, and snd analyses up to {MOST_STATEMENTS:,} in a file"
    limits = (("definitions", _DEFINITION, _HEADS, MOST_DEFINITIONS), ("samples", _SAMPLE, ("#",), MOST_SAMPLES))
    for what, start, words, most in limits:
        if sum(map(text.count, words)) <= most:
            continue  # after each keystroke, in a tenth of a millisecond
        count = sum(1 for _ in start.finditer(text))
        if count > most:
            return f"it has {count:,} {what}, and snd analyses up to {most:,} in a file"
    return None
