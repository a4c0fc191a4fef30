"""Lengths of packs that belong together, and of packs that a condition selects (2.4)."""

from __future__ import annotations

from typing import Final

from snd_analysis import rules
from snd_analysis.skriptnd.names import Symbol, SymbolKind
from snd_analysis.skriptnd.syntax import nodes, written
from snd_analysis.skriptnd.types.context import Context, Stage
from snd_analysis.skriptnd.types.type import BOOL, Type
from snd_analysis.skriptnd.types.typed import UNTYPED, Typed
from snd_analysis.symbolic import integers as shapes
from snd_analysis.symbolic.integers import EqualityVerdict, Integer, Relation, Truth

_COMPARISONS: Final[dict[str, Relation]] = {"<": "<", "<=": "<=", ">": ">", ">=": ">=", "==": "==", "!=": "!="}


def joined_length(
    context: Context, node: nodes.Node, left: Type, right: Type, sides: tuple[nodes.Node, ...] = ()
) -> tuple[Integer | None, bool]:
    """Return the length of an element-wise operation, and whether its operands' lengths can agree; report if not.

    ``sides`` are the two operands, where notes show their lengths.
    """
    if left.length is None or right.length is None:
        return left.length if right.length is None else right.length, True
    if shapes.decide_equal(left.length, right.length) is EqualityVerdict.DIFFERENT:
        message = rules.packs.different_lengths(left.length, right.length)
        notes = (context.note(side, f"this is '{type_}'") for side, type_ in zip(sides, (left, right), strict=False))
        context.report(rules.LENGTH_MISMATCH, node, message, tuple(notes))
        return None, False
    return _better_known(left.length, right.length), True


def _better_known(first: Integer, second: Integer) -> Integer:
    """Return the more informative of two equal lengths: a number, then one made of names in declarations."""

    def knowledge(length: Integer) -> int:
        return 2 if length.value is not None else all(isinstance(key, Symbol) for key in shapes.variables(length))

    return second if knowledge(second) > knowledge(first) else first


def by_condition(context: Context, condition: nodes.Node, first: Integer, second: Integer) -> Integer | None:
    """Return one of two ints by a condition; None where the names in it may mean something else in another formula.

    The same text means the same condition: that is how the extents of a shape are known to go with an index.
    """
    local = (SymbolKind.INDEX, SymbolKind.LOCAL)
    symbols = (context.symbol(each) for each in nodes.descendants(condition))
    if context.stage is Stage.COMPOSE or any(symbol is not None and symbol.kind in local for symbol in symbols):
        return None
    return shapes.choose(condition_of(context, condition), first, second)


def bool_condition(context: Context, node: nodes.Node, typed: Typed) -> Truth | None:
    """Return a bool as a condition that is one throughout a definition, as its attributes are; else None."""
    if typed.type is None or typed.type.dtype != BOOL or typed.type.packed:
        return None
    lasting = (SymbolKind.ATTRIBUTE, SymbolKind.EXTENT, SymbolKind.LENGTH, SymbolKind.USING)
    symbols = (context.symbol(each) for each in nodes.descendants(node))
    if any(symbol is not None and symbol.kind not in lasting for symbol in symbols):
        return None
    return condition_of(context, node)


def condition_of(context: Context, node: nodes.Node) -> Truth:
    """Return a condition as far as its structure, and the values of ints in it, tell. The same text means the same."""
    match node:
        case nodes.Parenthesized(inner=inner):
            return condition_of(context, inner)
        case nodes.Literal(value=bool(value)):
            return shapes.truth(value)
        case nodes.Unary(operator=nodes.Operator(text="!"), operand=operand):
            return shapes.not_(condition_of(context, operand))
        case nodes.Binary(operator=nodes.Operator(text="&&"), left=left, right=right):
            return shapes.and_(condition_of(context, left), condition_of(context, right))
        case nodes.Binary(operator=nodes.Operator(text="||"), left=left, right=right):
            return shapes.or_(condition_of(context, left), condition_of(context, right))
        case nodes.Binary(operator=nodes.Operator(text=operator), left=left, right=right):
            a, b = (context.expressions.get(side, UNTYPED).value for side in (left, right))
            if operator in _COMPARISONS and a is not None and b is not None:
                return shapes.compare(_COMPARISONS[operator], a, b)
            if operator == "!=":
                text = f"{written(left)} == {written(right)}"
                return shapes.not_(shapes.proposition((context.definition, text), text))
    text = written(node)
    return shapes.proposition((context.definition, text), text)
