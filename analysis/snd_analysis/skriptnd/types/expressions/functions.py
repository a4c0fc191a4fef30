"""Types of the results of built-in functions and casts (2.4)."""

from __future__ import annotations

from snd_analysis import rules
from snd_analysis.skriptnd.names import Symbol
from snd_analysis.skriptnd.syntax import nodes
from snd_analysis.skriptnd.types.context import Context
from snd_analysis.skriptnd.types.expressions.expectations import is_empty_list, scalars
from snd_analysis.skriptnd.types.fixes import as_real
from snd_analysis.skriptnd.types.type import (
    INT,
    REAL,
    STR,
    UNTYPED,
    Dtype,
    Type,
    Typed,
    described,
    is_arithmetic,
    is_numeric,
)
from snd_analysis.symbolic import integers as shapes

NUMERIC_FUNCTIONS = frozenset({"abs", "sign"})
"""Functions that accept int as well as real, and return the type of their operand."""


def built_in(context: Context, node: nodes.Call, name: str, operand: Typed) -> Typed:
    """Return the result of a built-in function, called with one value."""
    argument = node.arguments[0]
    if operand.type is None or not scalars(context, argument, operand):
        return UNTYPED
    dtype = operand.type.dtype
    if name in NUMERIC_FUNCTIONS:
        if not is_numeric(dtype):
            context.report(rules.OPERAND_TYPE, argument, f"'{name}' takes int or real, but this is {described(dtype)}")
            context.obligation(argument)
            return UNTYPED
        value = None
        if operand.value is not None and dtype == INT:
            value = shapes.absolute(operand.value) if name == "abs" else shapes.sign(operand.value)
        return Typed(operand.type, value, accesses=operand.accesses)
    if dtype != REAL:
        message = f"'{name}' takes real, but this is {described(dtype)}"
        context.report(rules.OPERAND_TYPE, argument, message, repair=as_real(context, argument, REAL, dtype))
        context.obligation(argument)
        return UNTYPED
    return Typed(operand.type, accesses=operand.accesses)


def converted(context: Context, node: nodes.Node, dtype: Dtype, operand: Typed) -> Typed:
    """Return the result of a cast of the value of ``node``."""
    if operand.type is None or not scalars(context, node, operand):
        return UNTYPED
    source = operand.type.dtype
    if source != dtype and not is_empty_list(node):
        for unfit in (source, dtype):
            if not is_arithmetic(unfit):
                message = (
                    f"{described(source)} can't be cast to {described(dtype)}: casts are between int, real and bool"
                )
                hint = '; a string is made of a value by formatting: "{x}"' if unfit == STR and unfit is dtype else ""
                context.report(rules.CAST_TYPE, node, message + hint)
                return UNTYPED
    if dtype == INT and _is_infinite(node):
        context.report(rules.CAST_TYPE, node, "infinity has no int value")
        return UNTYPED
    type_ = Type(dtype, operand.type.optional, operand.type.length)
    keeps = dtype == INT and source == INT
    return Typed(type_, operand.value if keeps else None, operand.items if keeps else None, operand.accesses)


def _is_infinite(node: nodes.Node) -> bool:
    while isinstance(node, nodes.Parenthesized | nodes.Unary):
        node = node.inner if isinstance(node, nodes.Parenthesized) else node.operand
    return isinstance(node, nodes.Literal) and node.type == "real" and node.value == float("inf")


# ---- symbols that a condition tells not to be null (2.4.1) -----------------------------------------------------------
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
