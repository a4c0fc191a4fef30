"""Indices that the condition of a formula fixes: only one of their iterations writes an element (2.12)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from snd_analysis.skriptnd.names import Symbol
from snd_analysis.skriptnd.syntax import nodes
from snd_analysis.skriptnd.types.context import Context


def fixed_indices(context: Context, formula: nodes.Lowering, missing: set[Symbol]) -> set[Symbol]:
    """Return the indices for which an equality in the condition chooses a value, as ``l == f(i)``."""
    locals_ = {context.symbol(local.name): local.value for local in formula.locals}

    def below(node: nodes.Node) -> list[nodes.Node]:
        """Return the nodes of an expression, with those of the local values that it names."""
        found = list(nodes.descendants(node))
        values = [locals_[symbol] for each in found if (symbol := context.symbol(each)) in locals_]
        return [*found, *(part for value in values for part in below(value))]

    equalities = [[below(side) for side in sides] for sides in _equalities(context, formula.condition, locals_)]
    fixed: set[Symbol] = set()
    while True:
        found: set[Symbol] = set()
        for left, right in equalities:
            for side, other in ((left, right), (right, left)):
                own = (_symbols_of(context, side) & missing) - fixed
                if len(own) == 1 and not (_symbols_of(context, other) & missing) - fixed and not _is_divided(side):
                    found |= own
        if not found:
            return fixed
        fixed |= found


def _symbols_of(context: Context, found: Iterable[nodes.Node]) -> set[Symbol]:
    return {symbol for node in found if (symbol := context.symbol(node)) is not None}


def _is_divided(found: Iterable[nodes.Node]) -> bool:
    """Return whether nodes have a quotient or remainder, which is one value for several indices."""
    return any(isinstance(node, nodes.Binary) and node.operator.text in ("/", "\\", "%") for node in found)


def _equalities(
    context: Context, condition: nodes.Node | None, locals_: Mapping[Symbol | None, nodes.Node]
) -> Iterator[tuple[nodes.Node, nodes.Node]]:
    """Yield the sides of the equalities that must hold for a condition to hold."""
    match condition:
        case nodes.Parenthesized(inner=inner):
            yield from _equalities(context, inner, locals_)
        case nodes.Binary(left=left, operator=nodes.Operator(text="&&"), right=right):
            yield from _equalities(context, left, locals_)
            yield from _equalities(context, right, locals_)
        case nodes.Binary(left=left, operator=nodes.Operator(text="=="), right=right):
            yield left, right
        case nodes.Qualified() if (symbol := context.symbol(condition)) in locals_:
            yield from _equalities(context, locals_[symbol], locals_)
