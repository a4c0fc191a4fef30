"""Typing of every form of expression (2.4) and null propagation (2.4.1).

``infer`` gives what is known of an expression and reports what is wrong with it. What could not be typed is silent in
everything above it (invariant 8).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from snd_analysis import rules
from snd_analysis.base.problem import Note
from snd_analysis.skriptnd.names.symbols import BuiltIn, ShapeMember, Symbol, SymbolKind
from snd_analysis.skriptnd.syntax import nodes
from snd_analysis.skriptnd.types import operators, packs
from snd_analysis.skriptnd.types.access import tensor_access
from snd_analysis.skriptnd.types.context import Context, Place
from snd_analysis.skriptnd.types.functions import built_in, converted
from snd_analysis.skriptnd.types.type import BOOL, CONCRETE, INT, REAL, STR, Dtype, Type
from snd_analysis.skriptnd.types.typed import UNTYPED, Typed
from snd_analysis.symbolic import integers as shapes
from snd_analysis.symbolic.integers import Integer

_LITERALS = {"int": INT, "real": REAL, "bool": BOOL}


def infer(context: Context, node: nodes.Node) -> Typed:
    """What is known of an expression at the place where it stands."""
    typed = _FORMS[type(node)](context, node)
    context.expressions[node] = typed
    return typed


def infer_list_item(context: Context, item: nodes.Node) -> Typed:
    """What an item of a list or of an index contributes: a pack if it is a range or expanded."""
    if isinstance(item, nodes.Expanded):
        return packs.expanded(context, item)
    if isinstance(item, nodes.Range):
        return packs.range_(context, item)
    return infer_index_part(context, item)


def infer_items(context: Context, index: nodes.Index) -> None:
    """Types the items of an index of something untyped: whatever a range leaves out may be right there."""
    for item in index.items:
        if isinstance(item, nodes.Range):
            packs.range_bounds(context, item)
        else:
            infer_list_item(context, item)


def infer_index_part(context: Context, node: nodes.Node) -> Typed:
    """Like ``infer`` in an index of a tensor, where the index may be ``|i|`` (2.4, Tensor access)."""
    if context.place is not Place.LOWER:
        return infer(context, node)
    typed = _bounded_part(context, node)
    context.expressions[node] = typed
    return typed


def _bounded_part(context: Context, node: nodes.Node) -> Typed:
    """A bounded index keeps its meaning where it is only passed on: in brackets, branches, lists and substitutions."""
    match node:
        case nodes.Parenthesized(inner=inner):
            return infer_index_part(context, inner)
        case nodes.Bounded():
            return _bounded_index(context, node)
        case nodes.Select():
            condition = infer(context, node.condition)
            with context.promoting(promotions(context, node.condition)):
                consequent = infer_index_part(context, node.consequent)
            alternative = None if node.alternative is None else infer_index_part(context, node.alternative)
            return operators.select(context, node, condition, consequent, alternative)
        case nodes.Coalesce():
            value, fallback = infer_index_part(context, node.value), infer_index_part(context, node.fallback)
            return operators.coalesce(context, node, value, fallback)
        case nodes.Substitution():
            target = infer(context, node.target)
            return packs.substitution(context, node, target, infer_index_part(context, node.value))
    return infer(context, node)


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
    from snd_analysis.base.problem import Repair
    from snd_analysis.base.text import Edit, Span

    repair = None
    if isinstance(node.value, nodes.Binary) and node.value.operator.text == "<":
        operator = context.span(node.value.operator)
        repair = Repair("write '<>'", (Edit(Span(operator.start, operator.end), "<>"),))
    message = "a remapped index is written '|i <> below : above|'"
    context.report(rules.REMAP_NOTATION, node, message, repair=repair)


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
    """Infers an expression that must have an element type (by name or as a type), and may have to be a pack or single.

    ``what`` names the role for messages: ``"a bound of a range"``. With ``optional`` the value may be null.
    ``notes`` go with whatever is wrong.
    """
    wanted = CONCRETE[dtype] if isinstance(dtype, str) else dtype
    typed = infer(context, node)
    if typed.type is None or not operators.scalars(context, node, typed):
        return UNTYPED
    type_ = typed.type
    empty = packs.is_empty_list(node)
    if type_.dtype != wanted and not empty:
        kind = "element type" if type_.packed and packed is None else "type"
        message = f"{what} has the {kind} '{wanted}{'..' if packed else ''}', but this is '{type_}'"
        context.report(rules.TYPE_MISMATCH, node, message, notes)
        context.obligation(node)
        return UNTYPED
    if packed is True and not type_.packed:
        message = f"{what} is a pack, but this is a single value of type '{type_}'"
        context.report(rules.PACK_EXPECTED, node, message, notes)
        context.obligation(node)
        return UNTYPED
    if packed is False and type_.packed:
        message = f"{what} is a single value, but this is a pack of type '{type_}'"
        context.report(rules.UNEXPECTED_PACK, node, message, notes)
        context.obligation(node)
        return UNTYPED
    if type_.optional and not optional:
        message = f"{what} can't be null, but this may be: its type is '{type_}'; give a value for null with '??'"
        context.report(rules.NULL_NOT_ALLOWED, node, message, notes)
        context.presume(node)
        return Typed(type_.required(), typed.value, typed.items, typed.accesses)
    return (
        Typed(Type(wanted, type_.optional, type_.length), typed.value, typed.items, typed.accesses) if empty else typed
    )


def integer(context: Context, node: nodes.Expression) -> Integer:
    """The symbolic value of an int expression; an unknown one where it is not known. Reports what ``infer`` does."""
    value = infer(context, node).value
    return shapes.opaque("value", None) if value is None else value


def promotions(context: Context, condition: nodes.Node) -> frozenset[Symbol]:
    """The symbols that are not null where the condition is true: those null-tested in a conjunction (2.4)."""
    typed = context.expressions.get(condition)
    if typed is not None and typed.type is None:
        # What is wrong is reported: whatever is named was probably meant to be tested.
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


def dtype_of(context: Context, name: nodes.TypeName) -> Dtype | None:
    """The element type that a type name stands for: concrete, abstract (with an empty base), or generic."""
    if name.is_keyword:
        return CONCRETE.get(name.text) or Dtype(name.text)
    symbol = context.symbol(name)
    return None if symbol is None else generic_dtype(symbol)


def generic_dtype(symbol: Symbol) -> Dtype | None:
    """The type of a declared generic type."""
    return Dtype(symbol.name, symbol.node.base.text) if isinstance(symbol.node, nodes.DtypeDeclaration) else None


# ---- the forms -------------------------------------------------------------------------------------------------------
def _literal(context: Context, node: nodes.Literal) -> Typed:
    value = shapes.constant(int(node.value)) if node.type == "int" else None
    return Typed(Type(_LITERALS[node.type]), value)


def _string(context: Context, node: nodes.String) -> Typed:
    for part in node.parts:
        if isinstance(part, nodes.Field):
            operators.scalars(context, part.value, infer(context, part.value))
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
    return operators.unary(context, node, infer(context, node.operand))


def _binary(context: Context, node: nodes.Binary) -> Typed:
    left = infer(context, node.left)
    # The right side of `?x && c` is looked at only where x is not null.
    promoted = promotions(context, node.left) if node.operator.text == "&&" else frozenset()
    with context.promoting(promoted):
        right = infer(context, node.right)
    left, right = _empty_as(node.left, left, right), _empty_as(node.right, right, left)
    return operators.binary(context, node, left, right)


def _empty_as(node: nodes.Node, typed: Typed, other: Typed) -> Typed:
    """``[]`` takes the element type of what it stands beside."""
    if typed.type is None or other.type is None or not packs.is_empty_list(node):
        return typed
    return Typed(Type(other.type.dtype, length=typed.type.length), items=())


def _fold(context: Context, node: nodes.Fold) -> Typed:
    return operators.fold(context, node, infer(context, node.operand))


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
    target = infer(context, node.target)
    if target.type is None:
        infer_items(context, node.index)
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
        context.report(rules.ABSTRACT_TYPE, node.type, f"'{node.type.text}' stands for several types: a cast needs one")
        if node.value is not None:
            infer(context, node.value)
        return UNTYPED
    if node.value is None:
        return Typed(Type(dtype), shapes.constant(0) if dtype == INT else None)
    return converted(context, node.value, dtype, infer(context, node.value))


def _bounded(context: Context, node: nodes.Bounded) -> Typed:
    _bounded_index(context, node)
    message = "'|i|' guards a whole index of a tensor; it can't be part of a calculation, or stand anywhere else"
    context.report(rules.BOUNDED_OUTSIDE_INDEX, node, message)
    return UNTYPED


def _error(context: Context, node: nodes.Node) -> Typed:
    return UNTYPED


def _misplaced(context: Context, node: nodes.Node) -> Typed:
    return infer_list_item(context, node)


_FORMS: dict[type[nodes.Node], Callable[[Context, Any], Typed]] = {
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
    nodes.Expanded: _misplaced,
    nodes.Range: _misplaced,
}
