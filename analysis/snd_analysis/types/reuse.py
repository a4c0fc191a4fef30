"""Typing the declaration of a constant or variable, or using what was found before an edit of others."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from snd_analysis.memo import Memo
from snd_analysis.names.symbols import Symbol
from snd_analysis.types.context import Context, Place, Typed
from snd_analysis.types.dimensions import Extents, dimensions, extents_of
from snd_analysis.types.parameters import Declaration


@dataclass(frozen=True, slots=True)
class DeclarationTypes:
    """What typing a declaration, of which nothing is to be said, has added."""

    symbols: dict[Symbol, Typed]
    extents: Extents | None


def lasting_declaration(
    context: Context, declaration: Declaration, memo: Memo[DeclarationTypes], declare: Callable[[], None]
) -> None:
    """Types a declaration by ``declare``, or adds what is known of it."""
    resolution, parameter = context.resolution, declaration.parameter
    part, symbol = resolution.parts.get(parameter), context.symbol(parameter.name)
    if part is None or symbol is None or not part.lasting or not resolution.ambiguous.isdisjoint((symbol, *part.given)):
        declare()
        return
    given = [context.typed(each) for each in part.given]
    known = memo.find(part, given)
    if known is None:
        said = context.amount_said()
        declare()
        if context.amount_said() != said:
            return
        own = (symbol, *part.symbols)
        symbols = {each: context.symbols[each] for each in own if each in context.symbols}
        with context.at(Place.COMPOSE):
            extents = (
                None
                if parameter.shape is None
                else extents_of(dimensions(context, parameter.shape, parameter.optional))
            )
        known = DeclarationTypes(symbols, extents)
        memo.learn(part, given, known)
    context.symbols.update(known.symbols)
    context.extents[symbol] = known.extents
