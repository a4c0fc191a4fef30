"""The repair of expressions whose precedence is easily misread."""

from __future__ import annotations

from snd_analysis.base import Edit, Repair, Span


def parenthesized(span: Span) -> Repair:
    """Return the repair that encloses a part of the text in parentheses."""
    return Repair("add the parentheses", (Edit(Span(span.start, span.start), "("), Edit(Span(span.end, span.end), ")")))
