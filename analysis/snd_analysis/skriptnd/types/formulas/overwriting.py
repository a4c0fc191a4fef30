"""Indices of an initialization that its left side lacks: each iteration overwrites the elements of the last one."""

from __future__ import annotations

from collections.abc import Iterable

from snd_analysis import rules
from snd_analysis.base import Edit, Repair
from snd_analysis.skriptnd.names import Symbol
from snd_analysis.skriptnd.syntax import nodes
from snd_analysis.skriptnd.types.context import Context
from snd_analysis.skriptnd.types.element import is_numeric
from snd_analysis.skriptnd.types.formulas.counting import counted_symbols
from snd_analysis.skriptnd.types.type import BOOL


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
