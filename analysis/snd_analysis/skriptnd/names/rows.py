"""Statements of a group of a long block, treated as one, so that the cost of an edit depends on its own group."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property

from snd_analysis.skriptnd.names.part import StatementPart
from snd_analysis.skriptnd.names.symbols import Symbol, Target
from snd_analysis.skriptnd.syntax import nodes


class GroupRow(StatementPart, frozen=True, dict=True):
    """The additions of the statements of a group to the tables of its definition, as if it were one statement."""

    parts: tuple[StatementPart, ...]
    group: nodes.Group

    @property
    def single(self) -> tuple[StatementPart, ...]:
        return self.parts

    @cached_property
    def by_node(self) -> Mapping[nodes.Node, StatementPart]:
        """The parts by their statements."""
        return {part.node: part for part in self.parts}

    @cached_property
    def lacks_name(self) -> bool:
        return any(part.lacks_name for part in self.parts)

    @cached_property
    def _notable(self) -> tuple[nodes.Node, ...]:
        return tuple(node for part in self.parts for node in part._notable)


def joined(parts: Sequence[StatementPart], group: nodes.Group) -> GroupRow:
    """Return the row of these parts, which were resolved one after the other."""
    count = len(parts[0].bound)
    asked: list[dict[str, Symbol | None]] = [{} for _ in range(count)]
    bound: list[dict[str, Symbol]] = [{} for _ in range(count)]
    targets: dict[nodes.Node, Target] = {}
    for part in parts:
        for at in range(count):
            for name, symbol in zip(*part.asked[at], strict=True):
                if name not in bound[at]:
                    asked[at].setdefault(name, symbol)
            bound[at].update(part.bound[at])
        targets.update(part.targets)
    return GroupRow(
        parts[0].node,
        tuple((tuple(each), tuple(each.values())) for each in asked),
        tuple(bound),
        tuple(symbol for part in parts for symbol in part.symbols),
        targets,
        tuple(use for part in parts for use in part.uses),
        all(part.lasting for part in parts),
        tuple(parts),
        group,
    )
