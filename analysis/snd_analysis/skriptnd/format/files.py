"""A whole file: a blank line between its definitions with the comments above them, in the line breaks that it has."""

from __future__ import annotations

import re
from collections.abc import Iterable

from snd_analysis.base import BYTE_ORDER_MARK, Edit, Span, line_edits
from snd_analysis.skriptnd.format.blocks import entry_edit, printed_chunk
from snd_analysis.skriptnd.format.cursor import Unprintable
from snd_analysis.skriptnd.format.width import DEFAULT_WIDTH
from snd_analysis.skriptnd.syntax import Chunk, PlacedChunk, SyntaxTree, Tokens, nodes, parse_file, tokenize

_LINE_BREAK = re.compile(r"\r\n|\n|\r")


def format_text(text: str, width: int = DEFAULT_WIDTH, tree: SyntaxTree | None = None) -> str:
    """Return the text in the canonical style. Unparsed text and all tokens stay unchanged.

    Lines are broken to fit ``width`` where possible. ``tree`` is the tree of the text, if it is known.
    """
    tree = tree or parse_file(text)
    line_break = line_break_of(text)
    pieces = [(formatted_chunk(placed.chunk, width, line_break), placed.chunk.is_comment) for placed in tree.chunks]
    joined = "".join(f"{piece}{line_break * (1 if is_comment else 2)}" for piece, is_comment in pieces if piece)
    joined = joined.rstrip("\r\n")
    mark = BYTE_ORDER_MARK if text.startswith(BYTE_ORDER_MARK) and not joined.startswith(BYTE_ORDER_MARK) else ""
    formatted = f"{mark}{joined}{line_break}" if joined else mark
    if any(True for _ in tree.problems) and not _is_same(text, tokenize(text), formatted):
        return text  # broken text reaches beyond the border of a chunk
    return formatted


def formatted_chunk(chunk: Chunk, width: int = DEFAULT_WIDTH, line_break: str = "\n") -> str:
    """Return a chunk in the canonical style, without line breaks around it.

    A chunk that is broken in an ambiguous way is returned unchanged.
    """
    as_it_is = chunk.text.strip("\r\n \t\f\v")
    tokens = tokenize(chunk.text)
    breaks_in_strings = {
        found for token in tokens.tokens if token.kind == "STRING"
        for found in _LINE_BREAK.findall(token.spelling(chunk.text))
    }  # fmt: skip
    if breaks_in_strings - {line_break}:
        return as_it_is
    try:
        lines = printed_chunk(chunk, tokens, width)
    except Unprintable:
        return as_it_is
    text = "\n".join(lines).strip("\n").replace("\n", line_break)
    return text if _is_same(chunk.text, tokens, text) else as_it_is


def line_break_of(text: str) -> str:
    """Return the first line break that formatting keeps; leading ones are removed."""
    found = _LINE_BREAK.search(text.lstrip(f"{BYTE_ORDER_MARK}\r\n \t\f\v"))
    return found[0] if found else "\n"


def _is_same(before: str, old: Tokens, after: str) -> bool:
    """Return whether a text consists of these tokens and comments, too."""
    new = tokenize(after)
    same_tokens = [token.spelling(before) for token in old.tokens] == [token.spelling(after) for token in new.tokens]
    comments = [before[span.start : span.end].rstrip() for span in old.comments]
    return same_tokens and comments == [after[span.start : span.end].rstrip() for span in new.comments]


# ---- formatting as edits: as few lines as differ, so that cursors and marks of editors stay where they are -----------
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
