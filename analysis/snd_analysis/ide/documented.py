"""Names in backquotes in the comment above a definition; renaming a parameter renames them, too."""

from __future__ import annotations

import re
from collections.abc import Iterator

from snd_analysis.base import Span
from snd_analysis.skriptnd.names import Resolution, Symbol, SymbolKind
from snd_analysis.skriptnd.syntax import comment_above

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


def documented_symbols(text: str, start: int, resolution: Resolution) -> Iterator[tuple[Span, Symbol]]:
    """Yield the parameters that the comment above a definition names in backquotes, outside of samples."""
    block = comment_above(text, start)
    if text.find("`", block.start, block.end) < 0:
        return
    symbols: dict[str, Symbol] = {}
    for each in resolution.symbols:
        if each.kind in _PARAMETERS:
            symbols.setdefault(each.name, each)
    for found in _NAME.finditer(text, block.start, block.end):
        symbol = symbols.get(found[1])
        line = text.rfind("\n", 0, found.start()) + 1
        if symbol is not None and _SAMPLE.match(text, line) is None:
            yield Span(*found.span(1)), symbol
