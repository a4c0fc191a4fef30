"""Names in backquotes in the comment above a definition: of its parameters, which are renamed there, too."""

from __future__ import annotations

import re
from collections.abc import Iterator

from snd_analysis.base import Source, Span
from snd_analysis.skriptnd.names import Resolution, Symbol, SymbolKind
from snd_analysis.skriptnd.syntax import Chunk, nodes

_NAME = re.compile(r"`([A-Za-z_]\w*)`")
_SAMPLE = re.compile(r"[ \t]*#[ \t]*>>>")
_PARAMETERS = frozenset(
    {
        SymbolKind.DTYPE,
        SymbolKind.ATTRIBUTE,
        SymbolKind.INPUT,
        SymbolKind.OUTPUT,
        SymbolKind.CONSTANT,
        SymbolKind.VARIABLE,
        SymbolKind.EXTENT,
        SymbolKind.LENGTH,
    }
)


def comment_span(chunk: Chunk, definition: nodes.Definition) -> Span:
    """The comment lines right above a definition, with their line breaks; empty if there are none."""
    head = Source("", chunk.text[: definition.start])
    starts = head.line_starts
    at = len(starts) - 1
    while at > 0 and head.line_text(at).lstrip(" \t").startswith("#"):
        at -= 1
    return Span(starts[at], starts[-1])


def documented_symbols(
    chunk: Chunk, definition: nodes.Definition, resolution: Resolution
) -> Iterator[tuple[Span, Symbol]]:
    """The parameters of a definition that its comment names in backquotes, outside of samples."""
    block = comment_span(chunk, definition)
    if "`" not in chunk.text[block.start : block.end]:
        return
    symbols: dict[str, Symbol] = {}
    for each in resolution.symbols:
        if each.kind in _PARAMETERS:
            symbols.setdefault(each.name, each)
    for found in _NAME.finditer(chunk.text, block.start, block.end):
        symbol = symbols.get(found[1])
        line = chunk.text.rfind("\n", 0, found.start()) + 1
        if symbol is not None and _SAMPLE.match(chunk.text, line) is None:
            yield Span(*found.span(1)), symbol
