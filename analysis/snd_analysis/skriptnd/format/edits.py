"""Formatting as edits: as few lines as differ, so that cursors and marks of editors stay where they are."""

from __future__ import annotations

from collections.abc import Iterable

from snd_analysis.base import Edit, Span, line_edits
from snd_analysis.skriptnd.format.blocks import entry_edit
from snd_analysis.skriptnd.format.files import format_text, line_break_of
from snd_analysis.skriptnd.format.width import DEFAULT_WIDTH
from snd_analysis.skriptnd.syntax import PlacedChunk, SyntaxTree, nodes


def format_edits(tree: SyntaxTree, width: int = DEFAULT_WIDTH, span: Span | None = None) -> list[Edit]:
    """Return the edits that format a file, in order of places; with ``span``, only those in its lines."""
    return line_edits(tree.text, format_text(tree.text, width, tree), span)


def format_typed(tree: SyntaxTree, offset: int, width: int = DEFAULT_WIDTH) -> list[Edit]:
    """Return the edits that format the statement, block, definition or import that ends at ``offset``.

    The surrounding text need not be finished: files are typed from top to bottom.
    """
    found = _ending_at(tree, offset)
    if found is None:
        return []
    placed, node = found
    if isinstance(node, nodes.Entry):
        return _entry_edits(placed, [node], width)
    edits = format_edits(tree, width, node.span.shifted(placed.start))
    if edits or not isinstance(node, nodes.Block):
        return edits
    return _entry_edits(placed, node.entries, width)


def _entry_edits(placed: PlacedChunk, entries: Iterable[nodes.Entry], width: int) -> list[Edit]:
    line_break = line_break_of(placed.chunk.text)
    edits = (entry_edit(placed.chunk, entry, width) for entry in entries)
    return [Edit(span.shifted(placed.start), text.replace("\n", line_break)) for span, text in filter(None, edits)]


def _ending_at(tree: SyntaxTree, offset: int) -> tuple[PlacedChunk, nodes.Node] | None:
    """Return the innermost thing that ends at an offset, or one character before it."""
    for placed in tree.chunks:
        if not placed.start <= offset <= placed.start + len(placed.chunk.text):
            continue
        for definition in placed.chunk.definitions:
            blocks = [block for block in definition.blocks if isinstance(block, nodes.Block)]
            entries = [entry for block in blocks for entry in block.entries]
            for node in (*entries, *blocks, definition):
                if 0 <= offset - placed.start - node.end <= 1:
                    return placed, node
        for item in placed.chunk.document.items:
            if isinstance(item, nodes.Import) and 0 <= offset - placed.start - item.end <= 1:
                return placed, item
    return None
