"""Operators and folds in formulas (2.4)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from itertools import accumulate, combinations, pairwise

from snd_analysis.compose.formulas.expressions import Expressions
from snd_analysis.compose.formulas.operands import Partial, is_dynamic, items_of
from snd_analysis.skriptnd.evaluate import EvaluationError
from snd_analysis.skriptnd.syntax import nodes
from snd_analysis.symbolic import integers as shapes
from snd_analysis.symbolic.integers import FALSE, TRUE, Truth
from snd_analysis.symbolic.values import FOLDS, NULL, UNDEFINED, Pack, Value, elementwise

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
    """Return the fold of items; ``dtype`` is that of items that there are none of."""
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
