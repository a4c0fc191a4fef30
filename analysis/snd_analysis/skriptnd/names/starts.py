"""Start offsets of the statements of a definition."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property

from snd_analysis.skriptnd.syntax import nodes

_PATIENCE = 256


class Starts(Mapping[nodes.Node, int]):
    """The offset that the spans of each statement count from.

    A lookup searches group by group. After as much work as a table of all statements takes, that table is built.
    """

    def __init__(self, definition: nodes.Definition) -> None:
        blocks = (block for block in definition.blocks if isinstance(block, nodes.Block))
        self._groups = [group for block in blocks for group in block.entries.groups]
        self._asked = 0
        self._near: tuple[int, nodes.Group] | None = None
        """Group of the last lookup, with its offset."""

    @cached_property
    def _all(self) -> Mapping[nodes.Node, int]:
        return {node: base + start for base, group in self._groups for node, start in group.starts.items()}

    def __getitem__(self, statement: nodes.Node) -> int:
        if self._asked > _PATIENCE:
            return self._all[statement]
        if self._near is None or statement not in self._near[1].starts:
            self._asked += 1
            near = next((each for each in self._groups if statement in each[1].starts), None)
            if near is None:
                raise KeyError(statement)
            self._near = near
        base, group = self._near
        return base + group.starts[statement]

    def __iter__(self) -> Iterator[nodes.Node]:
        return iter(self._all)

    def __len__(self) -> int:
        return len(self._all)
