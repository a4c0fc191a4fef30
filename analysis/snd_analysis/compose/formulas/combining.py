"""Operators and folds in formulas (2.4)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from itertools import accumulate, combinations, pairwise

from snd_analysis.compose.formulas.expressions import Expressions
from snd_analysis.compose.formulas.formula import UNKNOWN_VALUE
from snd_analysis.compose.formulas.operands import Guarded, Partial, is_dynamic, items_of
from snd_analysis.compose.scope import member_of
from snd_analysis.skriptnd.evaluate import EvaluationError
from snd_analysis.skriptnd.names import ShapeMember, Symbol
from snd_analysis.skriptnd.syntax import nodes
from snd_analysis.symbolic import integers as shapes
from snd_analysis.symbolic.integers import FALSE, TRUE, Integer, Truth
from snd_analysis.symbolic.values import (
    FOLDS,
    FUNCTIONS,
    NULL,
    UNDEFINED,
    OperationError,
    Pack,
    Value,
    default_value,
    elementwise,
    formatted,
)

_DECIDING = {"&&": FALSE, "||": TRUE, "=>": FALSE}


def unary(expressions: Expressions, node: nodes.Unary) -> Value:
    """Evaluate ``-a``, ``+a``, ``!a`` or ``?a``."""
    value = expressions.evaluate(node.operand)
    symbol = node.operator.text
    if symbol == "?":
        return value.present if isinstance(value, Partial) else shapes.truth(value is not NULL)
    apply = expressions.operations.unary
    return expressions.lifted(node, lambda a: elementwise(lambda x: apply(symbol, node, x), a), value)


def binary(expressions: Expressions, node: nodes.Binary) -> Value:
    """Evaluate ``a + b``, also ``is`` and ``in``."""
    symbol = node.operator.text
    left = expressions.evaluate(node.left)
    if left is _DECIDING.get(symbol, UNDEFINED):
        # Null wins, and a pack has an item for each of its own, but the right side need not have a value.
        decided = shapes.truth(symbol != "&&")
        try:
            other = expressions.evaluate(node.right)
        except EvaluationError:
            return decided
        return other if other is NULL else elementwise(lambda _: decided, other) if isinstance(other, Pack) else decided
    with expressions.where(left if symbol in _DECIDING else TRUE, symbol != "||"):
        right = expressions.evaluate(node.right)
    if symbol == "is":
        return expressions.lifted(node, lambda a, b: elementwise(_identical, a, b), left, right)
    if symbol == "in":
        return expressions.lifted(node, lambda a, b: _contained(expressions, node, a, b), left, right)
    apply = expressions.operations.binary
    return expressions.lifted(node, lambda a, b: elementwise(lambda x, y: apply(symbol, node, x, y), a, b), left, right)


def _contained(expressions: Expressions, node: nodes.Binary, item: Value, pack: Value) -> Value:
    items = items_of(pack)

    def contained(one: Value) -> Value:
        found: Value = FALSE
        for other in items:
            equal = expressions.operations.binary("==", node, one, other)
            found = expressions.operations.junction("||", node, found, equal)
        return found

    return elementwise(contained, item)


def fold(expressions: Expressions, node: nodes.Fold) -> Value:
    """Evaluate ``a + ..`` or ``a + ...``."""
    value = expressions.evaluate(node.operand)
    symbol = node.operator.text
    if node.cumulative:
        apply = expressions.operations.binary
        return expressions.lifted(
            node, lambda pack: Pack([*accumulate(items_of(pack), lambda a, b: apply(symbol, node, a, b))]), value
        )
    return expressions.lifted(node, lambda pack: folded(expressions, node, symbol, items_of(pack), pack.dtype), value)


def folded(
    expressions: Expressions, node: nodes.Node, symbol: str, items: Sequence[Value], dtype: str | None = None
) -> Value:
    """Return the fold of items; ``dtype`` is the type of the items, for an empty list."""
    if symbol == ":=":
        return items[0] if items and all(item is items[0] for item in items) else NULL
    if not items:
        return FOLDS[symbol](Pack((), dtype=dtype))

    def both(a: Value, b: Value) -> Value:
        if symbol in ("&&", "||"):
            return expressions.operations.junction(symbol, node, a, b)
        return expressions.operations.binary(symbol, node, a, b)

    if symbol in ("+", "*", "<?", ">?", "&&", "||"):
        return reduce(both, items)
    pairs = combinations(items, 2) if symbol == "!=" else pairwise(items)
    conditions = [both(a, b) for a, b in pairs]
    every: Value = TRUE
    for condition in conditions:
        every = expressions.operations.junction("&&", node, every, condition)
    return every


def _identical(a: Value, b: Value) -> Truth:
    return shapes.truth(a is b or (not is_dynamic(a) and not is_dynamic(b) and type(a) is type(b) and a == b))


# ---- ``c ? a : b`` and ``a ?? b`` in formulas (2.4, 2.4.1) -----------------------------------------------------------
def coalesce(expressions: Expressions, node: nodes.Coalesce) -> Value:
    """Evaluate ``a ?? b``."""
    value = expressions.evaluate(node.value)
    if value is NULL:
        return expressions.evaluate(node.fallback)
    if not isinstance(value, Partial):
        return value
    with expressions.where(value.present, False):
        fallback = expressions.evaluate(node.fallback)
    return _chosen(expressions, node, value.present, value.value, fallback)


def select(expressions: Expressions, node: nodes.Select) -> Value:
    """Evaluate ``c ? a : b``, or ``c ? a``."""
    condition = expressions.evaluate(node.condition)
    return expressions.lifted(node, lambda known: _selected(expressions, node, known), condition)


def _selected(expressions: Expressions, node: nodes.Select, condition: Value) -> Value:
    if condition is TRUE:
        return _spread(expressions, node, expressions.evaluate(node.consequent), node.alternative)
    if condition is FALSE:
        if node.alternative is None:
            return NULL
        return _spread(expressions, node, expressions.evaluate(node.alternative), node.consequent)
    if node.alternative is None:
        if isinstance(condition, Pack):
            condition = folded(expressions, node, "&&", items_of(condition))
            return _selected(expressions, node, condition)
        with expressions.where(condition):
            return Partial(expressions.operations.term(condition), expressions.evaluate(node.consequent))
    if isinstance(condition, Pack) and not is_dynamic(condition):
        return _selected_by_item(expressions, node, node.alternative, condition)
    with expressions.where(condition):
        first = expressions.evaluate(node.consequent)
    with expressions.where(condition, False):
        second = expressions.evaluate(node.alternative)
    return _chosen(expressions, node, condition, first, second)


def _spread(expressions: Expressions, node: nodes.Select, value: Value, other: nodes.Expression | None) -> Value:
    """Repeat a single value to the length of the other branch."""
    if isinstance(value, Pack | Partial) or value is NULL or other is None:
        return value
    try:
        rest = expressions.evaluate(other)
    except EvaluationError:
        return value
    return elementwise(lambda _, one: one, rest, value) if isinstance(rest, Pack) else value


def _selected_by_item(
    expressions: Expressions, node: nodes.Select, alternative: nodes.Expression, condition: Pack
) -> Value:
    """Select by a pack of known conditions: a branch that no item takes need not have a value."""
    taken = items_of(condition)
    rows = [
        expressions.evaluate(branch) if decision in taken else TRUE
        for decision, branch in ((TRUE, node.consequent), (FALSE, alternative))
    ]
    return _chosen(expressions, node, condition, *rows)


def _chosen(expressions: Expressions, node: nodes.Node, condition: Value, a: Value, b: Value) -> Value:
    if a is NULL and b is NULL:
        return NULL
    if (a is NULL) != (b is NULL) and not isinstance(condition, Pack):
        present = expressions.operations.term(condition)
        if a is NULL:
            present = expressions.operations.term(expressions.operations.unary("!", node, present))
        return Partial(present, b if a is NULL else a)
    select = expressions.operations.select
    return expressions.lifted(
        node, lambda x, y: elementwise(lambda c, p, q: select(node, c, p, q), condition, x, y), a, b
    )


# ---- names, brackets, guarded indices, casts and functions in formulas (2.4) -----------------------------------------
def name_value(expressions: Expressions, node: nodes.Qualified) -> Value:
    """Return the value of a name: an index symbol, a local value, a tensor, a counter, or a member of a tensor."""
    target = expressions.targets.get(node)
    if isinstance(target, ShapeMember):
        return member_of(expressions.tensors.models.get(target.tensor, UNDEFINED), target.member)
    if not isinstance(target, Symbol):
        return UNDEFINED
    if target in expressions.bindings:
        return expressions.bindings[target]
    if target in expressions.tensors.values:
        return expressions.tensors.values[target]
    value = expressions.specialization.scope.values.get(target, UNDEFINED)
    counter = expressions.tensors.counters.get(value) if isinstance(value, Integer) else None
    return value if counter is None else expressions.terms.next(counter)


def parenthesized(expressions: Expressions, node: nodes.Parenthesized) -> Value:
    """Evaluate ``(e)``."""
    return expressions.evaluate(node.inner)


def bounded(expressions: Expressions, node: nodes.Bounded) -> Value:
    """Evaluate ``|i|`` or ``|i <> below : above|``."""
    parts = [expressions.evaluate(part) for part in (node.value, node.below, node.above) if part is not None]
    if node.below is None or node.above is None:
        return expressions.lifted(node, lambda one: elementwise(lambda i: Guarded(i, None, None), one), parts[0])
    return expressions.lifted(node, lambda *three: elementwise(Guarded, *three), *parts)


def call(expressions: Expressions, node: nodes.Call) -> Value:
    """Return a built-in function, or a cast to a generic type."""
    dtype = expressions.specialization.scope.dtype(node.function)
    if dtype is not None and not node.arguments:
        return default_value(dtype)
    argument = node.arguments[0] if node.arguments else None
    if argument is None or isinstance(argument, nodes.Tilde):
        return UNDEFINED
    if dtype is not None:
        return _casted(expressions, node, dtype, argument)
    name = node.function.text
    if name not in FUNCTIONS:
        return UNDEFINED
    apply = expressions.operations.function
    return expressions.lifted(
        node, lambda a: elementwise(lambda x: apply(name, node, x), a), expressions.evaluate(argument)
    )


def cast(expressions: Expressions, node: nodes.Cast) -> Value:
    """Return ``real(e)``, or ``real()``."""
    dtype = expressions.specialization.scope.element_type(node.type)
    return default_value(dtype) if node.value is None else _casted(expressions, node, dtype, node.value)


def _casted(expressions: Expressions, node: nodes.Expression, dtype: str, argument: nodes.Expression) -> Value:
    apply = expressions.operations.cast
    return expressions.lifted(
        node, lambda a: elementwise(lambda x: apply(dtype, node, x), a), expressions.evaluate(argument)
    )


def string(expressions: Expressions, node: nodes.String) -> Value:
    """Return a string with values that are known here, such as an unrolled index or an index of a constant."""
    parts = (part.value if isinstance(part, nodes.Text) else expressions.evaluate(part.value) for part in node.parts)
    values = [*parts]
    if any(map(is_dynamic, values)):
        raise OperationError(UNKNOWN_VALUE, "a value in a string must be known when the formula is bound")
    return formatted(*values)


def nothing(expressions: Expressions, node: nodes.Node) -> Value:
    """Return UNDEFINED for a node without a value, or one that is known without a formula."""
    return UNDEFINED
