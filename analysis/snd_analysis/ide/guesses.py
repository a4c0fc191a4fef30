"""Guessed subjects of names in broken code, which nothing resolves, since nothing parses it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeAlias

from snd_analysis.base import Span
from snd_analysis.skriptnd.names import BUILT_INS, BuiltIn, ModuleName, OperatorName, Symbol
from snd_analysis.skriptnd.syntax import Chunk, Token, nodes
from snd_analysis.workspace import Snapshot

Guess: TypeAlias = "Symbol | OperatorName | ModuleName | BuiltIn"


def broken_spans(chunk: Chunk) -> Iterator[Span]:
    """Yield the parts of a chunk that could not be read."""
    for item in chunk.document.items:
        if isinstance(item, nodes.ErrorItem):
            yield item.span
        for block in item.blocks if isinstance(item, nodes.Definition) else ():
            if isinstance(block, nodes.ErrorBlock):
                yield block.span
                continue
            for start, group in block.entries.groups:
                for entry in () if group.is_read else group.entries:
                    if isinstance(entry.statement, nodes.ErrorEntry):
                        yield entry.span.shifted(start)


def guessed(
    snapshot: Snapshot, path: str, definition: nodes.Definition | None, text: str, tokens: Sequence[Token], at: int
) -> Guess | None:
    """Return the likely subject of the name at a token: a symbol of the definition, an operator or a module.

    Spans of the tokens count in ``text``.
    """
    module_scope = snapshot.module_scope(path)
    word = tokens[at].spelling(text)
    if at > 1 and tokens[at - 1].kind == "DOT" and tokens[at - 2].kind == "ID":
        return module_scope.operator((tokens[at - 2].spelling(text), word))
    if at + 1 < len(tokens) and tokens[at + 1].kind == "DOT":
        module = module_scope.module((word,))
        if module is not None:
            return ModuleName(module.path)
    symbol = None if definition is None else snapshot.resolution(path, definition).symbol(word)
    if symbol is not None:
        return symbol
    found = module_scope.operator((word,))
    return found or (BuiltIn(word) if word in BUILT_INS else None)
