"""Results of the statements of a long definition, used again after an edit as long as what they depend on is the same.

After an edit of one line the others are read as the same nodes, and their names mean the same (``names/part.py``).
What is found out about such a statement depends on what was found out about the symbols that it names: if that is as
before, so is the result. Rows of statements are looked at as one first, and their statements only where something that
a row depends on is not as it was. So an edit costs what follows from it, and a look at each other row.
"""

from __future__ import annotations

from itertools import chain
from typing import Generic, TypeVar

from snd_analysis.skriptnd.names.part import Part
from snd_analysis.skriptnd.names.resolution import Resolution
from snd_analysis.skriptnd.syntax import SHORTEST_LONG_BLOCK, nodes

# While somebody types, a name stands for something, then for nothing, then for what it did: two states by turns.
_MOST_VERSIONS = 2

Result = TypeVar("Result")


class Memo(Generic[Result]):
    """What is known of statements and rows of them, by their names and by what these were ``given`` as.

    Since that decides the result, it holds in any state of the files. ``forget`` lets go of statements that are gone.
    """

    __slots__ = ("_known",)

    def __init__(self) -> None:
        self._known: dict[Part, tuple[tuple[object, Result], ...]] = {}

    def find(self, part: Part, given: object) -> Result | None:
        """The result for a statement whose symbols are given as this; None if it is not known."""
        for before, result in self._known.get(part, ()):
            if before == given:
                return result
        return None

    def versions(self, part: Part) -> tuple[Result, ...]:
        """The results for a statement with whatever its symbols were given as, the latest first."""
        return tuple(result for _, result in self._known.get(part, ()))

    def learn(self, part: Part, given: object, result: Result) -> None:
        """Keeps a result."""
        self._known[part] = ((given, result), *self._known.get(part, ())[: _MOST_VERSIONS - 1])

    def forget(self, resolution: Resolution) -> None:
        """Lets go of what belongs to no part of a definition as it is now, once that is the greater part."""
        rows = (*chain.from_iterable(resolution.rows.values()),)
        if len(self._known) > 2 * (len(resolution.parts) + len(rows)):
            known = self._known
            kept = chain(resolution.parts.values(), rows)
            self._known = {part: known[part] for part in kept if part in known}


def is_long(definition: nodes.Definition) -> bool:
    """Whether a definition has a block of which statements last through edits."""
    return any(
        isinstance(block, nodes.Block) and len(block.entries) >= SHORTEST_LONG_BLOCK for block in definition.blocks
    )
