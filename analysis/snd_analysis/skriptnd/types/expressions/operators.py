"""Unary and binary operators, folds, selects: the types that they take and give (2.4)."""

from __future__ import annotations

from collections.abc import Callable

from msgspec.structs import replace

from snd_analysis import rules
from snd_analysis.base import Edit, Repair
from snd_analysis.skriptnd.syntax import nodes, written
from snd_analysis.skriptnd.types.context import Context, Stage
from snd_analysis.skriptnd.types.expressions.functions import scalars
from snd_analysis.skriptnd.types.expressions.packs import by_condition, joined_length
from snd_analysis.skriptnd.types.fixes import as_real
from snd_analysis.skriptnd.types.type import BOOL, INT, UNTYPED, Dtype, Type, Typed, described, is_numeric
from snd_analysis.symbolic import integers as shapes
from snd_analysis.symbolic.integers import DivisionByZero, Integer, NegativeExponent

_ARITHMETIC = frozenset({"+", "-", "*", "/", "**", "<?", ">?"})
_INTEGER = frozenset({"\\", "%"})
_LOGICAL = frozenset({"&&", "||", "^", "=>"})
_COMPARISON = frozenset({"<", "<=", ">", ">=", "==", "!="})

_VALUES: dict[str, Callable[[Integer, Integer], Integer]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": shapes.floor_divide,
    "\\": shapes.ceil_divide,
    "%": shapes.remainder,
    "**": shapes.power,
    "<?": shapes.minimum,
    ">?": shapes.maximum,
}
_CUMULATIVE = frozenset({"+", "*", "&&", "||", "<?", ">?"})
_ORDERED_FOLDS = frozenset({"<", "<=", ">", ">="})


def unary(context: Context, node: nodes.Unary, operand: Typed) -> Typed:
    """Type ``+a``, ``-a``, ``!a`` and ``?a``; the null test ``?a`` accepts anything."""
    if node.operator.text == "?":
        return Typed(Type(BOOL), accesses=operand.accesses)
    if operand.type is None or not scalars(context, node.operand, operand):
        return UNTYPED
    dtype = operand.type.dtype
    if node.operator.text == "!":
        if dtype != BOOL:
            return _unfit(context, node.operand, "!", "bool", dtype)
        return Typed(operand.type, accesses=operand.accesses)
    if not is_numeric(dtype):
        return _unfit(context, node.operand, node.operator.text, "int or real", dtype)
    if node.operator.text == "+":
        return operand
    items = operand.items and tuple(item if item is None else -item for item in operand.items)
    value = None if operand.value is None else -operand.value
    return Typed(operand.type, value, items, operand.accesses)


def binary(context: Context, node: nodes.Binary, left: Typed, right: Typed) -> Typed:
    """Return all binary operators, ``is`` and ``in``; packs go element by element and must be of one length."""
    operator = node.operator.text
    if left.type is None or right.type is None:
        return UNTYPED
    if operator == "is":
        return _identity(context, node, left, right)
    if context.stage is not Stage.LOWER and left.type.tensor:
        scalars(context, node.left, left)  # that tensors are computed with is one mistake, however many there are
        return UNTYPED
    if not (scalars(context, node.left, left) & scalars(context, node.right, right)):
        return UNTYPED
    if operator == "in":
        return _containment(context, node, left.type, right.type, left.accesses or right.accesses)
    wanted = _wanted(operator)
    for side, typed in ((node.left, left.type), (node.right, right.type)):
        if not _fits(operator, typed.dtype):
            return _unfit(context, side, operator, wanted, typed.dtype)
    if left.type.dtype != right.type.dtype and not _are_compared(operator, left.type.dtype, right.type.dtype):
        return _mixed(context, node, left.type, right.type)
    length, agree = joined_length(context, node, left.type, right.type, (node.left, node.right))
    if not agree:
        return UNTYPED
    dtype = left.type.dtype if operator in _ARITHMETIC | _INTEGER else BOOL
    result = Type(dtype, left.type.optional or right.type.optional, length)
    accesses = left.accesses or right.accesses
    if dtype != INT or operator not in _VALUES:
        return Typed(result, accesses=accesses)
    return Typed(result, *_integers(context, node, left, right), accesses)


def _wanted(operator: str) -> str:
    if operator in _LOGICAL:
        return "bool"
    return "int" if operator in _INTEGER else "int or real"


def _fits(operator: str, dtype: Dtype) -> bool:
    if operator in _COMPARISON:
        return True
    if operator in _LOGICAL:
        return dtype == BOOL
    return dtype == INT if operator in _INTEGER else is_numeric(dtype)


def _are_compared(operator: str, left: Dtype, right: Dtype) -> bool:
    """Return whether types differ but may be compared, as the draft does with two generic types (4.2.5)."""
    return operator in _COMPARISON and left.is_generic and right.is_generic


def _integers(
    context: Context, node: nodes.Binary, left: Typed, right: Typed
) -> tuple[Integer | None, tuple[Integer | None, ...] | None]:
    """Return the value, or items, of an operation on ints, as far as its operands are known."""
    operation = _VALUES[node.operator.text]

    def applied(a: Integer | None, b: Integer | None) -> Integer | None:
        return None if a is None or b is None else operation(a, b)

    try:
        if left.type is not None and right.type is not None and not left.type.packed and not right.type.packed:
            return applied(left.value, right.value), None
        count = len(left.items) if left.items is not None else len(right.items) if right.items is not None else None
        lefts = left.items if left.items is not None else _repeated(left, count)
        rights = right.items if right.items is not None else _repeated(right, count)
        if lefts is None or rights is None or len(lefts) != len(rights):
            for divisor in rights or (right.value,):
                applied(left.value or shapes.constant(1), divisor)  # wrong for any left side
            return None, None
        return None, tuple(applied(a, b) for a, b in zip(lefts, rights, strict=True))
    except DivisionByZero:
        context.report(rules.DIVISION_BY_ZERO, node.right, rules.expressions.zero_divisor(node.operator.text))
    except NegativeExponent:
        context.report(rules.NEGATIVE_EXPONENT, node.right, rules.expressions.NO_NEGATIVE_EXPONENT)
    return None, None


def _repeated(typed: Typed, count: int | None) -> tuple[Integer | None, ...] | None:
    if count is None or typed.type is None or typed.type.packed:
        return None
    return (typed.value,) * count


def _identity(context: Context, node: nodes.Binary, left: Typed, right: Typed) -> Typed:
    assert left.type is not None
    assert right.type is not None
    if left.type.dtype != right.type.dtype:
        return _mixed(context, node, left.type, right.type)
    if left.type.tensor or right.type.tensor:
        return Typed(Type(BOOL))
    length, agree = joined_length(context, node, left.type, right.type, (node.left, node.right))
    return Typed(Type(BOOL, left.type.optional or right.type.optional, length)) if agree else UNTYPED


def _containment(context: Context, node: nodes.Binary, item: Type, pack: Type, accesses: bool) -> Typed:
    if not pack.packed:
        message = f"the right side of 'in' must be a pack, but is a single value of type '{pack}'"
        context.report(rules.PACK_EXPECTED, node.right, message)
        return UNTYPED
    if item.dtype != pack.dtype:
        message = f"'in' needs a value of the type of the items, but these are '{item}' and '{pack}'"
        return _mixed(context, node, item, pack, message)
    return Typed(Type(BOOL, item.optional or pack.optional, item.length), accesses=accesses)


def fold(context: Context, node: nodes.Fold, operand: Typed) -> Typed:
    """Type ``a + ..`` and ``a + ...`` (2.4, Folding and Cumulative Folding)."""
    if operand.type is None or not scalars(context, node.operand, operand):
        return UNTYPED
    if context.writing and operand.accesses and _reads_elements(context, node.operand):
        message = rules.formulas.as_contraction(_contraction(node))
        context.report(rules.FOLD_OF_ACCESS, node, message)
        return UNTYPED
    type_, operator = operand.type, node.operator.text
    dots = "..." if node.cumulative else ".."
    if not type_.packed:
        message = f"'{operator} {dots}' folds a pack, but this is a single value of type '{type_}'"
        context.report(rules.PACK_EXPECTED, node.operand, message)
        return UNTYPED
    if node.cumulative and operator not in _CUMULATIVE:
        folds = "'+ ...', '* ...', '&& ...', '|| ...', '<? ...' and '>? ...'"
        message = f"'{operator}' has no cumulative fold; there are {folds}"
        context.report(rules.NO_SUCH_FOLD, node.operator, message)
        return UNTYPED
    if operator in ("&&", "||"):
        if type_.dtype != BOOL:
            return _unfit(context, node.operand, f"{operator} {dots}", "bool", type_.dtype)
    elif operator not in ("==", "!=", ":=") and not is_numeric(type_.dtype):
        return _unfit(context, node.operand, f"{operator} {dots}", "int or real", type_.dtype)
    if node.cumulative:
        return Typed(type_)
    if operator == ":=":
        return Typed(Type(type_.dtype, optional=True))
    dtype = BOOL if operator in _ORDERED_FOLDS | {"==", "!="} else type_.dtype
    return Typed(Type(dtype, type_.optional), _folded(context, node, operand) if dtype == INT else None)


def _reads_elements(context: Context, node: nodes.Node) -> bool:
    """Return whether an access stands in the expression itself; a local value may be folded in any case."""
    subscripts = (item for item in nodes.descendants(node) if isinstance(item, nodes.Subscript))
    targets = (context.expressions.get(item.target, UNTYPED) for item in subscripts)
    return any(target.type is not None and target.type.tensor for target in targets)


def _contraction(node: nodes.Fold) -> str:
    return {"&&": "&=", "||": "|=", "<?": "<?=", ">?": ">?=", "*": "*="}.get(node.operator.text, "+=")


def _folded(context: Context, node: nodes.Fold, operand: Typed) -> Integer | None:
    """Return the value of a fold over ints: of known items, or of a named pack as a whole."""
    operator = node.operator.text
    if operand.items is not None and all(item is not None for item in operand.items):
        items = [item for item in operand.items if item is not None]
        if operator in ("+", "*"):
            total = shapes.constant(0 if operator == "+" else 1)
            for item in items:
                total = total + item if operator == "+" else total * item
            return total
        if not items:
            context.report(rules.EMPTY_EXTREMUM, node, rules.expressions.no_extremum(operator))
            return None
        return shapes.minimum(*items) if operator == "<?" else shapes.maximum(*items)
    symbol = context.symbol(node.operand)
    if symbol is not None and operator in ("+", "*"):
        make = shapes.sum_of if operator == "+" else shapes.product_of
        return make(symbol, symbol.name, None)
    return None


def select(
    context: Context, node: nodes.Select, condition: Typed, consequent: Typed, alternative: Typed | None
) -> Typed:
    """Type ``c ? a : b`` and ``c ? a`` (2.4, Select operator)."""
    if condition.type is not None and scalars(context, node.condition, condition) and condition.type.dtype != BOOL:
        _unfit(context, node.condition, "? :", "bool", condition.type.dtype)
        condition = UNTYPED
    if consequent.type is None or (alternative is not None and alternative.type is None) or condition.type is None:
        return UNTYPED
    optional = condition.type.optional or consequent.type.optional or alternative is None
    accesses = condition.accesses or consequent.accesses
    length, agree = consequent.type.length, True
    if alternative is not None and alternative.type is not None:
        optional |= alternative.type.optional
        accesses |= alternative.accesses
        if consequent.type.dtype != alternative.type.dtype:
            message = f"the branches have different types: '{consequent.type}' and '{alternative.type}'"
            notes = (context.note(node.consequent, f"this is '{consequent.type}'"),)
            assert node.alternative is not None
            context.report(rules.TYPE_MISMATCH, node.alternative, message, notes)
            return UNTYPED
        if not _both_elements(context, (node.consequent, consequent), (node.alternative, alternative)):
            return UNTYPED
        if condition.type.packed:
            assert node.alternative is not None
            sides = (node.consequent, node.alternative)
            length, agree = joined_length(context, node, consequent.type, alternative.type, sides)
        else:
            length = _chosen_length(context, node, consequent.type, alternative.type)
    if condition.type.packed and agree:
        chosen = node.consequent if consequent.type.packed or node.alternative is None else node.alternative
        result = replace(consequent.type, length=length)
        length, agree = joined_length(context, node, condition.type, result, (node.condition, chosen))
    if not agree:
        return UNTYPED
    type_ = replace(consequent.type, optional=optional, length=length)
    if alternative is not None and alternative.type is not None and type_.shape is None:
        type_ = replace(type_, shape=alternative.type.shape)
    value = None
    if alternative is not None and type_.dtype == INT and not type_.packed and not type_.tensor:
        value = _chosen(context, node, consequent.value, alternative.value)
    return Typed(type_, value, accesses=accesses)


def _chosen(context: Context, node: nodes.Select, first: Integer | None, second: Integer | None) -> Integer | None:
    """Return one of two ints by the condition of ``node``."""
    if first is None or second is None or first == second:
        return first if first == second else None
    return by_condition(context, node.condition, first, second)


def _chosen_length(context: Context, node: nodes.Select, first: Type, second: Type) -> Integer | None:
    if first.length is not None and second.length is not None:
        chosen = _chosen(context, node, first.length, second.length)
        if chosen is not None:
            return chosen
    return _either_length(first, second)


def _either_length(first: Type, second: Type) -> Integer | None:
    """Length of one of two packs when it is not known which."""
    if first.length is None or second.length is None:
        return first.length if second.length is None else second.length
    if first.length == second.length:
        return first.length
    return shapes.opaque("length")


def coalesce(context: Context, node: nodes.Coalesce, value: Typed, fallback: Typed) -> Typed:
    """Type ``a ?? b`` (2.4, Null coalescing)."""
    if value.type is None or fallback.type is None:
        return UNTYPED
    is_optional = value.type.optional
    if not is_optional and not context.is_presumed(node.value):
        message = f"the left side of '??' can't be null: its type is '{value.type}'"
        repair = None
        if fallback.type.optional:
            left, right = written(node.value), written(node.fallback)
            message = f"{message}; did you mean '{right} ?? {left}'?"
            edits = (Edit(context.span(node.value), right), Edit(context.span(node.fallback), left))
            repair = Repair("exchange the sides", edits, safe=False)
        context.report(rules.COALESCE_NOT_OPTIONAL, node.value, message, repair=repair)
    if value.type.dtype != fallback.type.dtype:
        message = f"the sides of '??' have different types: '{value.type.required()}' and '{fallback.type}'"
        notes = (context.note(node.value, f"this is '{value.type}'"),)
        context.report(rules.TYPE_MISMATCH, node.fallback, message, notes)
        return UNTYPED
    if fallback.type.optional:
        message = f"the right side of '??' must not be null, but its type is '{fallback.type}'"
        if is_optional:  # else the sides are in the wrong order, which is reported
            context.report(rules.NULL_NOT_ALLOWED, node.fallback, message)
        context.presume(node.fallback)
    if not _both_elements(context, (node.value, value), (node.fallback, fallback)):
        return UNTYPED
    length = _either_length(value.type, fallback.type)
    type_ = replace(value.type.required(), length=length)
    return Typed(type_, accesses=value.accesses or fallback.accesses)


def _both_elements(context: Context, *sides: tuple[nodes.Node | None, Typed]) -> bool:
    """Return whether a formula does not choose between a tensor and a value; reported at the tensor if it does."""
    tensors = [(node, typed) for node, typed in sides if typed.type is not None and typed.type.tensor]
    if context.stage is not Stage.LOWER or len(tensors) != 1:
        return True
    node, typed = tensors[0]
    return node is None or scalars(context, node, typed)


def _unfit(context: Context, node: nodes.Node, operator: str, wanted: str, dtype: Dtype) -> Typed:
    context.report(rules.OPERAND_TYPE, node, f"'{operator}' takes {wanted}, but this is {described(dtype)}")
    context.doubt(node)
    return UNTYPED


def _mixed(context: Context, node: nodes.Binary, left: Type, right: Type, message: str | None = None) -> Typed:
    message = message or f"'{node.operator.text}' takes two values of one type, but these are '{left}' and '{right}'"
    notes = (
        context.note(node.left, f"this is '{left}'"),
        context.note(node.right, f"this is '{right}'"),
    )
    repair = as_real(context, node.right, left.dtype, right.dtype) or as_real(
        context, node.left, right.dtype, left.dtype
    )
    context.report(rules.TYPE_MISMATCH, node, message, notes, repair)
    context.doubt(node.left, node.right)
    return UNTYPED
