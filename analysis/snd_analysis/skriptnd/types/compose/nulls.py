"""Expressions that are null because attributes are not given (2.4.1, 2.5)."""

from __future__ import annotations

from snd_analysis.skriptnd.syntax import nodes


def is_null(node: nodes.Node | None, absent: frozenset[str]) -> bool:
    """Return whether an expression is certainly null if the attributes of these names are."""
    match node:
        case None | nodes.Literal() | nodes.Tilde():
            return False
        case nodes.Qualified():
            return node.text in absent
        case nodes.Unary(operator=operator, operand=operand):
            return operator.text != "?" and is_null(operand, absent)
        case nodes.Binary(operator=operator) if operator.text == "is":
            return False
        case nodes.Coalesce(value=value, fallback=fallback):
            return is_null(value, absent) and is_null(fallback, absent)
        case nodes.Select(condition=condition, consequent=consequent, alternative=alternative):
            either = alternative is None or is_null(alternative, absent)
            return is_null(condition, absent) or (is_null(consequent, absent) and either)
    return any(is_null(child, absent) for child in nodes.children(node))
