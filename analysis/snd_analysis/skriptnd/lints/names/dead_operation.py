"""An operation is invoked, and none of its results is used."""

from __future__ import annotations

from collections.abc import Callable, Set

from snd_analysis.base import OperatorName, Rule, Severity, Span
from snd_analysis.skriptnd.names import Resolution
from snd_analysis.skriptnd.syntax import nodes
from snd_analysis.skriptnd.syntax.nodes import BlockKind, entries_of

DEAD_OPERATION = Rule("dead-operation", section="tool", severity=Severity.WARNING)


def dead_results(
    resolution: Resolution, unused: Set[Span], updates: Callable[[OperatorName], bool]
) -> dict[Span, tuple[Span, ...]]:
    """Return the names of results of operations without effect: of each statement the first, with the others.

    ``unused`` are the places of names that are never read. An operation that updates variables has an effect.
    """
    found: dict[Span, tuple[Span, ...]] = {}
    for base, component in entries_of(resolution.definition, BlockKind.COMPOSE, nodes.Component) if unused else ():
        for node in nodes.descendants(component):
            if isinstance(node, nodes.Component):
                names = [name.span.shifted(base) for name in node.names]
                if names and set(names) <= unused and _is_pure(resolution, node.value, updates):
                    found[names[0]] = tuple(names[1:])
    return found


def _is_pure(resolution: Resolution, value: nodes.Node, updates: Callable[[OperatorName], bool]) -> bool:
    """Whether a right side invokes operators, and none that updates variables."""
    targets = (resolution.targets.get(node) for node in nodes.descendants(value))
    invoked = {target for target in targets if isinstance(target, OperatorName)}
    return bool(invoked) and not any(map(updates, invoked))
