"""Affine expressions of one identifier, by their syntax (2.6): ``a * x + b`` with literals ``a`` and ``b``."""

from __future__ import annotations

from msgspec import Struct

from snd_analysis.skriptnd.syntax import nodes


class Affine(Struct, frozen=True):
    """``factor * name + offset``; ``name`` is None for a constant."""

    name: str | None
    factor: int
    offset: int


def affine(expression: nodes.Expression | nodes.Tilde, constants: frozenset[str] = frozenset()) -> Affine | None:
    """Return the affine form of an expression of literals and at most one identifier; None if it has none.

    Identifiers in ``constants`` have known values and so make no affine form.
    """
    match expression:
        case nodes.Literal(type="int", value=value):
            return Affine(None, 0, int(value))
        case nodes.Qualified(parts=(name,)):
            return None if name.text in constants else Affine(name.text, 1, 0)
        case nodes.Parenthesized(inner=inner):
            return affine(inner, constants)
        case nodes.Unary(operator=operator, operand=operand) if operator.text in "+-":
            inner_form = affine(operand, constants)
            return inner_form and _scaled(inner_form, -1 if operator.text == "-" else 1)
        case nodes.Binary(left=left, operator=operator, right=right) if operator.text in ("+", "-", "*"):
            first, second = affine(left, constants), affine(right, constants)
            return None if first is None or second is None else _combined(first, operator.text, second)
    return None


def _scaled(form: Affine, by: int) -> Affine:
    return Affine(form.name if by else None, form.factor * by, form.offset * by)


def _combined(first: Affine, operator: str, second: Affine) -> Affine | None:
    if operator == "*":
        if first.name is not None and second.name is not None:
            return None
        return _scaled(first, second.offset) if second.name is None else _scaled(second, first.offset)
    second = _scaled(second, -1) if operator == "-" else second
    if first.name is not None and second.name is not None and first.name != second.name:
        return None
    name = first.name or second.name
    factor = first.factor + second.factor
    return Affine(name if factor else None, factor, first.offset + second.offset)
