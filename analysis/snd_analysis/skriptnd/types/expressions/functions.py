"""Types of the results of built-in functions and casts (2.4)."""

from __future__ import annotations

from snd_analysis import rules
from snd_analysis.base import Note
from snd_analysis.skriptnd.names import Symbol
from snd_analysis.skriptnd.syntax import element_of, nodes
from snd_analysis.skriptnd.types.context import Context, Stage
from snd_analysis.skriptnd.types.expressions.inference import infer
from snd_analysis.skriptnd.types.fixes import as_real
from snd_analysis.skriptnd.types.type import (
    CONCRETE,
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
from snd_analysis.symbolic.integers import is_wide


# ---- expressions that must have a type -------------------------------------------------------------------------------
def expect(
    context: Context,
    node: nodes.Expression,
    dtype: Dtype | str,
    what: str,
    *,
    packed: bool | None = None,
    optional: bool = False,
    notes: tuple[Note, ...] = (),
) -> Typed:
    """Infer an expression that must have an element type (by name or as a type), and may have to be a pack or single.

    ``what`` names the role for messages: ``"a bound of a range"``. With ``optional`` the value may be null. ``notes``
    are attached to every problem.
    """
    wanted = CONCRETE[dtype] if isinstance(dtype, str) else dtype
    typed = infer(context, node)
    if typed.type is None or not scalars(context, node, typed):
        return UNTYPED
    type_ = typed.type
    empty = is_empty_list(node)
    if type_.dtype != wanted and not empty:
        kind = "element type" if type_.packed and packed is None else "type"
        message = f"{what} has the {kind} '{wanted}{'..' if packed else ''}', but this is '{type_}'"
        repair = as_real(context, node, wanted, type_.dtype)
        context.report(rules.TYPE_MISMATCH, node, message, notes, repair)
        context.doubt(node)
        return UNTYPED
    if packed is True and not type_.packed:
        message = f"{what} is a pack, but this is a single value of type '{type_}'"
        context.report(rules.PACK_EXPECTED, node, message, notes)
        context.doubt(node)
        return UNTYPED
    if packed is False and type_.packed:
        message = rules.packs.pack_for_value(what, type_)
        context.report(rules.UNEXPECTED_PACK, node, message, notes)
        context.doubt(node)
        return UNTYPED
    if type_.optional and not optional:
        context.report(rules.NULL_NOT_ALLOWED, node, rules.expressions.may_be_null(what, type_), notes)
        context.presume(node)
        return Typed(type_.required(), typed.value, typed.items, typed.accesses)
    return (
        Typed(Type(wanted, type_.optional, type_.length), typed.value, typed.items, typed.accesses) if empty else typed
    )


def scalars(context: Context, node: nodes.Node, typed: Typed) -> bool:
    """Return whether values are no tensors, which can't be computed with; reported here if they are."""
    if typed.type is None or not typed.type.tensor:
        return typed.type is not None
    if context.stage is Stage.LOWER:
        element = element_of(node, None if typed.type.shape is None else typed.type.shape.rank)
        message = rules.formulas.whole_tensor(typed.type, element)
        context.report(rules.TENSOR_NOT_ACCESSED, node, message)
    else:
        message = f"expressions can't compute with tensors, and this is one of type '{typed.type}': invoke an operator"
        context.report(rules.TENSOR_IN_EXPRESSION, node, message)
    return False


def is_empty_list(node: nodes.Node) -> bool:
    """Return whether an expression is ``[]``, which fits any element type."""
    while isinstance(node, nodes.Parenthesized):
        node = node.inner
    return isinstance(node, nodes.List) and not node.items


def check_int_width(context: Context, node: nodes.Node) -> bool:
    """Report a typed expression, or an item of a list, if it is a known int of more than 64 bits.

    Return whether it fits.
    """
    typed = context.expressions.get(node, UNTYPED)
    for at, item in enumerate((typed.value, *(typed.items or ()))):
        if item is not None and is_wide(item):
            place = nodes.single_item(node, at - 1) if at else node
            context.report(rules.INT_OVERFLOW, place, rules.formulas.too_wide(item.value))
            return False
    return True


# ---- types of the results of built-in functions and casts (2.4) ------------------------------------------------------
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
            context.doubt(argument)
            return UNTYPED
        value = None
        if operand.value is not None and dtype == INT:
            value = shapes.absolute(operand.value) if name == "abs" else shapes.sign(operand.value)
        return Typed(operand.type, value, accesses=operand.accesses)
    if dtype != REAL:
        message = f"'{name}' takes real, but this is {described(dtype)}"
        context.report(rules.OPERAND_TYPE, argument, message, repair=as_real(context, argument, REAL, dtype))
        context.doubt(argument)
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
