"""What is remembered of queries: cells, and the versions of answers in them."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator
from threading import RLock
from typing import Any, TypeAlias

MISSING: Any = object()
"""No value: an input that was not read."""

# Bits of inputs repeat after so many: two that share one cost a look at dependencies, and no more.
_BITS = 512
# The inputs of so many revisions are kept, to tell at once which of them differ between two.
_REVISIONS = 16
_FEWEST_CELLS = 16_384

ONE_AT_A_TIME = RLock()
"""Held while an answer is worked out: threads with databases of their own share the constants."""

Dependencies: TypeAlias = "tuple[tuple[Cell, Any], ...]"
Values: TypeAlias = "dict[Cell, Any]"


class Memo:
    """An answer, what it was made of, and the last revision in which it was known to hold."""

    __slots__ = ("dependencies", "inputs", "revision", "value")

    def __init__(self, value: Any, dependencies: Dependencies, inputs: int, revision: int) -> None:
        self.value = value
        self.dependencies = dependencies
        self.inputs = inputs
        """The bits of all inputs that the answer depends on, directly or through others."""
        self.revision = revision


class Cell:
    """One query with one key: the answer of the revision that asked last, and a few earlier ones."""

    __slots__ = ("bit", "is_active", "is_constant", "key", "memo", "older", "query", "revision")

    def __init__(self, query: Any, key: tuple[Hashable, ...]) -> None:
        self.query = query
        self.key = key
        self.bit = 0
        """Of an input: what stands for it in ``Memo.inputs``."""
        self.memo: Memo | None = None
        self.older: tuple[Memo, ...] = ()
        self.revision = -1
        """The revision that ``memo`` is the answer of."""
        self.is_active = False
        self.is_constant = False

    @property
    def versions(self) -> Iterator[Memo]:
        """The answers that are known, the latest first."""
        if self.memo is not None:
            yield self.memo
            yield from self.older


class Frame:
    """What a query that is being answered has asked so far."""

    __slots__ = ("asked", "asked_constants")

    def __init__(self) -> None:
        self.asked: dict[Cell, Any] = {}
        self.asked_constants = False


Tables: TypeAlias = "dict[Any, dict[tuple[Hashable, ...], Cell]]"

CONSTANTS: Tables = {}
"""Answers that depend on nothing that can change. One process has them once."""


class Storage:
    """The cells of all revisions that come from one database."""

    def __init__(self) -> None:
        self.tables: Tables = {}
        self.frame: Frame | None = None
        """That of the query that is being answered."""
        self.history: dict[int, Values] = {}
        """The inputs of the last revisions."""
        self._let_go: dict[int, int] = {}
        """By the bits of their inputs, the revisions in which answers were dropped, in their order."""
        self._inputs = 0
        self._cells = 0
        self._most_cells = _FEWEST_CELLS
        self._swept = -1

    def cell(self, query: Any, key: tuple[Hashable, ...]) -> Cell:
        """Return the cell of a query and a key, a new one if it is not known."""
        table = self.tables.get(query)
        if table is None:
            table = self.tables[query] = {}
        cell = table.get(key)
        if cell is None:
            cell = CONSTANTS.get(query, {}).get(key) or Cell(query, key)
            table[key] = cell
            self._cells += 1
        return cell

    def input_cell(self, input_: Any, key: tuple[Hashable, ...]) -> Cell:
        """The same for an input."""
        cell = self.cell(input_, key)
        if not cell.bit:
            cell.bit = 1 << self._inputs % _BITS
            self._inputs += 1
        return cell

    def keep_constant(self, cell: Cell) -> None:
        """Let all databases share a cell whose answer can't change."""
        cell.is_constant = True
        cell.older = ()
        CONSTANTS.setdefault(cell.query, {})[cell.key] = cell

    def let_go(self, memo: Memo, revision: int) -> None:
        """Note that an answer is dropped: working it out again gives an equal one, but not the same object."""
        self._let_go.pop(memo.inputs, None)
        self._let_go[memo.inputs] = revision

    def keeps_what(self, memo: Memo) -> bool:
        """Return whether every answer that another one was made of is still there, since that was known to hold.

        What depends on a dropped answer depends on all inputs of that.
        """
        for inputs, revision in reversed(self._let_go.items()):
            if revision <= memo.revision:
                break
            if inputs & memo.inputs == inputs:
                return False
        return True

    def known_value(self, cell: Cell, value: Any) -> Any:
        """Return the value of an input as it is known already if there was an equal one, so that answers hold again."""
        for values in self.history.values():
            known = values.get(cell, MISSING)
            if known is not MISSING and type(known) is type(value) and known == value:
                return known
        return value

    def remember(self, revision: int, values: Values) -> None:
        """Keep the inputs of a new revision, and let go of what nobody asks for any more."""
        self.history[revision] = values
        if len(self.history) > _REVISIONS:
            del self.history[next(iter(self.history))]
            oldest = next(iter(self.history))  # answers that were last known to hold before it are looked at in full
            self._let_go = {inputs: at for inputs, at in self._let_go.items() if at > oldest}
        if self._cells > self._most_cells:
            self._sweep(values)
            self._swept = revision

    def _sweep(self, values: Values) -> None:
        """Let go of the cells that nothing was asked of since the last time, and that no other one depends on."""
        cells = [cell for table in self.tables.values() for cell in table.values()]
        kept = set(values)
        pending = [cell for cell in cells if cell.is_constant or cell.revision > self._swept]
        while pending:
            cell = pending.pop()
            if cell not in kept:
                kept.add(cell)
                pending.extend(_dependencies(cell))
        for table in self.tables.values():
            for key in [key for key, cell in table.items() if cell not in kept]:
                del table[key]
        self._cells = len(kept)
        self._most_cells = max(_FEWEST_CELLS, 2 * len(kept))


def _dependencies(cell: Cell) -> Iterable[Cell]:
    return (other for memo in cell.versions for other, _ in memo.dependencies)
