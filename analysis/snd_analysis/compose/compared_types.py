"""Generic types whose values an operator compares with each other (2.13): strings compare with strings only."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from snd_analysis.skriptnd.names import Resolution, Symbol
from snd_analysis.skriptnd.syntax import nodes

_COMPARISONS = frozenset({"<", "<=", ">", ">=", "==", "!="})


def compared_types(resolution: Resolution, statements: Iterable[nodes.Node]) -> Iterator[tuple[str, str]]:
    """Yield the names of two different generic types wherever an expression compares their values."""
    for statement in statements:
        for node in nodes.descendants(statement):
            if isinstance(node, nodes.Binary) and node.operator.text in _COMPARISONS:
                sides = [_generic_type(resolution, side) for side in (node.left, node.right)]
                if None not in sides and sides[0] != sides[1]:
                    yield str(sides[0]), str(sides[1])


def _generic_type(resolution: Resolution, node: nodes.Node) -> str | None:
    """Return the name of the generic type of an expression; None for other types."""
    match node:
        case nodes.Parenthesized(inner=part) | nodes.Subscript(target=part) | nodes.Substitution(target=part):
            return _generic_type(resolution, part)
        case nodes.Unary(operand=part) | nodes.Select(consequent=part) | nodes.Coalesce(value=part):
            return _generic_type(resolution, part)
        case nodes.Call(function=name):
            symbol = resolution.targets.get(name)
            is_cast = isinstance(symbol, Symbol) and isinstance(symbol.node, nodes.DtypeDeclaration)
            return name.parts[-1].text if is_cast else None
        case nodes.Qualified():
            symbol = resolution.targets.get(node) or resolution.targets.get(node.parts[0])
            return None if not isinstance(symbol, Symbol) else _declared_type(resolution, symbol.node)
    return None


def _declared_type(resolution: Resolution, declaration: nodes.Node) -> str | None:
    match declaration:
        case nodes.Local(value=value):
            return _generic_type(resolution, value)
        case nodes.Parameter(type=name):
            generic = resolution.symbol(name.text)
            is_generic = generic is not None and isinstance(generic.node, nodes.DtypeDeclaration)
            return name.text if is_generic else None
    return None
