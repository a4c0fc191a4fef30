"""Productions of the grammar to nodes: documents, definitions and blocks here, the rest in its own modules."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from typing import Any

from snd_analysis.base import Span
from snd_analysis.skriptnd.syntax import nodes
from snd_analysis.skriptnd.syntax.declaration_builder import DeclarationBuilder
from snd_analysis.skriptnd.syntax.expression_builder import Symbols, nodes_of
from snd_analysis.skriptnd.syntax.statement_builder import StatementBuilder
from snd_analysis.skriptnd.syntax.table import table
from snd_analysis.skriptnd.syntax.tokens import keywords

_WORD = re.compile(r"[A-Za-z_]\w*")
_MISPLACED = re.compile(r"\b(?:operator|graph)\s+([A-Za-z_]\w*)\s*\{|\bimport\s+([\w\s.,]+);")


class TreeBuilder(DeclarationBuilder, StatementBuilder):
    """The builder of the nodes of every production."""

    def document(self, symbols: Symbols) -> nodes.Document:
        return nodes.Document(self.start, self.end, tuple(symbols))

    def error_item(self, symbols: Symbols) -> nodes.ErrorItem:
        return nodes.ErrorItem(self.start, self.end)

    def version(self, symbols: Symbols) -> nodes.Version:
        return nodes.Version(self.start, self.end, self._text(symbols[1]))

    def extension(self, symbols: Symbols) -> nodes.Extension:
        names = tuple(self._name(symbol) for symbol in symbols if symbol.kind == "ID")
        return nodes.Extension(self.start, self.end, names)

    def import_(self, symbols: Symbols) -> nodes.Import:
        return nodes.Import(self.start, self.end, nodes_of(symbols, nodes.Qualified))

    def definition(self, symbols: Symbols) -> nodes.Definition:
        public = symbols[0].kind == "PUBLIC"
        keyword, name = symbols[public], symbols[public + 1]
        blocks = next(symbol for symbol in symbols if isinstance(symbol, Blocks))
        return nodes.Definition(self.start, self.end, self._text(keyword), public, self._name(name), tuple(blocks))

    def blocks_start(self, symbols: Symbols) -> Blocks:
        return Blocks()

    def blocks(self, symbols: Symbols) -> Blocks:
        symbols[0].append(symbols[1])
        return symbols[0]  # type: ignore[no-any-return]

    def block(self, symbols: Symbols) -> nodes.Block:
        keyword = symbols[0]
        span = Span(keyword.start - self.base, keyword.end - self.base)
        kind, entries = nodes.BlockKind(self._text(keyword)[1:]), nodes.Entries.of(symbols[2])
        return nodes.Block(self.start, self.end, kind, span, entries)

    def error_block(self, symbols: Symbols) -> nodes.ErrorBlock:
        text = self.text[self.start + self.base : self.end + self.base]
        names = (name for found in _MISPLACED.findall(text) for name in _WORD.findall("".join(found)))
        return nodes.ErrorBlock(self.start, self.end, tuple(dict.fromkeys(names)))

    def error_statement(self, symbols: Symbols) -> nodes.ErrorEntry:
        found = _WORD.match(self.text, self.start + self.base, self.end + self.base)
        name = found.group() if found and found.group() not in keywords() else ""
        return nodes.ErrorEntry(self.start, self.end, name)


@cache
def methods() -> tuple[Callable[[TreeBuilder, Symbols], Any] | None, ...]:
    """Return the method for each production of the table; None for productions that build nothing."""
    return tuple(getattr(TreeBuilder, production.builder, None) for production in table().productions)


# Values that a production passes up and that are not nodes of the tree.
class Blocks(list["nodes.Block | nodes.ErrorBlock"]):
    """The blocks of a definition while it is being read."""


class Entries(list["nodes.Entry"]):
    """The entries of a block while it is being read."""
