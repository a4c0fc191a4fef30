"""Formatting as edits of lines."""

from __future__ import annotations

from collections.abc import Iterator

from snd_analysis.base import Edit, Span, line_edits
from snd_analysis.nnef1.format.files import format_text
from snd_analysis.nnef1.syntax import Nnef1SyntaxTree, nodes


def format_edits(tree: Nnef1SyntaxTree, width: int, span: Span | None = None) -> list[Edit]:
    """Return the edits that format a file, in order of places; with ``span``, only those in its lines."""
    return line_edits(tree.text, format_text(tree.text, width, tree), span)


def format_typed(tree: Nnef1SyntaxTree, offset: int, width: int) -> list[Edit]:
    """Return the edits that format the statement or definition that ends at ``offset``."""
    found = next((span for span in _spans(tree) if 0 <= offset - span.end <= 1), None)
    return [] if found is None else format_edits(tree, width, found)


def _spans(tree: Nnef1SyntaxTree) -> Iterator[Span]:
    """Yield the spans of statements and definitions."""
    for item in tree.document.items:
        if isinstance(item, nodes.Placed):
            yield item.item.span.shifted(item.start)
            continue
        for entry in item.body or ():
            yield Span(entry.start, entry.start + entry.statements[-1].end)
        yield Span(item.start, item.end)
