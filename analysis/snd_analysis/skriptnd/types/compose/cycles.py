"""Recursive definitions, which invoke themselves directly or through others."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from typing import TypeVar

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
