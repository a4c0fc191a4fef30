"""Folds: definitions, blocks, regions, comments and imports."""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum

from msgspec import Struct

from snd_analysis.base import Span
from snd_analysis.ide.cursor import comment_at, nodes_at, token_at
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


# ---- places of a file that lead to another: the modules that it imports ----------------------------------------------
class DocumentLink(Struct, frozen=True):
    """A name of a module, and the file in which the module was found."""

    span: Span
    target: str


def document_links(snapshot: Snapshot, path: str) -> list[DocumentLink]:
    """Return the links of a file in order of their places; modules that are not found lead nowhere."""
    links = [DocumentLink(item.span, item.path) for item in snapshot.imports(path) if item.path is not None]
    return sorted(links, key=lambda link: link.span)


# ---- the nodes of SkriptND around an offset --------------------------------------------------------------------------
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
