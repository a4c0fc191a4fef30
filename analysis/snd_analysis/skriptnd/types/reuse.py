"""Typing the declarations of constants and variables, as a pass over them."""

from __future__ import annotations

from collections.abc import Callable, Sequence, Set

from msgspec import Struct

from snd_analysis.skriptnd.names import Declaration, StatementPart, Symbol, is_ambiguous
from snd_analysis.skriptnd.syntax import nodes
from snd_analysis.skriptnd.syntax.nodes import BlockKind
from snd_analysis.skriptnd.types.context import Context, Stage
from snd_analysis.skriptnd.types.expressions.dimensions import dimensions, extents_of
from snd_analysis.skriptnd.types.type import Extents, Typed


class DeclarationTypes(Struct, frozen=True):
    """The additions from typing a declaration or a row of declarations without problems."""

    symbols: dict[Symbol, Typed]
    extents: dict[Symbol, Extents | None]
    changed: Set[Symbol]


class TypingOfDeclarations:
    """The typing of the declarations of a block by ``declare``, reusing earlier results."""

    def __init__(self, context: Context, block: BlockKind, declare: Callable[[Declaration], None]) -> None:
        self._context = context
        self._block = block
        self._declare = declare

    def may_last(self, part: StatementPart) -> bool:
        """Return whether no name is ambiguous."""
        return part.lasting and not self._context.resolution.ambiguous

    def given(self, part: StatementPart) -> object | None:
        """Return the types of the symbols that the declarations name."""
        context = self._context
        ambiguous = context.resolution.ambiguous
        if not part.lasting or is_ambiguous(context.resolution, part):
            return None
        symbol = context.symbol(_parameter(part).name)
        return None if symbol in ambiguous else [symbol, *(context.typed(each) for each in part.given)]

    def add(self, known: DeclarationTypes) -> bool:
        """Add types that are known."""
        self._context.symbols.add(known.symbols)
        self._context.extents.add(known.extents)
        return True

    def run(self, part: StatementPart) -> None:
        """Type a declaration."""
        node = _parameter(part)
        self._declare(Declaration(self._block, self._context.resolution.starts[node], node))

    def work_out(self, part: StatementPart, versions: tuple[DeclarationTypes, ...]) -> tuple[DeclarationTypes, bool]:
        """Type a declaration, and return its additions."""
        context, node = self._context, _parameter(part)
        symbol, said, unsure = context.symbol(node.name), context.amount_said(), context.unsure
        self.run(part)
        own = (*(() if symbol is None else (symbol,)), *part.symbols)
        symbols = {each: context.symbols[each] for each in own if each in context.symbols}
        if symbol is None or context.amount_said() != said:
            return DeclarationTypes(symbols, {}, {*symbols, *(context.unsure - unsure)}), False
        with context.at(Stage.COMPOSE):
            extents = None if node.shape is None else extents_of(dimensions(context, node.shape, node.optional))
        context.extents[symbol] = extents
        return DeclarationTypes(symbols, {symbol: extents}, symbols.keys()), True

    def together(self, found: Sequence[DeclarationTypes]) -> DeclarationTypes:
        """Return the types of a row."""
        together = DeclarationTypes({}, {}, set())
        for each in found:
            together.symbols.update(each.symbols)
            together.extents.update(each.extents)
        return together


def _parameter(part: StatementPart) -> nodes.Parameter:
    assert isinstance(part.node, nodes.Parameter)
    return part.node
