"""What can be selected around an offset, from the smallest to the whole file."""

from __future__ import annotations

from snd_analysis.base import Span
from snd_analysis.ide.cursor import comment_at, nodes_at, token_at
from snd_analysis.skriptnd.syntax import SyntaxTree, nodes


def selections(tree: SyntaxTree, offset: int) -> list[Span]:
    """Spans that each lie in the next: the word, the expressions and statements around it, block, definition, file."""
    spans = [Span(0, len(tree.text))]
    spans += [placed.span for placed in nodes_at(tree, offset) if not isinstance(placed.node, nodes.Document)]
    comment = comment_at(tree, offset)
    token = token_at(tree, offset)
    if comment is not None:
        spans.append(comment)
    elif token is not None and token.start <= offset <= token.end:
        spans.append(Span(token.start, token.end))
    nested: list[Span] = []
    for span in spans:
        if not nested or (nested[-1].start <= span.start and span.end <= nested[-1].end and span != nested[-1]):
            nested.append(span)
    return nested[::-1]
