"""Names, brackets, guarded indices, casts and functions in formulas (2.4)."""

from __future__ import annotations

from snd_analysis.compose.formulas.expressions import Expressions
from snd_analysis.compose.formulas.formula import UNKNOWN_VALUE
from snd_analysis.compose.formulas.operands import Guarded, is_dynamic
from snd_analysis.compose.scope import member_of
from snd_analysis.skriptnd.names import ShapeMember, Symbol
from snd_analysis.skriptnd.syntax import nodes
from snd_analysis.symbolic.integers import Integer
from snd_analysis.symbolic.values import (
    FUNCTIONS,
    UNDEFINED,
    OperationError,
    Value,
    default_value,
    elementwise,
    formatted,
)


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
