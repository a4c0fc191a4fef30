"""The version statements of a document."""

from __future__ import annotations

from collections.abc import Iterator

from snd_analysis.base import Span
from snd_analysis.skriptnd.syntax import SyntaxTree, nodes


def versions(tree: SyntaxTree) -> Iterator[tuple[Span, nodes.Version]]:
    """Return the version statements of a document in their order, each with its place in the file."""
    for placed in tree.chunks:
        for item in placed.chunk.document.items:
            if isinstance(item, nodes.Version):
                yield item.span.shifted(placed.start), item
