"""Typing of every form of expression (2.4) and null propagation (2.4.1).

Each form reports its own problems. An expression that could not be typed is silent in everything above it (invariant
8).
"""

from __future__ import annotations

from snd_analysis import rules
from snd_analysis.base import Edit, Repair, Span
from snd_analysis.skriptnd.names import BuiltIn, ShapeMember, Symbol, SymbolKind
from snd_analysis.skriptnd.syntax import nodes
from snd_analysis.skriptnd.types.context import Context, Stage, generic_dtype
from snd_analysis.skriptnd.types.expressions import operators, packs
from snd_analysis.skriptnd.types.expressions.access import separate_indices, tensor_access
from snd_analysis.skriptnd.types.expressions.functions import (
    built_in,
    converted,
    expect,
    is_empty_list,
    promotions,
    scalars,
)
from snd_analysis.skriptnd.types.expressions.inference import FORMS, INDEX_FORMS, infer, infer_index_part
from snd_analysis.skriptnd.types.type import BOOL, CONCRETE, INT, REAL, STR, UNTYPED, Type, Typed
from snd_analysis.symbolic import integers as shapes

_LITERALS = {"int": INT, "real": REAL, "bool": BOOL}


def _bounded_index(context: Context, node: nodes.Bounded) -> Typed:
    if node.colon_only:
        _report_remap(context, node)
        for part in nodes.children(node):
            infer(context, part)
        return UNTYPED
    value = expect(context, node.value, INT, "an index", optional=True)
    result = value
    for remap in (node.below, node.above):
        if remap is None:
            continue
        typed = expect(context, remap, INT, "an index", optional=True)
        if value.type is not None and typed.type is not None:
            length, agree = packs.joined_length(context, node, value.type, typed.type, (node.value, remap))
            result = (
                Typed(value.type.of_length(length), accesses=result.accesses or typed.accesses) if agree else UNTYPED
            )
    return Typed(result.type, None, None, result.accesses)


def _report_remap(context: Context, node: nodes.Bounded) -> None:
    repair = None
    if isinstance(node.value, nodes.Binary) and node.value.operator.text == "<":
        operator = context.span(node.value.operator)
        repair = Repair("write '<>'", (Edit(Span(operator.start, operator.end), "<>"),))
    context.report(rules.REMAP_NOTATION, node, rules.formulas.REMAP, repair=repair)


# ---- the forms -------------------------------------------------------------------------------------------------------
def _literal(context: Context, node: nodes.Literal) -> Typed:
    value = shapes.constant(int(node.value)) if node.type == "int" else None
    return Typed(Type(_LITERALS[node.type]), value)


def _string(context: Context, node: nodes.String) -> Typed:
    for part in node.parts:
        if isinstance(part, nodes.Field):
            scalars(context, part.value, infer(context, part.value))
    return Typed(Type(STR))


def _qualified(context: Context, node: nodes.Qualified) -> Typed:
    target = context.target(node)
    if isinstance(target, ShapeMember):
        return _shape_member(context, node, target)
    if not isinstance(target, Symbol):
        return UNTYPED
    if target in context.resolution.ambiguous:
        return UNTYPED
    if target.kind is SymbolKind.DTYPE:
        context.report(
            rules.TYPE_AS_VALUE, node, f"'{target.name}' is a type, not a value; '{target.name}()' is its default value"
        )
        return UNTYPED
    return context.typed(target)


def _shape_member(context: Context, node: nodes.Qualified, target: ShapeMember) -> Typed:
    tensor, member = context.typed(target.tensor).type, target.member
    if tensor is None:
        return UNTYPED
    name = target.tensor.name
    if member == "size":
        if tensor.length is None:
            message = f"'{name}' is a single tensor: only a pack of tensors has a 'size'"
            context.report(rules.UNKNOWN_MEMBER, node, message, (context.declared(target.tensor),))
            return UNTYPED
        return Typed(Type(INT, tensor.optional), tensor.length)
    if tensor.packed:
        message = f"'{name}' is a pack of tensors, which may have different shapes: it has a 'size', but no '{member}'"
        context.report(rules.UNKNOWN_MEMBER, node, message, (context.declared(target.tensor),))
        return UNTYPED
    rank = tensor.shape.rank if tensor.shape is not None else shapes.opaque(f"{name}.rank")
    if member == "rank":
        return Typed(Type(INT, tensor.optional), rank)
    return Typed(Type(INT, tensor.optional, rank))


def _list(context: Context, node: nodes.List) -> Typed:
    return packs.list_(context, node)


def _parenthesized(context: Context, node: nodes.Parenthesized) -> Typed:
    return infer(context, node.inner)


def _unary(context: Context, node: nodes.Unary) -> Typed:
    operand = infer(context, node.operand)
    if node.operator.text == "!":
        operand = _empty_as(node.operand, operand, Typed(Type(BOOL)))
    return operators.unary(context, node, operand)


def _binary(context: Context, node: nodes.Binary) -> Typed:
    left = infer(context, node.left)
    # The right side of `?x && c` is looked at only where x is not null.
    promoted = promotions(context, node.left) if node.operator.text == "&&" else frozenset()
    with context.promoting(promoted):
        right = infer(context, node.right)
    left, right = _empty_as(node.left, left, right), _empty_as(node.right, right, left)
    return operators.binary(context, node, left, right)


def _empty_as(node: nodes.Node, typed: Typed, other: Typed) -> Typed:
    """Give ``[]`` the element type of the other operand."""
    if typed.type is None or other.type is None or not is_empty_list(node):
        return typed
    return Typed(Type(other.type.dtype, length=typed.type.length), items=())


def _fold(context: Context, node: nodes.Fold) -> Typed:
    operand = infer(context, node.operand)
    if node.operator.text in ("&&", "||"):
        operand = _empty_as(node.operand, operand, Typed(Type(BOOL)))
    return operators.fold(context, node, operand)


def _select(context: Context, node: nodes.Select) -> Typed:
    with context.written(False):
        condition = infer(context, node.condition)
    with context.promoting(promotions(context, node.condition)):
        consequent = infer(context, node.consequent)
    alternative = None if node.alternative is None else infer(context, node.alternative)
    if alternative is not None and node.alternative is not None:
        consequent = _empty_as(node.consequent, consequent, alternative)
        alternative = _empty_as(node.alternative, alternative, consequent)
    return operators.select(context, node, condition, consequent, alternative)


def _coalesce(context: Context, node: nodes.Coalesce) -> Typed:
    value, fallback = infer(context, node.value), infer(context, node.fallback)
    return operators.coalesce(context, node, value, _empty_as(node.fallback, fallback, value))


def _subscript(context: Context, node: nodes.Subscript) -> Typed:
    if context.stage is Stage.LOWER and isinstance(node.target, nodes.Subscript) and separate_indices(context, node):
        return UNTYPED
    target = infer(context, node.target)
    if target.type is None:
        packs.infer_items(context, node.index)
        return UNTYPED
    if target.type.tensor and not target.accesses:
        return tensor_access(context, node, target)
    return packs.pack_index(context, node, target)


def _substitution(context: Context, node: nodes.Substitution) -> Typed:
    return packs.substitution(context, node, infer(context, node.target), infer(context, node.value))


def _call(context: Context, node: nodes.Call) -> Typed:
    target = context.target(node.function)
    arguments = [infer(context, argument) for argument in node.arguments if not isinstance(argument, nodes.Tilde)]
    if isinstance(target, Symbol) and target.kind is SymbolKind.DTYPE:
        dtype = generic_dtype(target)
        if dtype is None or len(node.arguments) != len(arguments):
            return UNTYPED
        if not node.arguments:
            return Typed(Type(dtype))
        if len(arguments) > 1:
            context.report(rules.ARGUMENT_COUNT, node, f"a cast takes one value, not {len(arguments)}")
            return UNTYPED
        return converted(context, node.arguments[0], dtype, arguments[0])
    if not isinstance(target, BuiltIn):
        return UNTYPED
    if len(arguments) != 1 or len(node.arguments) != 1:
        context.report(rules.ARGUMENT_COUNT, node, f"'{target.name}' takes one argument, not {len(node.arguments)}")
        return UNTYPED
    return built_in(context, node, target.name, arguments[0])


def _cast(context: Context, node: nodes.Cast) -> Typed:
    dtype = CONCRETE.get(node.type.text)
    if dtype is None:
        context.report(
            rules.ABSTRACT_TYPE, node.type, f"a cast needs one type, but '{node.type.text}' means any of several"
        )
        if node.value is not None:
            infer(context, node.value)
        return UNTYPED
    if node.value is None:
        return Typed(Type(dtype), shapes.constant(0) if dtype == INT else None)
    return converted(context, node.value, dtype, infer(context, node.value))


def _bounded(context: Context, node: nodes.Bounded) -> Typed:
    for part in nodes.children(node):
        infer(context, part)
    message = "'|i|' must be a whole index of a tensor, not a part of an expression"
    context.report(rules.BOUNDED_OUTSIDE_INDEX, node, message)
    return UNTYPED


def _error(context: Context, node: nodes.Node) -> Typed:
    return UNTYPED


# ---- in an index of a tensor -----------------------------------------------------------------------------------------
# A bounded index keeps its meaning where it is only passed on: in brackets, branches, lists and substitutions.
def _parenthesized_index(context: Context, node: nodes.Parenthesized) -> Typed:
    return infer_index_part(context, node.inner)


def _select_index(context: Context, node: nodes.Select) -> Typed:
    condition = infer(context, node.condition)
    with context.promoting(promotions(context, node.condition)):
        consequent = infer_index_part(context, node.consequent)
    alternative = None if node.alternative is None else infer_index_part(context, node.alternative)
    return operators.select(context, node, condition, consequent, alternative)


def _coalesce_index(context: Context, node: nodes.Coalesce) -> Typed:
    value, fallback = infer_index_part(context, node.value), infer_index_part(context, node.fallback)
    return operators.coalesce(context, node, value, fallback)


def _substitution_index(context: Context, node: nodes.Substitution) -> Typed:
    target = infer(context, node.target)
    return packs.substitution(context, node, target, infer_index_part(context, node.value))


FORMS.update(
    {
        nodes.Literal: _literal,
        nodes.String: _string,
        nodes.Qualified: _qualified,
        nodes.List: _list,
        nodes.Parenthesized: _parenthesized,
        nodes.Unary: _unary,
        nodes.Binary: _binary,
        nodes.Fold: _fold,
        nodes.Select: _select,
        nodes.Coalesce: _coalesce,
        nodes.Subscript: _subscript,
        nodes.Substitution: _substitution,
        nodes.Call: _call,
        nodes.Cast: _cast,
        nodes.Bounded: _bounded,
        nodes.ErrorExpression: _error,
        nodes.Tilde: _error,
        nodes.Zip: _error,
        nodes.Expanded: packs.expanded,
        nodes.Range: packs.range_,
    }
)
INDEX_FORMS.update({
    nodes.Parenthesized: _parenthesized_index,
    nodes.Bounded: _bounded_index,
    nodes.Select: _select_index,
    nodes.Coalesce: _coalesce_index,
    nodes.Substitution: _substitution_index,
})  # fmt: skip
