"""Operators that invoke themselves, directly or through others (LANGUAGE, Operators): no composition of them ends."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator
from typing import TypeVar

from snd_analysis import rules
from snd_analysis.skriptnd.names import OperatorName, Resolution
from snd_analysis.skriptnd.syntax import nodes
from snd_analysis.skriptnd.syntax.nodes import BlockKind
from snd_analysis.skriptnd.types.context import Context
from snd_analysis.skriptnd.types.limits import MOST_NAMES_OF_CYCLE
from snd_analysis.skriptnd.types.signature import elsewhere


def invocations(definition: nodes.Definition, resolution: Resolution) -> Iterator[tuple[int, nodes.Call, OperatorName]]:
    """Yield every invocation in ``@compose`` and ``@update``, in order, with the offset that its spans count from."""
    for block in definition.blocks:
        if not isinstance(block, nodes.Block) or block.kind not in (BlockKind.COMPOSE, BlockKind.UPDATE):
            continue
        for entry in block.entries:
            part = resolution.parts.get(entry.statement)
            for call, target in part.invocations if part is not None else ():
                yield entry.start, call, target


def check_recursion(context: Context) -> None:
    """Report a cycle of invocations at the definition of it that comes first: of its file, or of the first file."""
    own = context.others.own(context.definition)
    if own is None or not context.others.is_recursive(own):
        return
    for base, call, target in invocations(context.definition, context.resolution):
        chain = _chain_back(context, own, target)
        if chain is None or any(_order(context, member) < _order(context, own) for member in chain):
            continue
        context.base = base
        if len(chain) == 1 and chain[0] == own:
            message = f"'{own.name}' invokes itself: its composition would never end"
            context.report(rules.RECURSIVE_OPERATOR, call.function, message)
            return
        names = [own.name, *(member.name for member in chain), own.name]
        if len(names) > MOST_NAMES_OF_CYCLE:
            half = MOST_NAMES_OF_CYCLE // 2
            names[half:-half] = [f"… ({len(names) - 2 * half} more)"]
        message = f"'{own.name}' invokes itself through others: {' → '.join(names)}"
        notes = tuple(elsewhere(member, f"'{member.name}' is defined here") for member in chain[:MOST_NAMES_OF_CYCLE])
        context.report(rules.RECURSIVE_OPERATOR, call.function, message, notes)
        return


def _order(context: Context, name: OperatorName) -> tuple[str, int]:
    return name.path, context.others.position(name)


def _chain_back(context: Context, own: OperatorName, first: OperatorName) -> list[OperatorName] | None:
    """Return the shortest chain of invocations from ``first`` that ends at ``own``, without ``own`` at the start.

    None if there is no such chain.
    """
    if first == own:
        return [own]
    before: dict[OperatorName, OperatorName | None] = {first: None}
    pending = [first]
    for name in pending:
        for invoked in context.others.invoked(name):
            if invoked == own:
                chain = [name]
                while (previous := before[chain[-1]]) is not None:
                    chain.append(previous)
                return chain[::-1]
            if invoked not in before:
                before[invoked] = name
                pending.append(invoked)
    return None


# ---- recursive definitions, which invoke themselves directly or through others ---------------------------------------
_Node = TypeVar("_Node", bound=Hashable)


def find_cyclic(start: _Node, following: Callable[[_Node], Iterable[_Node]], known: dict[_Node, bool]) -> None:
    """Add to ``known`` for all that ``start`` leads to whether it leads back to itself.

    In time that grows with the number of nodes and of ways between them (Tarjan's components).
    """
    if start in known:
        return
    number: dict[_Node, int] = {start: 0}
    lowest: dict[_Node, int] = {start: 0}
    open_: list[_Node] = [start]
    pending = [(start, iter(following(start)))]
    while pending:
        node, rest = pending[-1]
        other = next(rest, None)
        if other is None:
            pending.pop()
            if pending:
                before = pending[-1][0]
                lowest[before] = min(lowest[before], lowest[node])
            if lowest[node] == number[node]:
                component = [open_.pop()]
                while component[-1] != node:
                    component.append(open_.pop())
                leads_back = len(component) > 1 or node in following(node)
                known.update(dict.fromkeys(component, leads_back))
        elif other in known:
            continue
        elif other in number:
            lowest[node] = min(lowest[node], number[other])
        else:
            number[other] = lowest[other] = len(number)
            open_.append(other)
            pending.append((other, iter(following(other))))
