"""The nodes of SkriptND around an offset."""

from __future__ import annotations

from collections.abc import Iterator

from snd_analysis.base import Span
from snd_analysis.ide.cursor import comment_at, nodes_at, token_at
from snd_analysis.skriptnd.syntax import nodes
from snd_analysis.workspace import Snapshot


def around(snapshot: Snapshot, path: str, offset: int) -> Iterator[Span]:
    """Return the spans of definition, block, statements, expressions, and the comment or token."""
    tree = snapshot.tree(path)
    yield from (placed.span for placed in nodes_at(tree, offset) if not isinstance(placed.node, nodes.Document))
    comment = comment_at(tree, offset)
    token = token_at(tree, offset)
    if comment is not None:
        yield comment
    elif token is not None and token.start <= offset <= token.end:
        yield Span(token.start, token.end)
