"""Conditions that select the evaluated parts of an expression: ``c ? a : b``, ``&&``, ``||``, ``=>`` (2.4, 2.4.1).

An unselected part need not have a value. A connective with a null operand is null, even if the left side decides it. A
selection is null only if its condition or its selected branch is null, so `?x ? x : 0` is never null.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from snd_analysis.skriptnd.evaluate.lifting import (
    Environment,
    EvaluationError,
    Failed,
    Located,
    Tolerant,
    lifted,
    without_failed,
)
from snd_analysis.skriptnd.syntax import nodes
from snd_analysis.symbolic import integers as shapes
from snd_analysis.symbolic.integers import FALSE, TRUE, Truth
from snd_analysis.symbolic.values import (
    FOLDS,
    NULL,
    OPERATIONS,
    UNDEFINED,
    Maybe,
    Pack,
    Value,
    choose,
    dtype_of,
    elementwise,
    fresh,
    maybe,
    repeated,
    select,
)

Evaluate = Callable[[nodes.Expression, Environment], Value]

_DECIDING: Final = {"&&": (FALSE, FALSE), "||": (TRUE, TRUE), "=>": (FALSE, TRUE)}
"""The left side that decides, and the resulting value."""


# ---- selections ------------------------------------------------------------------------------------------------------
def evaluate_select(node: nodes.Select, environment: Environment, evaluate: Evaluate) -> Value:
    """Return ``c ? a : b``, or ``c ? a``, which is null where the condition is not met."""
    condition = evaluate(node.condition, environment)
    if isinstance(condition, Maybe):
        return maybe(condition.present, _selected(node, condition.value, environment, evaluate))
    return _selected(node, condition, environment, evaluate)


def _selected(node: nodes.Select, condition: Value, environment: Environment, evaluate: Evaluate) -> Value:
    if condition is TRUE:
        return _chosen(node, node.consequent, node.alternative, environment, evaluate)
    if condition is FALSE:
        if node.alternative is None:
            return NULL
        return _chosen(node, node.alternative, node.consequent, environment, evaluate)
    if isinstance(condition, Pack):
        return _selected_by_item(node, condition, environment, evaluate)
    if not isinstance(condition, Truth):
        return condition if condition is NULL else UNDEFINED
    first = _attempt(node.consequent, environment, evaluate)
    second = NULL if node.alternative is None else _attempt(node.alternative, environment, evaluate)
    if first is None and second is None:
        # Either branch fails.
        return evaluate(node.consequent, environment)
    first, second = _in_place_of(first, second), _in_place_of(second, first)
    return lifted(Located(node, ()), lambda known: choose(known, first, second), condition)


def _attempt(node: nodes.Expression, environment: Environment, evaluate: Evaluate) -> Value | None:
    """Return the value; None if there is none."""
    try:
        return evaluate(node, environment)
    except EvaluationError:
        return None


def _in_place_of(value: Value | None, other: Value | None) -> Value:
    """Return the value; an unknown one for a branch without a value, since choosing that branch is an error anyway."""
    return value if value is not None else fresh(None if other is None else dtype_of(other))


def _chosen(
    node: nodes.Select,
    taken: nodes.Expression,
    other: nodes.Expression | None,
    environment: Environment,
    evaluate: Evaluate,
) -> Value:
    """Return one of two branches; if the other is a pack, a single value is repeated to its length."""
    value = evaluate(taken, environment)
    if isinstance(value, Pack) or value is NULL or value is UNDEFINED or other is None or _is_single(other):
        return value
    rest = _attempt(other, environment, evaluate)
    if isinstance(rest, Maybe):
        rest = rest.value
    if not isinstance(rest, Pack):
        return value
    length = rest.length
    return lifted(Located(node, ()), lambda single: _as_pack(single, length), value)


def _as_pack(value: Value, length: Value) -> Value:
    return value if isinstance(value, Pack) else repeated(value, length)


def _is_single(node: nodes.Expression) -> bool:
    """Return whether the value is certainly no pack, at a glance."""
    if isinstance(node, nodes.Subscript):
        place = node.index.items[0] if node.index.items else None
        if isinstance(place, nodes.Unary):
            place = place.operand
        return isinstance(place, nodes.Literal)
    return isinstance(node, nodes.Literal | nodes.String)


def _selected_by_item(node: nodes.Select, condition: Pack, environment: Environment, evaluate: Evaluate) -> Value:
    located = Located(node, (node.condition, node.consequent))
    if node.alternative is None:
        # Null pertains to the whole pack: there is a value if all items are chosen.
        return _selected(node, FOLDS["&&"](condition), environment, evaluate)
    consequent, alternative = (_branch(branch, environment, evaluate) for branch in (node.consequent, node.alternative))
    value = lifted(located, select, condition, consequent, alternative)
    return value if isinstance(environment, Tolerant) else without_failed(value)


def _branch(node: nodes.Expression, environment: Environment, evaluate: Evaluate) -> Value:
    """Evaluate a branch that is taken item by item: unchosen items need not have a value."""
    try:
        return evaluate(node, environment)
    except EvaluationError:
        if isinstance(environment, Tolerant):
            raise
        return evaluate(node, Tolerant(environment))


# ---- connectives -----------------------------------------------------------------------------------------------------
def evaluate_connective(node: nodes.Binary, environment: Environment, evaluate: Evaluate) -> Value:
    """Evaluate ``a && b``, ``a || b``, ``a => b``: null if either is; else b need not have a value where a decides."""
    symbol = node.operator.text
    deciding, decided = _DECIDING[symbol]
    left = evaluate(node.left, environment)
    if left is NULL:
        return NULL
    if isinstance(left, Pack):
        return _connected_by_item(node, left, environment, evaluate)
    right = _attempt(node.right, environment, evaluate)
    if right is None:
        if left is deciding:
            return decided
        if left is UNDEFINED or isinstance(left, Maybe):
            return UNDEFINED
        # Certain to fail, unless the left side turns out to decide.
        right = evaluate(node.right, environment) if left is TRUE or left is FALSE else fresh("bool")
    if symbol == "&&" and isinstance(left, Truth) and _tests_null(node.left):
        return _guarded(left, right)
    return lifted(
        Located(node, (node.left, node.right)), lambda a, b: elementwise(OPERATIONS[symbol], a, b), left, right
    )


def _guarded(left: Truth, right: Value) -> Value:
    """Return ``?x && c``: c is looked at only where x is not null."""
    if right is NULL:
        return maybe(shapes.not_(left), FALSE)
    present: Truth = TRUE
    if isinstance(right, Maybe):
        present, right = shapes.or_(shapes.not_(left), right.present), right.value
    return UNDEFINED if right is UNDEFINED else maybe(present, elementwise(OPERATIONS["&&"], left, right))


def _tests_null(node: nodes.Expression) -> bool:
    """Return whether a conjunction has a null test among its terms."""
    match node:
        case nodes.Parenthesized(inner=inner):
            return _tests_null(inner)
        case nodes.Unary(operator=operator):
            return operator.text == "?"
        case nodes.Binary(left=left, operator=operator, right=right) if operator.text == "&&":
            return _tests_null(left) or _tests_null(right)
    return False


def _connected_by_item(node: nodes.Binary, left: Pack, environment: Environment, evaluate: Evaluate) -> Value:
    symbol = node.operator.text
    deciding, decided = _DECIDING[symbol]

    def connected(a: Value, b: Value) -> Value:
        if isinstance(a, Failed):
            return a
        if isinstance(b, Failed):
            return decided if a is deciding else b
        return OPERATIONS[symbol](a, b)

    right = _branch(node.right, environment, evaluate)
    value = lifted(Located(node, (node.left, node.right)), lambda a, b: elementwise(connected, a, b), left, right)
    return value if isinstance(environment, Tolerant) else without_failed(value)
