"""Statements of a long block in rows that are looked at as one, so that an edit costs what is in its own row.

A row lasts as long as it has the same statements, and these mean the same.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import TypeVar

from snd_analysis.skriptnd.names.part import Part
from snd_analysis.skriptnd.names.symbols import Symbol, Target
from snd_analysis.skriptnd.syntax import nodes

_ORDINARY = 48
_SHORTEST = 16
"""What edits have left of a shorter row becomes a part of the next one."""
_LONGEST = 2 * _ORDINARY

Statement = TypeVar("Statement", bound=nodes.Node)


class Row(Part, frozen=True, dict=True):
    """What a row of statements added to the tables of its definition, as if it were one statement."""

    parts: tuple[Part, ...]

    @property
    def single(self) -> tuple[Part, ...]:
        return self.parts

    @cached_property
    def by_node(self) -> Mapping[nodes.Node, Part]:
        """The parts by their statements."""
        return {part.node: part for part in self.parts}

    @cached_property
    def statements(self) -> tuple[nodes.Node, ...]:
        """The statements, in order."""
        return tuple(part.node for part in self.parts)

    @cached_property
    def _notable(self) -> tuple[nodes.Node, ...]:
        return tuple(node for part in self.parts for node in part._notable)


def joined(parts: Sequence[Part]) -> Row:
    """The row of these parts, each of which was resolved behind the one before it."""
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
    return Row(
        parts[0].node,
        tuple((tuple(each), tuple(each.values())) for each in asked),
        tuple(bound),
        tuple(symbol for part in parts for symbol in part.symbols),
        targets,
        tuple(use for part in parts for use in part.uses),
        all(part.lasting for part in parts),
        tuple(parts),
    )


def in_rows(
    entries: Sequence[tuple[int, Statement]], before: Mapping[nodes.Node, Row]
) -> Iterator[tuple[Sequence[tuple[int, Statement]], Row | None]]:
    """The entries of a block in rows, each with the one ``before`` of the same statements, by the first of these."""
    start = at = 0
    while at < len(entries):
        known = before.get(entries[at][1]) if at == start or at - start >= _SHORTEST else None
        if known is not None:
            end = at + len(known.parts)
            if known.statements == tuple(statement for _, statement in entries[at:end]):
                if start < at:
                    yield entries[start:at], None
                yield entries[at:end], known
                start = at = end
                continue
        at += 1
        if at - start >= _LONGEST:
            yield entries[start : start + _ORDINARY], None
            start += _ORDINARY
    if start < at:
        yield entries[start:at], None
