"""Hints after the braces that end long blocks: the head of the block."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from snd_analysis.base import Location, Span
from snd_analysis.ide.inlay_hints.hint import HintKind, InlayHint, LabelPart
from snd_analysis.skriptnd.syntax import nodes
from snd_analysis.workspace import Snapshot

LONG = 24
"""Minimum number of lines of a long block, with both braces: about one screen."""

_REST = re.compile(r"[ \t]*(?:$|[\r\n])")
_LINE_BREAK = re.compile(r"\r\n|\n|\r")


def block_ends(snapshot: Snapshot, path: str, start: int, definition: nodes.Definition) -> Iterator[InlayHint]:
    """Yield the ends of a definition and of its blocks, if they are long; none where text follows the brace."""
    text = snapshot.source(path).text
    name = definition.name.text
    if name:
        place = definition.name.span.shifted(start)
        yield from _end(text, path, definition.span.shifted(start), f"{definition.kind} {name}", place)
    for block in definition.blocks:
        if isinstance(block, nodes.Block):
            yield from _end(text, path, block.span.shifted(start), f"@{block.kind}", block.keyword.shifted(start))


def _end(text: str, path: str, span: Span, title: str, place: Span) -> Iterator[InlayHint]:
    if text[span.end - 1 : span.end] != "}" or _REST.match(text, span.end) is None:
        return
    breaks = _LINE_BREAK.finditer(text, span.start, span.end)
    if next(islice(breaks, LONG - 2, None), None) is not None:
        yield InlayHint(span.end, HintKind.BLOCK_END, (LabelPart(title, Location(path, place)),), before=True)
