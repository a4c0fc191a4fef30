"""Folds: definitions, blocks, regions, comments and imports."""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum

from msgspec import Struct

from snd_analysis.base import Span
from snd_analysis.skriptnd.syntax import SyntaxTree, nodes
from snd_analysis.workspace import Snapshot


class FoldKind(StrEnum):
    """Kind of a fold."""

    CODE = "code"
    COMMENT = "comment"
    IMPORTS = "imports"


class FoldableRange(Struct, frozen=True):
    """A range that can be folded; the rest of its first line stays visible."""

    span: Span
    kind: FoldKind


def foldable(snapshot: Snapshot, path: str) -> Iterator[FoldableRange]:
    """Return definitions, blocks, regions and imports."""
    tree = snapshot.tree(path)
    yield from _code(tree)
    yield from _imports(tree)


def _code(tree: SyntaxTree) -> Iterator[FoldableRange]:
    for start, definition in tree.definitions:
        yield FoldableRange(definition.span.shifted(start), FoldKind.CODE)
        for block in definition.blocks:
            yield FoldableRange(block.span.shifted(start), FoldKind.CODE)
            if not isinstance(block, nodes.Block):
                continue
            for entry in block.entries:
                for node in nodes.descendants(entry.statement):
                    if isinstance(node, nodes.Region):
                        yield FoldableRange(node.span.shifted(start + entry.start), FoldKind.CODE)


def _imports(tree: SyntaxTree) -> Iterator[FoldableRange]:
    spans = [
        item.span.shifted(placed.start)
        for placed in tree.chunks
        for item in placed.chunk.document.items
        if isinstance(item, nodes.Import)
    ]
    if len(spans) > 1:
        yield FoldableRange(Span(spans[0].start, spans[-1].end), FoldKind.IMPORTS)
