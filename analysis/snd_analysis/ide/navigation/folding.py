"""What can be folded: definitions, blocks, regions, comments and imports."""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum

from msgspec import Struct

from snd_analysis.base import Source, Span
from snd_analysis.skriptnd.syntax import SyntaxTree, nodes


class FoldKind(StrEnum):
    """What is folded."""

    CODE = "code"
    COMMENT = "comment"
    IMPORTS = "imports"


class Fold(Struct, frozen=True):
    """From where to where; the rest of the first line stays to be seen."""

    span: Span
    kind: FoldKind


def folds(tree: SyntaxTree, source: Source) -> list[Fold]:
    """Everything of more than one line, in order of its places."""
    found = [*_code(tree), *_imports(tree), *_comments(tree, source)]
    several = [each for each in found if _line(source, each.span.start) < _line(source, each.span.end)]
    return sorted(several, key=lambda each: (each.span.start, -each.span.end))


def _code(tree: SyntaxTree) -> Iterator[Fold]:
    for start, definition in tree.definitions:
        yield Fold(definition.span.shifted(start), FoldKind.CODE)
        for block in definition.blocks:
            yield Fold(block.span.shifted(start), FoldKind.CODE)
            if not isinstance(block, nodes.Block):
                continue
            for entry in block.entries:
                for node in nodes.descendants(entry.statement):
                    if isinstance(node, nodes.Region):
                        yield Fold(node.span.shifted(start + entry.start), FoldKind.CODE)


def _imports(tree: SyntaxTree) -> Iterator[Fold]:
    spans = [
        item.span.shifted(placed.start)
        for placed in tree.chunks
        for item in placed.chunk.document.items
        if isinstance(item, nodes.Import)
    ]
    if len(spans) > 1:
        yield Fold(Span(spans[0].start, spans[-1].end), FoldKind.IMPORTS)


def _comments(tree: SyntaxTree, source: Source) -> Iterator[Fold]:
    """Comments on neighbouring lines together."""
    begin: Span | None = None
    last = Span(0, 0)
    for comment in tree.comments:
        alone = not source.text[source.line_starts[_line(source, comment.start)] : comment.start].strip()
        follows = begin is not None and alone and _line(source, comment.start) == _line(source, last.start) + 1
        if not follows:
            if begin is not None:
                yield Fold(Span(begin.start, last.end), FoldKind.COMMENT)
            begin = comment if alone else None
        last = comment
    if begin is not None:
        yield Fold(Span(begin.start, last.end), FoldKind.COMMENT)


def _line(source: Source, offset: int) -> int:
    return source.position(offset).line - 1
