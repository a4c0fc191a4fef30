"""Storage of queries: cells, and the versions of answers in them."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from threading import Lock, RLock
from typing import Any, TypeAlias

MISSING: Any = object()
"""No value: an input that was not read."""

# Bits of inputs, and of firewalls, repeat after so many: two that share one cost a look at dependencies, and no more.
_BITS = 512
_FIREWALL_BITS = 1_536
# The inputs of so many revisions are kept, to tell at once which of them differ between two.
_REVISIONS = 16
# Number of revisions after which an answer is dropped that only outside callers asked for.
_PATIENCE = 64

FIREWALLS = (1 << _FIREWALL_BITS) - 1 << _BITS
"""The bits of all firewalls."""

Dependencies: TypeAlias = "tuple[tuple[Cell, Any], ...]"
StoredValues: TypeAlias = "dict[Cell, Any]"


class Memo:
    """An answer, its dependencies, and the last revision in which it was known to hold."""

    __slots__ = ("dependencies", "inputs", "near", "near_revision", "revision", "value")

    def __init__(self, value: Any, dependencies: Dependencies, inputs: int, near: int, revision: int) -> None:
        self.value = value
        self.dependencies = dependencies
        self.inputs = inputs
        """The bits of all inputs that the answer depends on, directly or through others."""
        self.near = near
        """The dependencies with the bits of firewalls instead of the bits of the inputs of firewalls."""
        self.revision = revision
        """The last revision with the present inputs below the answer."""
        self.near_revision = revision
        """The last one in which the firewalls were."""


class Cell:
    """One query with one key: the answer of the revision that asked last, and a few earlier ones."""

    __slots__ = ("bit", "is_active", "is_constant", "is_input", "key", "memo", "older", "query", "revision", "users")

    def __init__(self, query: Any, key: tuple[Hashable, ...]) -> None:
        self.query = query
        self.key = key
        self.bit = 0
        """Bit of an input or a firewall in ``Memo.near``."""
        self.is_input = False
        self.memo: Memo | None = None
        self.older: tuple[Memo, ...] = ()
        self.revision = -1
        """The revision that ``memo`` is the answer of."""
        self.is_active = False
        self.is_constant = False
        self.users = 0
        """Number of kept answers that depend on this cell."""

    @property
    def versions(self) -> Iterator[Memo]:
        """The answers that are known, the latest first."""
        if self.memo is not None:
            yield self.memo
            yield from self.older


class Revision:
    """The known part of one revision: values of inputs, and answers that are firewalls."""

    __slots__ = ("answers", "values")

    def __init__(self, values: StoredValues) -> None:
        self.values = values
        self.answers: StoredValues = {}


class Comparison:
    """The known differences between a revision and the current one."""

    __slots__ = ("changed", "found_out", "open", "read")

    def __init__(self, other: Revision, changed: int) -> None:
        self.read, self.found_out = len(other.values), len(other.answers)
        """Numbers of inputs and firewalls of the other revision at the comparison; later ones are not compared."""
        self.changed = changed
        """The bits of the inputs that differ."""
        self.open = changed | FIREWALLS
        """The bits in ``changed``, and of the firewalls that may have changed."""


class ActiveQuery:
    """The dependencies of a running query so far."""

    __slots__ = ("asked", "asked_constants")

    def __init__(self) -> None:
        self.asked: dict[Cell, Any] = {}
        self.asked_constants = False


Tables: TypeAlias = "dict[Any, dict[tuple[Hashable, ...], Cell]]"

CONSTANTS: Tables = {}
"""Answers that depend on nothing that can change. One process has them once."""
_ADDING_CONSTANTS = Lock()


class Storage:
    """The cells of all revisions that come from one database."""

    def __init__(self) -> None:
        self.tables: Tables = {}
        self.lock = RLock()
        """Held while a query is answered. Threads that share no storage answer at the same time."""
        self.frame: ActiveQuery | None = None
        """The frame of the query that is being answered."""
        self.firewalls: dict[int, list[Cell]] = {}
        """Firewalls by bit."""
        self.history: dict[int, Revision] = {}
        """The last revisions."""
        self._dropped: dict[int, tuple[list[int], list[int]]] = {}
        """The ``Memo.inputs`` and ``Memo.near`` of dropped answers, by the last revision at that time."""
        self._latest = 0
        self._inputs = 0
        self._firewalls = 0
        self._unused: list[Cell] = []
        """Cells that had users until lately."""
        self.asked_outside: dict[Cell, int] = {}
        """Cells asked for outside queries, or by a cancelled query, each with the revision count at that time."""
        self.count = 0
        """Number of revisions."""

    def cell(self, query: Any, key: tuple[Hashable, ...]) -> Cell:
        """Return the cell of a query and a key, a new one if it is not known."""
        table = self.tables.get(query)
        if table is None:
            table = self.tables[query] = {}
        cell = table.get(key)
        if cell is None:
            cell = CONSTANTS.get(query, {}).get(key)
            if cell is None:
                cell = Cell(query, key)
                if query.is_firewall:
                    cell.bit = 1 << _BITS + self._firewalls % _FIREWALL_BITS
                    self._firewalls += 1
                    self.firewalls.setdefault(cell.bit, []).append(cell)
            table[key] = cell
        return cell

    def input_cell(self, input_: Any, key: tuple[Hashable, ...]) -> Cell:
        """Return the same for an input."""
        cell = self.cell(input_, key)
        if not cell.bit:
            cell.bit = 1 << self._inputs % _BITS
            cell.is_input = True
            self._inputs += 1
        return cell

    def keep_constant(self, cell: Cell) -> None:
        """Let all databases share a cell whose answer can't change.

        Where another thread was earlier, the cell takes its answer: a process has one object for it.
        """
        with _ADDING_CONSTANTS:
            kept = CONSTANTS.setdefault(cell.query, {}).setdefault(cell.key, cell)
        cell.memo = kept.memo
        for memo in cell.older:
            self.release(memo)
        cell.older = ()
        cell.is_constant = True

    def let_go(self, memo: Memo) -> None:
        """Note that an answer is dropped: working it out again gives an equal one, but not the same object."""
        inputs, near = self._dropped.setdefault(self._latest, ([], []))
        _add(inputs, memo.inputs)
        _add(near, memo.inputs)
        _add(near, memo.near)
        self.release(memo)

    def release(self, memo: Memo) -> None:
        """Note that an answer does not need its dependencies any longer."""
        for cell, _ in memo.dependencies:
            cell.users -= 1
            if not cell.users:
                self._unused.append(cell)

    def keeps_inputs(self, memo: Memo) -> bool:
        """Return whether every dependency of an answer still exists, since that answer was known to hold.

        An answer that depends on a dropped answer depends on all inputs of that.
        """
        return not self._dropped_since(memo.revision, memo.inputs, 0)

    def keeps_near(self, memo: Memo) -> bool:
        """Return the same of answers that are not after a firewall, since these were known to be the same."""
        return not self._dropped_since(memo.near_revision, memo.near, 1)

    def _dropped_since(self, revision: int, bits: int, kind: int) -> bool:
        for at in reversed(self._dropped):
            if at < revision:
                break
            if _is_within(bits, self._dropped[at][kind]):
                return True
        return False

    def known_value(self, cell: Cell, value: Any) -> Any:
        """Return an equal known value of an input if there is one, so that answers hold again."""
        for revision in self.history.values():
            known = revision.values.get(cell, MISSING)
            if known is not MISSING and type(known) is type(value) and known == value:
                return known
        return value

    def remember(self, revision: int, values: StoredValues) -> Revision:
        """Keep a new revision, and drop revisions that nothing refers to."""
        self._latest = revision
        made = self.history[revision] = Revision(values)
        if len(self.history) > _REVISIONS:
            del self.history[next(iter(self.history))]
            oldest = next(iter(self.history))  # answers that were last known to hold before it are looked at in full
            self._dropped = {at: dropped for at, dropped in self._dropped.items() if at >= oldest}
        self.count += 1
        if self.frame is None:
            self._forget_unused()
        return made

    def _forget_unused(self) -> None:
        """Forget the cells that nothing depends on any more: most belong to a text that is gone."""
        asked, unused = self.asked_outside, self._unused
        if not self.count % _PATIENCE:
            old = [cell for cell, count in asked.items() if count <= self.count - _PATIENCE]
            for cell in old:
                del asked[cell]
            unused += old
        while unused:
            cell = unused.pop()
            if cell.users or cell.is_input or cell.is_constant or cell in asked or cell.query.is_root:
                continue
            self.tables[cell.query].pop(cell.key, None)
            if cell.bit and cell in self.firewalls[cell.bit]:
                self.firewalls[cell.bit].remove(cell)
            for memo in cell.versions:
                self.release(memo)
            cell.memo, cell.older = None, ()


def _add(dropped: list[int], bits: int) -> None:
    """Note that an answer with these bits was dropped, unless an earlier note implies it."""
    if not _is_within(bits, dropped):
        dropped[:] = [each for each in dropped if each & bits != bits]
        dropped.append(bits)


def _is_within(bits: int, dropped: list[int]) -> bool:
    for each in dropped:  # noqa: SIM110 - every answer that holds comes here
        if each & bits == each:
            return True
    return False
