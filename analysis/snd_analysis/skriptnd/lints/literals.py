"""Rules about literals (2.4)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from snd_analysis.base import Edit, Problem, Repair, Rule, Severity, Span
from snd_analysis.rules import check_of
from snd_analysis.skriptnd.syntax import Chunk, Token

REAL_OVERFLOW = Rule("real-overflow", section="2.4", severity=Severity.WARNING)

_LEAST_INFINITE = 2.0**128 - 2.0**103
"""Least number that is rounded to infinity in 32 bits."""
_LARGE = re.compile(r"\d\.?[eE]\+?(3[89]|[4-9]\d|\d{3,})|\d{38}")
_COMPARISONS = frozenset({"<", "<=", ">", ">=", "==", "!="})


@check_of(Chunk)
def _real_overflow(chunk: Chunk) -> Iterator[Problem]:
    """Report the reals that are infinite in 32 bits. A comparison means the same with infinity."""
    text = chunk.text
    if chunk.is_comment or chunk.problems or _LARGE.search(text) is None:
        return
    tokens = chunk.tokens.tokens
    for at, token in enumerate(tokens):
        written = token.spelling(text)
        if token.kind == "REAL" and float(written) >= _LEAST_INFINITE and not _is_compared(text, tokens, at):
            span = Span(token.start, token.end)
            message = f"{written} does not fit into the reals of 32 bits, and becomes infinite in a tensor"
            yield Problem(REAL_OVERFLOW, span, message, repair=Repair("write inf", (Edit(span, "inf"),), safe=False))


def _is_compared(text: str, tokens: Sequence[Token], at: int) -> bool:
    """Return whether a number stands beside a comparison."""
    before = at - 1
    while before >= 0 and tokens[before].spelling(text) in ("-", "("):
        before -= 1
    sides = (tokens[each].spelling(text) for each in (before, at + 1) if 0 <= each < len(tokens))
    return any(side in _COMPARISONS for side in sides)
