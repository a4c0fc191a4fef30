"""A symbol is declared and never used."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import filterfalse

from snd_analysis.base import Problem, Rule, Severity
from snd_analysis.skriptnd.names import Resolution, SymbolKind
from snd_analysis.skriptnd.syntax import nodes
from snd_analysis.skriptnd.syntax.nodes import BlockKind

UNUSED_SYMBOL = Rule("unused-symbol", section="tool", severity=Severity.HINT)

# Extents, lengths, inputs and generic types describe the interface whether or not the body needs them; loop variables
# belong to the form of their loop.
_JUDGED = frozenset(
    {
        SymbolKind.ATTRIBUTE,
        SymbolKind.USING,
        SymbolKind.CONSTANT,
        SymbolKind.VARIABLE,
        SymbolKind.TENSOR,
        SymbolKind.LOCAL,
    }
)


def check(resolution: Resolution) -> Iterator[Problem]:
    """Report each symbol that is declared and never read, unless its name begins with ``_``."""
    blocks = {block.kind for block in resolution.definition.blocks if isinstance(block, nodes.Block)}
    has_body = bool(blocks & {BlockKind.LOWER, BlockKind.COMPOSE})
    read = resolution.symbols_read
    for symbol in filterfalse(read.__contains__, resolution.symbols):
        if symbol.kind not in _JUDGED or symbol.name.startswith("_"):
            continue
        if symbol.kind is SymbolKind.TENSOR and symbol.name in resolution.names_read:  # another one shadows it
            continue
        if symbol.kind is SymbolKind.ATTRIBUTE and not has_body:
            continue
        hint = "; write '~' in its place" if symbol.kind is SymbolKind.TENSOR else ""
        yield Problem(UNUSED_SYMBOL, resolution.span(symbol), f"the {symbol.kind} '{symbol.name}' is never used{hint}")
