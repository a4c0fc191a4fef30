"""The value of every form of expression (2.4), and null propagation (2.4.1)."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Final

from snd_analysis.skriptnd.evaluate.lifting import (
    Environment,
    EvaluationError,
    Located,
    Tolerant,
    Unresolved,
    itemwise,
    lifted,
)
from snd_analysis.skriptnd.evaluate.selecting import evaluate_connective, evaluate_select
from snd_analysis.skriptnd.syntax import nodes
from snd_analysis.symbolic import integers as shapes
from snd_analysis.symbolic.integers import TRUE, Integer
from snd_analysis.symbolic.values import (
    CASTS,
    CUMULATIVE,
    FOLDS,
    FUNCTIONS,
    LONGEST_STRING,
    MOST_ITEMS,
    NULL,
    OPERATIONS,
    UNARY,
    UNDEFINED,
    Maybe,
    Null,
    OperationError,
    Pack,
    Segment,
    Slice,
    Undefined,
    Value,
    choose,
    contained,
    cumulative,
    default_value,
    elementwise,
    formatted,
    identical_later,
    identical_now,
    index,
    negated,
    range_,
    repeated,
    replaced,
    sliced,
    to_generic,
    too_large,
    uniform_later,
    uniform_now,
    zipped,
)

Form = Callable[[Any, Environment], Value]

_SPECIAL: Final = frozenset({Null, Undefined, Maybe})
_SHORT_CIRCUITING: Final = frozenset({"&&", "||", "=>"})


def evaluate(expression: nodes.Expression, environment: Environment) -> Value:
    """Return the value of an expression, as far as it is known in an environment.

    The value is null if any part that matters is null. Raise EvaluationError if the expression certainly has no value.
    """
    return FORMS[type(expression)](expression, environment)


# ---- operands --------------------------------------------------------------------------------------------------------
def _literal(node: nodes.Literal, environment: Environment) -> Value:
    value = node.value
    if node.type == "int":
        return shapes.constant(value)  # type: ignore[arg-type]
    return float(value) if node.type == "real" else shapes.truth(bool(value))


def _string(node: nodes.String, environment: Environment) -> Value:
    parts = node.parts
    if len(parts) == 1 and isinstance(parts[0], nodes.Text):
        return parts[0].value
    values = [part.value if isinstance(part, nodes.Text) else evaluate(part.value, environment) for part in parts]
    # A null value is text here: it doesn't make the string null.
    if any(value is UNDEFINED for value in values):
        return UNDEFINED
    text = formatted(*values)
    if isinstance(text, str) and len(text) > LONGEST_STRING:
        raise Located(node, ()).error(too_large(f"this string has {len(text):,} characters"))
    return text


def _qualified(node: nodes.Qualified, environment: Environment) -> Value:
    try:
        return environment.lookup(node)
    except Unresolved:
        return UNDEFINED


def _parenthesized(node: nodes.Parenthesized, environment: Environment) -> Value:
    inner = node.inner
    return FORMS[type(inner)](inner, environment)


# ---- operators -------------------------------------------------------------------------------------------------------
def _unary(node: nodes.Unary, environment: Environment) -> Value:
    operand = node.operand
    value = FORMS[type(operand)](operand, environment)
    symbol = node.operator.text
    if symbol == "?":
        return _null_test(value)
    if isinstance(value, Integer) and symbol == "-":
        return negated(value)
    return itemwise(Located(node, (operand,)), environment, UNARY[symbol], value)


def _null_test(value: Value) -> Value:
    if value is UNDEFINED:
        return UNDEFINED
    return value.present if isinstance(value, Maybe) else shapes.truth(value is not NULL)


def _binary(node: nodes.Binary, environment: Environment) -> Value:
    first, second, symbol = node.left, node.right, node.operator.text
    if symbol in _SHORT_CIRCUITING:
        return evaluate_connective(node, environment, evaluate)
    left = FORMS[type(first)](first, environment)
    right = FORMS[type(second)](second, environment)
    located = Located(node, (first, second))
    if symbol == "is":
        identical = identical_now if environment.composing else identical_later
        return itemwise(located, environment, identical, left, right)
    if symbol == "in":
        return lifted(located, contained, left, right)
    operation = OPERATIONS.get(symbol)
    if operation is None:  # no operator of two operands: reported with the types
        return UNDEFINED
    if type(left) in _SPECIAL or type(right) in _SPECIAL or type(environment) is Tolerant:
        return itemwise(located, environment, operation, left, right)
    try:
        if type(left) is Pack or type(right) is Pack:
            return elementwise(operation, left, right)
        return operation(left, right)
    except OperationError as failure:
        raise located.error(failure) from None


def _fold(node: nodes.Fold, environment: Environment) -> Value:
    value = evaluate(node.operand, environment)
    symbol = node.operator.text
    located = Located(node, (node,))
    if node.cumulative:
        return lifted(located, lambda pack: _cumulative(symbol, pack), value)
    if symbol == ":=":
        fold: Callable[[Pack], Value] | None = uniform_now if environment.composing else uniform_later
    else:
        fold = FOLDS.get(symbol)
    return UNDEFINED if fold is None else lifted(located, lambda pack: _folded(fold, pack), value)


def _folded(fold: Callable[[Pack], Value], value: Value) -> Value:
    return fold(value) if isinstance(value, Pack) else UNDEFINED


def _cumulative(symbol: str, value: Value) -> Value:
    return cumulative(symbol, value) if isinstance(value, Pack) and symbol in CUMULATIVE else UNDEFINED


def _coalesce(node: nodes.Coalesce, environment: Environment) -> Value:
    value = evaluate(node.value, environment)
    if value is NULL:
        return evaluate(node.fallback, environment)
    if not isinstance(value, Maybe):
        return value
    try:
        fallback = evaluate(node.fallback, environment)
    except EvaluationError:
        return UNDEFINED
    return lifted(Located(node, ()), choose, value.present, value.value, fallback)


# ---- packs -----------------------------------------------------------------------------------------------------------
def _list(node: nodes.List, environment: Environment) -> Value:
    values = [_list_item(item, environment) for item in node.items]
    return lifted(Located(node, ()), _joined, *values)


def _joined(*values: Value) -> Value:
    segments: list[Segment] = []
    dtype = repeats = None
    for value in values:
        if isinstance(value, Pack):
            segments.extend(value.segments)
            dtype, repeats = dtype or value.dtype, value.repeats
        else:
            segments.append(value)
    if len(segments) > max(MOST_ITEMS, len(values)):
        raise too_large(f"this pack has {len(segments):,} items")
    return Pack(segments, dtype=dtype, repeats=repeats if len(values) == 1 else None)


def _list_item(item: nodes.ListItem, environment: Environment) -> Value:
    if isinstance(item, nodes.Expanded):
        return _expanded(item, environment)
    if isinstance(item, nodes.Range):
        return _range(item, environment)
    return FORMS[type(item)](item, environment)


def _expanded(node: nodes.Expanded, environment: Environment) -> Value:
    inner, length = node.item, node.expansion.length
    if isinstance(inner, nodes.Zip):
        rows = [evaluate(row, environment) for row in inner.items]
        value = lifted(Located(inner, inner.items), lambda *packs: zipped(packs), *rows)
    else:
        value = evaluate(inner, environment)
    if length is None:
        return value if isinstance(value, Pack | Maybe) or value is NULL else UNDEFINED
    count = evaluate(length, environment)
    return lifted(Located(node, (node,)), repeated, value, count)


def _range(node: nodes.Range, environment: Environment) -> Value:
    if node.first is None or node.last is None:
        return UNDEFINED
    first, last = evaluate(node.first, environment), evaluate(node.last, environment)
    given = () if node.step is None else (evaluate(node.step, environment),)
    parts = (node.first, node.last, node.step or node)
    return lifted(Located(node, parts), _range_of, first, last, *given)


def _range_of(first: Value, last: Value, step: Value | None = None) -> Value:
    if not isinstance(first, Integer) or not isinstance(last, Integer):
        return UNDEFINED
    return range_(first, last, step) if step is None or isinstance(step, Integer) else UNDEFINED


def _subscript(node: nodes.Subscript, environment: Environment) -> Value:
    target = evaluate(node.target, environment)
    items = node.index.items
    if len(items) != 1 or node.index.trailing_comma:
        return UNDEFINED
    place = items[0]
    if isinstance(place, nodes.Range):
        return _slice(node, place, target, environment)
    if isinstance(place, nodes.Expanded | nodes.Zip):
        return UNDEFINED
    value = evaluate(place, environment)
    located = Located(node, (node.target, place))
    if type(environment) is Tolerant and isinstance(target, Pack) and isinstance(value, Pack) and value.dtype != "bool":
        return itemwise(located, environment, lambda single: index(target, single), value)
    return lifted(located, index, target, value)


def _slice(node: nodes.Subscript, part: nodes.Range, target: Value, environment: Environment) -> Value:
    given = (part.first, part.last, part.step)
    bounds = [shapes.TRUE if bound is None else evaluate(bound, environment) for bound in given]
    parts = tuple(part if bound is None else bound for bound in given)
    return lifted(Located(node, parts), _sliced, target, *bounds)


def _sliced(target: Value, *bounds: Value) -> Value:
    """Slice ``target``; TRUE marks an omitted bound."""
    if not all(bound is TRUE or isinstance(bound, Integer) for bound in bounds):
        return UNDEFINED
    return sliced(target, Slice(*(bound if isinstance(bound, Integer) else None for bound in bounds)))


def _substitution(node: nodes.Substitution, environment: Environment) -> Value:
    target = evaluate(node.target, environment)
    items = node.index.items
    if len(items) != 1 or isinstance(items[0], nodes.Expanded | nodes.Zip):
        return UNDEFINED
    if isinstance(items[0], nodes.Range):
        place = _places(node, items[0], target, environment)
    else:
        place = evaluate(items[0], environment)
    value = evaluate(node.value, environment)
    return lifted(Located(node, (node.target, items[0], node.value)), replaced, target, place, value)


def _places(node: nodes.Substitution, part: nodes.Range, target: Value, environment: Environment) -> Value:
    """Return the indices in a range of an index."""
    if isinstance(target, Maybe):
        return UNDEFINED
    if not isinstance(target, Pack):
        return target if target is NULL else UNDEFINED
    naturals = range_(shapes.constant(0), target.length, None)
    return _slice(nodes.Subscript(node.start, node.end, node.target, node.index), part, naturals, environment)


# ---- calls -----------------------------------------------------------------------------------------------------------
def _call(node: nodes.Call, environment: Environment) -> Value:
    if node.attributes is not None or node.generics is not None or len(node.arguments) > 1:
        return UNDEFINED
    try:
        dtype = environment.dtype(node.function)
    except Unresolved:
        return UNDEFINED
    if dtype is not None and not node.arguments:
        return _default_of(dtype)
    function = FUNCTIONS.get(node.function.text) if dtype is None else _cast_to(dtype)
    if function is None or not node.arguments or isinstance(node.arguments[0], nodes.Tilde):
        return UNDEFINED
    argument = node.arguments[0]
    return _applied(node, function, argument, environment)


def _cast(node: nodes.Cast, environment: Environment) -> Value:
    dtype: str | None = node.type.text
    if not node.type.is_keyword:
        try:
            dtype = environment.dtype(node.type)
        except Unresolved:
            return UNDEFINED
    if dtype is None or (node.type.is_keyword and dtype not in CASTS):
        return UNDEFINED
    if node.value is None:
        return _default_of(dtype)
    return _applied(node, _cast_to(dtype), node.value, environment)


def _cast_to(dtype: str) -> Callable[[Value], Value]:
    return CASTS.get(dtype) or partial(to_generic, dtype)


def _default_of(dtype: str) -> Value:
    return default_value(dtype) if dtype in CASTS else to_generic(dtype)


def _applied(
    node: nodes.Expression, function: Callable[[Value], Value], argument: nodes.Expression, environment: Environment
) -> Value:
    value = evaluate(argument, environment)
    return itemwise(Located(node, (argument,)), environment, function, value)


def _nothing(node: nodes.Node, environment: Environment) -> Value:
    """Return UNDEFINED for tensor accesses and unparsed expressions."""
    return UNDEFINED


def _select(node: nodes.Select, environment: Environment) -> Value:
    return evaluate_select(node, environment, evaluate)


FORMS: Final[dict[type[nodes.Node], Form]] = {
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
    nodes.Bounded: _nothing,
    nodes.ErrorExpression: _nothing,
    nodes.Tilde: _nothing,
    nodes.Zip: _nothing,
}
"""The value of every form of expression, by the type of its node."""
