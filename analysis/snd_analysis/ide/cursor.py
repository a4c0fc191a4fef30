"""The parts of a file at an offset: the name, the nodes around it, the token, the comment."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from functools import lru_cache

from msgspec import Struct

from snd_analysis.base import Span
from snd_analysis.skriptnd.names import Resolution, Use
from snd_analysis.skriptnd.syntax import Chunk, PlacedChunk, SyntaxTree, Token, nodes, tokenize
from snd_analysis.workspace import Snapshot

# Tokens of the chunks that were asked about last: several questions are asked of each place.
_REMEMBERED_CHUNKS = 32
_STATEMENTS_BEFORE = 2


class PlacedNode(Struct, frozen=True):
    """A node with its span in the file; ``base`` is the offset that the spans of its children count from."""

    node: nodes.Node
    span: Span
    base: int


class PlacedUse(Struct, frozen=True):
    """A use of a name where it stands in the file."""

    path: str
    span: Span
    use: Use
    definition: nodes.Definition
    resolution: Resolution
    start: int
    """Offset that spans of the definition and of its resolution count from."""


def chunk_at(tree: SyntaxTree, offset: int) -> PlacedChunk | None:
    """Return the chunk that an offset stands in; at a border the one that begins there."""
    at = bisect_right(tree.chunks, offset, key=lambda placed: placed.start) - 1
    return tree.chunks[at] if at >= 0 else None


def definition_at(tree: SyntaxTree, offset: int) -> tuple[int, nodes.Definition] | None:
    """Return the operator or graph around an offset, with the offset that its spans count from."""
    placed = chunk_at(tree, offset)
    if placed is None:
        return None
    return next(
        (
            (placed.start, definition)
            for definition in placed.chunk.definitions
            if placed.start + definition.start <= offset <= placed.start + definition.end
        ),
        None,
    )


def use_at(snapshot: Snapshot, path: str, offset: int) -> PlacedUse | None:
    """Return the use of a name that an offset touches; between two names the one that begins there."""
    found = definition_at(snapshot.tree(path), offset)
    if found is None:
        return None
    start, definition = found
    resolution = snapshot.resolution(path, definition)
    place = offset - start
    touching = resolution.uses_at(place)
    if not touching:
        return None
    use = min(touching, key=lambda use: (use.span.end == place, use.span.end - use.span.start))
    return PlacedUse(path, use.span.shifted(start), use, definition, resolution, start)


def import_at(snapshot: Snapshot, path: str, offset: int) -> tuple[Span, str, str | None] | None:
    """Return the module name of an import statement that an offset touches.

    The result is its span, the name, and the path of the module.
    """
    for item in snapshot.imports(path):
        span = item.node.span.shifted(item.base)
        if span.start <= offset <= span.end:
            return span, item.node.text, item.path
    return None


def nodes_at(tree: SyntaxTree, offset: int) -> list[PlacedNode]:
    """Return the nodes around an offset, from the document to the innermost one."""
    placed = chunk_at(tree, offset)
    if placed is None:
        return []
    current = PlacedNode(placed.chunk.document, placed.chunk.document.span.shifted(placed.start), placed.start)
    path = [current]
    while True:
        inner = _innermost(current, offset)
        if inner is None:
            return path
        path.append(inner)
        current = inner


def _innermost(outer: PlacedNode, offset: int) -> PlacedNode | None:
    best: PlacedNode | None = None
    for child in _children_near(outer, offset):
        span = child.span.shifted(outer.base)
        if not span.start <= offset <= span.end:
            continue
        base = span.start if isinstance(child, nodes.Entry) else outer.base
        # Prefer the neighbour that begins at the offset.
        if best is None or span.start == offset:
            best = PlacedNode(child, span, base)
    return best


def _children_near(outer: PlacedNode, offset: int) -> Iterable[nodes.Node]:
    """Return the children of a node; for a block only entries that may touch an offset."""
    if not isinstance(outer.node, nodes.Block):
        return nodes.children(outer.node)
    entries = outer.node.entries
    after = bisect_right(entries, offset - outer.base, key=lambda entry: entry.start)
    return entries[max(after - 2, 0) : after]


@lru_cache(maxsize=_REMEMBERED_CHUNKS)
def tokens_around(chunk: Chunk, first: int, last: int) -> tuple[Token, ...]:
    """Return the tokens of a part of a chunk, and some around it, without reading all of a long chunk.

    They begin with a block or a statement: some before the one at ``first``, which may be broken and read as several.
    """
    start = 0
    for item in chunk.document.items:
        if not isinstance(item, nodes.Definition) or not item.start <= first <= item.end:
            continue
        for block in item.blocks:
            if isinstance(block, nodes.Block) and block.start <= first <= block.end:
                at = bisect_right(block.entries, first, key=lambda entry: entry.start) - 1
                start = block.entries[at - _STATEMENTS_BEFORE].start if at >= _STATEMENTS_BEFORE else block.start
    return tokenize(chunk.text, start, stop=last).tokens


def token_at(tree: SyntaxTree, offset: int) -> Token | None:
    """Return the token that an offset touches, placed in the file; of two neighbours the one that begins there."""
    placed = chunk_at(tree, offset)
    if placed is None:
        return None
    tokens = placed.chunk.tokens.tokens
    at = bisect_right(tokens, offset - placed.start, key=lambda token: token.start) - 1
    if at < 0:
        return None
    token = tokens[at]
    if token.end < offset - placed.start:
        return None
    return token._replace(start=token.start + placed.start, end=token.end + placed.start)


def comment_at(tree: SyntaxTree, offset: int) -> Span | None:
    """Return the comment that an offset stands in, after its ``#`` or at its end."""
    placed = chunk_at(tree, offset)
    if placed is None:
        return None
    place = offset - placed.start
    before = bisect_left(placed.chunk.comments, place, key=lambda span: span.start) - 1
    span = placed.chunk.comments[before] if before >= 0 else None
    return span.shifted(placed.start) if span is not None and place <= span.end else None
