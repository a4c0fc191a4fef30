"""The tree of a document as an object of JSON (docs/lsp.md)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from snd_analysis.base import Span
from snd_analysis.skriptnd.syntax import SyntaxTree, nodes
from snd_server.lsp.limits import DEEPEST_SHOWN_NODE, LONGEST_NODE_TEXT


def tree_content(tree: SyntaxTree, ranged: Callable[[Span], Any], within: Span | None = None) -> dict[str, Any]:
    """Return the nodes of a document, or those that touch a part of it; ``ranged`` converts spans to ranges."""
    chunks = [
        _content(tree.text, placed.chunk.document, placed.start, placed.start, ranged, within, 1)
        for placed in tree.chunks
        if _touches(placed.chunk.document.span.shifted(placed.start), within)
    ]
    return {"kind": "File", "range": ranged(Span(0, len(tree.text))), "children": chunks}


def _content(
    text: str,
    node: nodes.Node,
    outside: int,
    base: int,
    ranged: Callable[[Span], Any],
    within: Span | None,
    depth: int,
) -> dict[str, Any]:
    """Return the content of a node; its span counts from ``outside``, those of its children from ``base``."""
    span = node.span.shifted(outside)
    content: dict[str, Any] = {"kind": type(node).__name__, "range": ranged(span)}
    below = list(nodes.children(node))
    if not below:
        content["text"] = text[span.start : min(span.end, span.start + LONGEST_NODE_TEXT)]
        return content
    if depth >= DEEPEST_SHOWN_NODE:
        content["cut"] = True
        return content
    content["children"] = [
        _content(text, each, base, _base(each, base), ranged, within, depth + 1)
        for each in below
        if _touches(each.span.shifted(base), within)
    ]
    return content


def _base(node: nodes.Node, base: int) -> int:
    """Return the offset that the spans of the children of a node count from."""
    return node.start + base if isinstance(node, nodes.Entry) else base


def _touches(span: Span, within: Span | None) -> bool:
    return within is None or (span.start <= within.end and within.start <= span.end)
