"""Expansions in lists and indices: packs, repeated values and interleaved packs (2.4, Expansion)."""

from __future__ import annotations

from typing import Final

from msgspec.structs import replace

from snd_analysis import rules
from snd_analysis.base import counted
from snd_analysis.skriptnd.limits import MOST_JOINED_ITEMS, MOST_RANGE_ITEMS
from snd_analysis.skriptnd.names import Symbol, SymbolKind
from snd_analysis.skriptnd.syntax import nodes, written
from snd_analysis.skriptnd.types.context import Context, Stage
from snd_analysis.skriptnd.types.expressions.inference import infer, infer_index_part
from snd_analysis.skriptnd.types.type import BOOL, INT, UNTYPED, Type, Typed
from snd_analysis.symbolic import integers as shapes
from snd_analysis.symbolic.integers import EqualityVerdict, Integer, Relation, Truth

# ---- lengths of packs that belong together, and of packs that a condition selects (2.4) ------------------------------
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


# ---- expansions in lists and indices ---------------------------------------------------------------------------------
def expanded(context: Context, item: nodes.Expanded) -> Typed:
    """Type ``b..``, ``a..(n)`` or ``(a, b)..`` as an item of a list or index: a pack of its items."""
    length = item.expansion.length
    count = None if length is None else infer(context, length)
    if isinstance(item.item, nodes.Zip):
        return _zip(context, item.item)
    typed = infer_index_part(context, item.item)
    if count is not None and length is not None:
        count = _count(context, length, count)
    if typed.type is None or (count is not None and count.type is None):
        return UNTYPED
    if typed.type.packed:
        return _expanded_pack(context, item, typed, count)
    if count is None or count.type is None:
        message = f"this is a single value of type '{typed.type}': say how often it is repeated, as in '..(n)'"
        context.report(rules.EXPANSION_WITHOUT_LENGTH, item, message)
        return UNTYPED
    optional = typed.type.optional or count.type.optional
    repeated = _repetitions(context, item.expansion, count)
    items = None
    if repeated.value is not None and repeated.value <= MOST_RANGE_ITEMS:
        items = (typed.value,) * max(repeated.value, 0)
    return Typed(replace(typed.type, optional=optional, length=repeated), None, items, typed.accesses)


def _expanded_pack(context: Context, item: nodes.Expanded, typed: Typed, count: Typed | None) -> Typed:
    assert typed.type is not None
    if count is None or count.type is None:
        return typed
    optional = typed.type.optional or count.type.optional
    if count.type.dtype == BOOL:
        # A pack under a condition: all of its items or none.
        assert item.expansion.length is not None
        assert typed.type.length is not None
        length = by_condition(context, item.expansion.length, typed.type.length, shapes.constant(0))
        length = shapes.opaque("length") if length is None else length
        return Typed(replace(typed.type, optional=optional, length=length), accesses=typed.accesses)
    if count.value is not None and typed.type.length is not None:
        if shapes.decide_equal(count.value, typed.type.length) is EqualityVerdict.DIFFERENT:
            message = f"this pack has {counted(typed.type.length, 'item')}, not {count.value}"
            context.report(rules.LENGTH_MISMATCH, item, message)
            return UNTYPED
        if typed.type.length.value is None:
            return Typed(replace(typed.type, optional=optional, length=count.value), None, typed.items, typed.accesses)
    return typed


def _count(context: Context, node: nodes.Expression, count: Typed) -> Typed:
    """Return a repetition: one int or bool."""
    if count.type is None:
        return count
    if count.type.tensor:
        context.report(
            rules.TENSOR_IN_EXPRESSION,
            node,
            f"a repetition is a compile-time value, but this is a tensor of type '{count.type}'",
        )
        return UNTYPED
    if count.type.packed or count.type.dtype not in (INT, BOOL):
        context.report(
            rules.OPERAND_TYPE, node, f"the number of repetitions is one int or bool, but this is '{count.type}'"
        )
        if count.type.packed:
            context.doubt_packs(node)
        return UNTYPED
    return count


def _repetitions(context: Context, expansion: nodes.Expansion, count: Typed) -> Integer:
    assert count.type is not None
    assert expansion.length is not None
    if count.type.dtype == BOOL:
        length = by_condition(context, expansion.length, shapes.constant(1), shapes.constant(0))
        return shapes.opaque("length") if length is None else length
    if count.value is None:
        return shapes.opaque("length")
    return shapes.maximum(count.value, 0)


def _zip(context: Context, node: nodes.Zip) -> Typed:
    parts = [infer(context, item) for item in node.items]
    if any(part.type is None for part in parts):
        return UNTYPED
    types = [part.type for part in parts if part.type is not None]
    for item, type_ in zip(node.items, types, strict=True):
        if not type_.packed:
            context.report(
                rules.PACK_EXPECTED,
                item,
                f"only packs can be interleaved, but this is a single value of type '{type_}'",
            )
            return UNTYPED
        if type_.dtype != types[0].dtype:
            message = f"interleaved packs must have one type, but these are '{types[0]}' and '{type_}'"
            context.report(rules.TYPE_MISMATCH, item, message, (context.note(node.items[0], f"this is '{types[0]}'"),))
            return UNTYPED
        length, agree = joined_length(context, node, types[0], type_, (node.items[0], item))
        if not agree:
            return UNTYPED
        del length
    assert types[0].length is not None
    known = [part.items for part in parts if part.items is not None]
    items = None
    if len(known) == len(parts) and len({len(pack) for pack in known}) == 1 and len(known[0]) <= MOST_JOINED_ITEMS:
        items = tuple(item for row in zip(*known, strict=True) for item in row)
    return Typed(
        replace(types[0], optional=any(type_.optional for type_ in types), length=types[0].length * len(types)),
        None, items, any(part.accesses for part in parts),
    )  # fmt: skip
