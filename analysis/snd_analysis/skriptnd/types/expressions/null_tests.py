"""Symbols that a condition tells not to be null (2.4.1)."""

from __future__ import annotations

from snd_analysis.skriptnd.names import Symbol
from snd_analysis.skriptnd.syntax import nodes
from snd_analysis.skriptnd.types.context import Context


def promotions(context: Context, condition: nodes.Node) -> frozenset[Symbol]:
    """Return the symbols that are not null where the condition is true: null-tested ones in a conjunction (2.4)."""
    typed = context.expressions.get(condition)
    if typed is not None and typed.type is None:
        # The problem is reported: every named symbol was probably meant to be tested.
        named = (context.symbol(each) for each in nodes.descendants(condition))
        return frozenset(symbol for symbol in named if symbol is not None)
    match condition:
        case nodes.Parenthesized(inner=inner):
            return promotions(context, inner)
        case nodes.Unary(operator=operator, operand=operand) if operator.text == "?":
            while isinstance(operand, nodes.Parenthesized):
                operand = operand.inner
            symbol = context.symbol(operand)
            return frozenset() if symbol is None else frozenset({symbol})
        case nodes.Binary(left=left, operator=operator, right=right) if operator.text == "&&":
            return promotions(context, left) | promotions(context, right)
    return frozenset()
