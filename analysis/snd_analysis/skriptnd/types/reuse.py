"""Typing the declaration of a constant or variable, or using what was found before an edit of others."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from msgspec import Struct

from snd_analysis.skriptnd.names import Declaration, Memo, Part, Symbol
from snd_analysis.skriptnd.syntax import nodes
from snd_analysis.skriptnd.syntax.nodes import BlockKind
from snd_analysis.skriptnd.types.context import Context, Stage
from snd_analysis.skriptnd.types.dimension import Extents
from snd_analysis.skriptnd.types.expressions.dimensions import dimensions, extents_of
from snd_analysis.skriptnd.types.typed import Typed


class DeclarationTypes(Struct, frozen=True):
    """What typing a declaration, or a row of them, of which nothing is to be said, has added."""

    symbols: dict[Symbol, Typed]
    extents: dict[Symbol, Extents | None]


def row_of_declarations(
    context: Context, row: Part, memo: Memo[DeclarationTypes], declare: Callable[[Declaration], None], block: BlockKind
) -> None:
    """Types the declarations of a row by ``declare``, or adds what is known of them."""
    lasts = row.lasting and not context.resolution.ambiguous and len(row.single) > 1
    given = [context.typed(each) for each in row.given] if lasts else []
    known = memo.find(row, given) if lasts else None
    if known is not None:
        _add(context, known)
        return
    found = []
    for part in row.single:
        assert isinstance(part.node, nodes.Parameter)
        declaration = Declaration(block, context.resolution.starts[part.node], part.node)
        found.append(lasting_declaration(context, declaration, memo, partial(declare, declaration)))
    types = [each for each in found if each is not None]
    if lasts and len(types) == len(found):
        together = DeclarationTypes({}, {})
        for each in types:
            together.symbols.update(each.symbols)
            together.extents.update(each.extents)
        memo.learn(row, given, together)


def lasting_declaration(
    context: Context, declaration: Declaration, memo: Memo[DeclarationTypes], declare: Callable[[], None]
) -> DeclarationTypes | None:
    """Types a declaration by ``declare``, or adds what is known of it; returns what may be used again."""
    resolution, parameter = context.resolution, declaration.parameter
    part, symbol = resolution.parts.get(parameter), context.symbol(parameter.name)
    if part is None or symbol is None or not part.lasting or not resolution.ambiguous.isdisjoint((symbol, *part.given)):
        declare()
        return None
    given = [context.typed(each) for each in part.given]
    known = memo.find(part, given)
    if known is None:
        said = context.amount_said()
        declare()
        if context.amount_said() != said:
            return None
        own = (symbol, *part.symbols)
        symbols = {each: context.symbols[each] for each in own if each in context.symbols}
        with context.at(Stage.COMPOSE):
            extents = (
                None
                if parameter.shape is None
                else extents_of(dimensions(context, parameter.shape, parameter.optional))
            )
        known = DeclarationTypes(symbols, {symbol: extents})
        memo.learn(part, given, known)
    _add(context, known)
    return known


def _add(context: Context, known: DeclarationTypes) -> None:
    context.symbols.update(known.symbols)
    context.extents.update(known.extents)
