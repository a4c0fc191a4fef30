"""Extents that formulas count: as many as points satisfy a condition (2.12, Data dependent output shapes)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from snd_analysis import rules
from snd_analysis.base import Edit, Repair
from snd_analysis.skriptnd.names import Symbol, symbols_in
from snd_analysis.skriptnd.syntax import nodes, written
from snd_analysis.skriptnd.syntax.nodes import BlockKind, entries_of
from snd_analysis.skriptnd.types.context import Context
from snd_analysis.skriptnd.types.type import BOOL, is_numeric


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


# Indices of an initialization that its left side lacks: each iteration overwrites the elements of the last one.
def check_overwriting(context: Context, formula: nodes.Lowering, output: Symbol, is_alone: bool) -> None:
    """Report the first index that affects the value written by ``=``, but not the place or the condition (2.12).

    ``is_alone`` is True if no other formula writes the output, so that the formula may accumulate.
    """
    names = (node for node in nodes.descendants(formula.target) if isinstance(node, nodes.Qualified))
    if formula.operator.text != "=" or any(context.symbol(name) is None for name in names):
        return
    locals_ = {context.symbol(local.name): _symbols(context, [local.value]) for local in formula.locals}
    where = _with_locals(_symbols(context, [formula.target]), locals_)
    if where & counted_symbols(context):
        return  # each element that is counted has a place of its own
    whether = _with_locals(_symbols(context, [formula.condition] if formula.condition is not None else []), locals_)
    what = _with_locals(_symbols(context, [formula.value]), locals_)
    for name, bound in _indices(formula):
        symbol = context.symbol(name)
        if symbol is None or symbol not in what - where - whether or _is_one(bound):
            continue
        message = f"'{name.text}' is not on the left, so each of its iterations overwrites '{output.name}'"
        type_, repair = context.typed(output).type, None
        if is_alone and type_ is not None and is_numeric(type_.dtype):
            message = f"{message}: write '+=' to sum over it"
            repair = Repair("write +=", (Edit(context.span(formula.operator), "+="),), safe=False)
        elif is_alone and type_ is not None and type_.dtype == BOOL:
            message = f"{message}: write '|=' for any of them, or '&=' for all"
        context.report(rules.OVERWRITTEN_OUTPUT, name, message, repair=repair)
        return


def _indices(formula: nodes.Lowering) -> list[tuple[nodes.Name, nodes.Expression]]:
    unrolled = formula.unroll
    counted = [] if unrolled is None or unrolled.name is None else [(unrolled.name, unrolled.count)]
    return [*counted, *((bound.name, bound.bound) for bound in formula.bounds)]


def _is_one(bound: nodes.Expression) -> bool:
    return isinstance(bound, nodes.Literal) and bound.value == 1


def _symbols(context: Context, parts: Iterable[nodes.Node]) -> set[Symbol]:
    found = (context.symbol(node) for part in parts for node in nodes.descendants(part))
    return {symbol for symbol in found if symbol is not None}


def _with_locals(symbols: set[Symbol], locals_: dict[Symbol | None, set[Symbol]]) -> set[Symbol]:
    """Return the symbols and the symbols that local names among them depend on."""
    found, waiting = set(symbols), list(symbols)
    while waiting:
        further = locals_.get(waiting.pop(), set()) - found
        found |= further
        waiting += further
    return found
