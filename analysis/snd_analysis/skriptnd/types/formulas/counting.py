"""Extents that formulas count: as many as points satisfy a condition (2.12, Data dependent output shapes)."""

from __future__ import annotations

from collections.abc import Iterator

from snd_analysis import rules
from snd_analysis.skriptnd.names import Symbol, symbols_in
from snd_analysis.skriptnd.syntax import nodes, written
from snd_analysis.skriptnd.syntax.nodes import BlockKind, entries_of
from snd_analysis.skriptnd.types.context import Context


def counted_symbols(context: Context) -> frozenset[Symbol]:
    """Return the symbols of the dynamic extents that the outputs declare."""
    bounded = {
        extent
        for _, output in entries_of(context.definition, BlockKind.OUTPUT, nodes.Parameter)
        for extent in (output.shape.extents if output.shape is not None else ())
        if extent.bound is not None
    }
    found = (context.symbol(extent.value) for extent in bounded)
    return frozenset(each for each in found if each is not None and each.node in bounded)


def check_counting(context: Context, formula: nodes.Lowering, output: Symbol) -> None:
    """Report the first dynamic extent that a formula doesn't count, or takes for a number that is known."""
    shape = output.node.shape if isinstance(output.node, nodes.Parameter) else None
    dynamic = counted_symbols(context)
    index = formula.target.indices[-1]
    if any(isinstance(item, nodes.Qualified) and context.target(item) is None for item in index.items):
        return  # the name of an index is reported
    counted = {context.symbol(item) for item in index.items if isinstance(item, nodes.Qualified)} & dynamic
    for extent in shape.extents if shape is not None else ():
        symbol = context.symbol(extent.value)
        if symbol is not None and symbol in dynamic:
            if symbol in counted:
                continue
            message = (
                f"nothing counts the extent '{symbol.name}' of '{output.name}' here: "
                f"write '{symbol.name}' alone as the index of its dimension"
            )
        elif isinstance(extent.value, nodes.Tilde) or dynamic & symbols_in(context.resolution, extent).keys():
            message = (
                f"formulas count an extent by a name, and '{written(extent.value)}' of '{output.name}' is none: "
                "write a name with an upper bound, as in 'k|n'"
            )
        else:
            continue
        context.report(rules.UNCOUNTED_EXTENT, index, message, (context.declared(output),))
        return
    for name, place in _named(context, formula):
        symbol = context.symbol(name)
        if symbol is not None and symbol in dynamic and (place is not None or symbol not in counted):
            why = (
                f"'{output.name}' is not indexed by it"
                if place is None
                else f"{place} decides what '{symbol.name}' counts"
            )
            message = f"'{symbol.name}' has no value here: {why}"
            context.report(rules.UNCOUNTED_EXTENT, name, message, (context.declared(symbol),))
            return


def _named(context: Context, formula: nodes.Lowering) -> Iterator[tuple[nodes.Node, str | None]]:
    """Yield the names in a formula behind its left side; with the place, where nothing is counted yet."""
    parts: list[tuple[nodes.Node | None, str | None]] = [
        (None if formula.unroll is None else formula.unroll.count, "the number of unrolled steps"),
        *((bound.bound, "the bound of an index") for bound in formula.bounds),
        (formula.condition, "the condition"),
        *((local.value, None) for local in formula.locals),
        (formula.value, None),
    ]
    for part, place in parts:
        for node in nodes.descendants(part) if part is not None else ():
            if isinstance(node, nodes.Qualified):
                yield node, place
