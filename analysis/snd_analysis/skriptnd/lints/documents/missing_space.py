"""An integer that touches the dots of its repetition, as in ``1..(n)`` (2.4)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from snd_analysis.base import Edit, Problem, Repair, Rule, Severity, Span
from snd_analysis.skriptnd.syntax import Chunk, tokenize

MISSING_SPACE = Rule("missing-space", section="2.4", severity=Severity.HINT)

_TOUCHING = re.compile(r"\d\.\.\s*\(")


def check(chunk: Chunk) -> Iterator[Problem]:
    """Report integers that touch the dots after them. Spans count from the chunk."""
    text = chunk.text
    if _TOUCHING.search(text) is None or chunk.problems:
        return
    tokens = tokenize(text).tokens
    for number, dots in pairwise(tokens):
        if number.kind == "INT" and number.end == dots.start and _TOUCHING.match(text, number.end - 1):
            written = number.spelling(text)
            message = (
                f"write a space between an integer and '..', as in '{written} ..(n)': '{written}.' is a real number"
            )
            repair = Repair("insert the space", (Edit(Span(number.end, number.end), " "),))
            yield Problem(MISSING_SPACE, Span(number.start, dots.end), message, repair=repair)
