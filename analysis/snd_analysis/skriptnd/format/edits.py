"""Formatting as edits: as few lines as differ, so that cursors and marks of editors stay where they are."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from difflib import SequenceMatcher
from itertools import takewhile
from operator import eq

from snd_analysis.base import Edit, Span
from snd_analysis.skriptnd.format.blocks import entry_edit
from snd_analysis.skriptnd.format.files import format_text, line_break_of
from snd_analysis.skriptnd.format.width import DEFAULT_WIDTH
from snd_analysis.skriptnd.syntax import PlacedChunk, SyntaxTree, nodes

_MOST_LINES = 2000
_LINE = re.compile(r"[^\r\n]*(?:\r\n|\n|\r)|[^\r\n]+\Z")


def format_edits(tree: SyntaxTree, width: int = DEFAULT_WIDTH, span: Span | None = None) -> list[Edit]:
    """What is to be changed, in order of places; with ``span``, only in the lines that it touches."""
    edits = list(_line_edits(tree.text, format_text(tree.text, width, tree)))
    if span is None:
        return edits
    return [edit for edit in edits if edit.span.start <= span.end and span.start < edit.span.end]


def format_typed(tree: SyntaxTree, offset: int, width: int = DEFAULT_WIDTH) -> list[Edit]:
    """What is to be changed of the statement, block, definition or import that ends at ``offset``.

    What is around it need not be finished: files are typed from top to bottom.
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
    """The innermost thing that ends at an offset, or one character before it."""
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


def _line_edits(before: str, after: str) -> Iterator[Edit]:
    old, new = _LINE.findall(before), _LINE.findall(after)
    alike = sum(1 for _ in takewhile(bool, map(eq, reversed(old), reversed(new))))
    old, new = old[: len(old) - alike], new[: len(new) - alike]
    starts = [0]
    for line in old:
        starts.append(starts[-1] + len(line))
    # Where there are very many lines, those that stand everywhere, such as `}`, don't count as alike.
    matcher = SequenceMatcher(None, old, new, autojunk=len(old) > _MOST_LINES)
    for kind, first, last, new_first, new_last in matcher.get_opcodes():
        if kind == "equal":
            continue
        if last - first == new_last - new_first:
            for at, line in zip(range(first, last), new[new_first:new_last], strict=True):
                if line != old[at]:
                    yield Edit(Span(starts[at], starts[at + 1]), line)
        else:
            yield Edit(Span(starts[first], starts[last]), "".join(new[new_first:new_last]))
