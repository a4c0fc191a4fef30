"""Results of the statements of a long definition, used again after an edit as long as what they depend on is the same.

After an edit of one line the others are read as the same nodes, and their names mean the same (``names/part.py``).
What is found out about such a statement depends on what was found out about the symbols that it names: if that is as
before, so is the result. So an edit costs what follows from it, and a look at each other statement.
"""

from __future__ import annotations

from typing import Generic, TypeVar

from snd_analysis.names.part import Part
from snd_analysis.syntax import nodes

# A block that is read again as a whole has new nodes; only longer ones are read in pieces (``syntax/reparse.py``).
_SHORTEST = 64
# While somebody types, a name stands for something, then for nothing, then for what it did: two states by turns.
_MOST_VERSIONS = 2

Result = TypeVar("Result")


class Memo(Generic[Result]):
    """What is known of statements, by their names and by what these were ``given`` as.

    It begins with what the memo ``before`` it found or learned, and keeps of that what is asked for: what belongs to
    statements that are gone falls out.
    """

    __slots__ = ("_before", "_kept")

    def __init__(self, before: Memo[Result] | None = None) -> None:
        self._before = before._kept if before is not None else {}
        self._kept: dict[Part, tuple[tuple[object, Result], ...]] = {}

    def find(self, part: Part, given: object) -> Result | None:
        """The result for a statement whose symbols are given as this; None if it is not known."""
        known = self._before.get(part)
        if known is None:
            return None
        self._kept[part] = known
        for before, result in known:
            if before == given:
                return result
        return None

    def versions(self, part: Part) -> tuple[Result, ...]:
        """The results for a statement with whatever its symbols were given as, the latest first."""
        return tuple(result for _, result in self._before.get(part, ()))

    def learn(self, part: Part, given: object, result: Result) -> None:
        """Keeps a result."""
        self._kept[part] = ((given, result), *self._before.get(part, ())[: _MOST_VERSIONS - 1])


def is_long(definition: nodes.Definition) -> bool:
    """Whether a definition has a block of which statements last through edits."""
    return any(isinstance(block, nodes.Block) and len(block.entries) >= _SHORTEST for block in definition.blocks)
