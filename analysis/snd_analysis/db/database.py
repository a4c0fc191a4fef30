"""One revision of the inputs, of which queries are asked."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import count
from typing import Any

from snd_analysis.db.storage import MISSING, Cell, Storage, Values

_revisions = count()

EVERYTHING = -1
"""The bits of all inputs."""


class Database:
    """One immutable revision: what was set, and of what was not set what ``source`` gives when it is asked for.

    ``checkpoint`` is called before a query is worked out: what it raises ends the question, and costs no answer that is
    known by then. A database belongs to one thread.
    """

    __slots__ = ("_changed", "_values", "answers", "checkpoint", "on_execute", "revision", "same", "source", "storage")

    def __init__(self, source: Any = None, on_execute: Callable[[Any, tuple[Any, ...]], None] | None = None) -> None:
        """``on_execute`` is told of every query that is worked out, with its arguments."""
        self.storage = Storage()
        self.source = source
        self.checkpoint: Callable[[], None] = _nothing
        self.on_execute = on_execute
        self._begin({})

    def _begin(self, values: Values) -> None:
        self.revision = next(_revisions)
        self._values = values
        self._changed: dict[int, tuple[int, int]] = {}
        """By other revision how many inputs that had when it was compared, and the bits of those that differ."""
        self.answers = self.storage.remember(self.revision, values).answers
        """The answers that are firewalls, as far as they are known."""
        self.same: dict[int, tuple[int, int]] = {}
        """By other revision how many of these that had, and the bits of those that were found to be the same."""

    def changed(
        self,
        values: Mapping[tuple[Any, tuple[Any, ...]], Any] | None = None,
        forget: Iterable[tuple[Any, tuple[Any, ...]]] = (),
        source: Any = None,
    ) -> Database:
        """Return the next revision: with other ``values`` of inputs, and without those that are to be read again.

        An input with its arguments is a pair. With another ``source`` it is the first revision of another line.
        """
        known = dict(self._values)
        for input_, key in forget:
            known.pop(self.storage.input_cell(input_, key), None)
        for (input_, key), value in (values or {}).items():
            cell = self.storage.input_cell(input_, key)
            known[cell] = self.storage.known_value(cell, value)
        made = self.at_checkpoint(_nothing)
        made.source = self.source if source is None else source
        made._begin(known)
        return made

    def at_checkpoint(self, checkpoint: Callable[[], None]) -> Database:
        """Return the same revision for a question that ``checkpoint`` may end."""
        made = Database.__new__(Database)
        made.storage, made.source, made.on_execute = self.storage, self.source, self.on_execute
        made.revision, made._values, made._changed = self.revision, self._values, self._changed
        made.answers, made.same = self.answers, self.same
        made.checkpoint = checkpoint
        return made

    def value(self, cell: Cell) -> Any:
        """Return the value of an input."""
        value = self._values.get(cell, MISSING)
        if value is MISSING:
            value = self.storage.known_value(cell, cell.query.read(self.source, *cell.key))
            self._values[cell] = value
        return value

    def values_read(self, input_: Any) -> Iterator[tuple[tuple[Any, ...], Any]]:
        """Return the keys of an input that were set or read so far, with their values. Records nothing."""
        return ((cell.key, value) for cell, value in [*self._values.items()] if cell.query is input_)

    def changed_since(self, revision: int) -> int:
        """Return the bits of the inputs that are not as they were in another revision, whether earlier or later."""
        other = self.storage.history.get(revision)
        if other is None:
            return EVERYTHING
        known, values = self._changed.get(revision), other.values
        if known is None or known[0] != len(values):  # the other one has read more since
            own = self._values
            bits = 0
            for cell, value in values.items():
                if own.get(cell, MISSING) is not value:
                    bits |= cell.bit
            known = self._changed[revision] = len(values), bits
        return known[1]

    def leaves(self, query: Any, *key: Any) -> dict[tuple[Any, tuple[Any, ...]], Any]:
        """Return the inputs that the answer of a query depends on, with their values: the recorded dependencies."""
        query(self, *key)
        found: dict[tuple[Any, tuple[Any, ...]], Any] = {}
        seen: set[Cell] = set()
        pending = [self.storage.cell(query, key)]
        while pending:
            cell = pending.pop()
            if cell in seen or cell.memo is None:
                continue
            seen.add(cell)
            if cell.is_input:
                found[cell.query, cell.key] = cell.memo.value
            pending.extend(other for other, _ in cell.memo.dependencies)
        return found


def _nothing() -> None:
    pass
