"""Loops whose iterations share variables, where that is hardly meant (2.10.1, Loop unrolling)."""

from __future__ import annotations

from collections.abc import Iterator

from snd_analysis import rules
from snd_analysis.base import Edit, Repair
from snd_analysis.skriptnd.names import OperatorName, Symbol, SymbolKind
from snd_analysis.skriptnd.syntax import nodes
from snd_analysis.skriptnd.syntax.nodes import BlockKind, entries_of
from snd_analysis.skriptnd.types.context import Context
from snd_analysis.skriptnd.types.signature import elsewhere


def check_shared_variables(context: Context) -> None:
    """Warn of ``do`` loops over a count that is known when composing, whose body has variables that nothing updates."""
    for block in (BlockKind.COMPOSE, BlockKind.UPDATE):
        if not any(row.has_loops for row in context.resolution.rows[block]):
            continue
        for base, component in entries_of(context.definition, block, nodes.Component):
            context.base = base
            for node in nodes.descendants(component):
                if isinstance(node, nodes.Loop) and _only_counts(context, node):
                    _check(context, node)


def _only_counts(context: Context, node: nodes.Loop) -> bool:
    """Return whether a loop could as well be unrolled.

    Such a loop scans nothing, and counts to a number that no tensor holds.
    """
    count = node.iteration.count if node.iteration is not None else None
    if node.keyword.text != "do" or node.scans or node.conditions or count is None:
        return False
    if isinstance(count, nodes.Literal) and count.value in (0, 1):
        return False
    named = (context.target(each) for each in nodes.descendants(count))
    return not any(isinstance(each, Symbol) and each.is_tensor for each in named)


def _check(context: Context, node: nodes.Loop) -> None:
    for call in (each for each in nodes.descendants(node.body) if isinstance(each, nodes.Call)):
        target = context.target(call.function)
        if not isinstance(target, OperatorName) or context.others.is_graph(target):
            continue
        found = next(_lasting_variables(context, target), None)
        if found is None:
            continue
        owner, name = found
        message = (
            f"all iterations of this loop share the variable '{name}' of '{owner.name}'; "
            "write 'unroll' to give each iteration its own variables"
        )
        note = elsewhere(owner, f"'{owner.name}' is defined here")
        repair = Repair("write 'unroll'", (Edit(context.span(node.keyword), "unroll"),), safe=False)
        context.report(rules.SHARED_VARIABLES, node.keyword, message, (note,), repair)
        return


def _lasting_variables(context: Context, first: OperatorName) -> Iterator[tuple[OperatorName, str]]:
    """Yield the variables below an operator that no ``@update`` writes; variables of a state may be shared."""
    pending, seen = [first], set[OperatorName]()
    while pending:
        name = pending.pop()
        definition, resolution = context.others.definition(name), context.others.resolution(name)
        if (
            name in seen
            or definition is None
            or resolution is None
            or (name != first and context.others.is_graph(name))
        ):
            continue
        seen.add(name)
        updated = {result for row in resolution.rows[BlockKind.UPDATE] for result in row.results}
        for symbol in resolution.symbols:
            if symbol.kind is SymbolKind.VARIABLE and symbol.name not in updated:
                yield name, symbol.name
        pending += context.others.invoked(name)
