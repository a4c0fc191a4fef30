"""``c ? a : b`` and ``a ?? b`` in formulas (2.4, 2.4.1)."""

from __future__ import annotations

from snd_analysis.compose.formulas.combining import folded
from snd_analysis.compose.formulas.expressions import Expressions
from snd_analysis.compose.formulas.operands import Partial, is_dynamic, items_of
from snd_analysis.skriptnd.evaluate import EvaluationError
from snd_analysis.skriptnd.syntax import nodes
from snd_analysis.symbolic.integers import FALSE, TRUE
from snd_analysis.symbolic.values import NULL, Pack, Value, elementwise


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
