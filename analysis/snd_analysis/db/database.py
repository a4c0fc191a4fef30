"""One revision of the inputs, and the queries on it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import count
from typing import Any

from snd_analysis.db.storage import MISSING, Cell, Comparison, Storage, StoredValues

_revisions = count()


class Database:
    """One immutable revision: set values, and for unset ones the answers of ``source`` on demand.

    There is a checkpoint before each query that is executed: its exception ends the query, and keeps all earlier
    answers. A database belongs to one thread.
    """

    __slots__ = ("_compared", "_values", "answers", "on_execute", "revision", "source", "storage")

    def __init__(self, source: Any = None, on_execute: Callable[[Any, tuple[Any, ...]], None] | None = None) -> None:
        """Create an empty database; ``on_execute`` is called for every query that is executed, with its arguments."""
        self.storage = Storage()
        self.source = source
        self.on_execute = on_execute
        self._begin({})

    def _begin(self, values: StoredValues) -> None:
        self.revision = next(_revisions)
        self._values = values
        self._compared: dict[int, Comparison] = {}
        """Comparisons by the other revision."""
        self.answers = self.storage.remember(self.revision, values).answers
        """Known answers that are firewalls."""

    def changed(
        self,
        values: Mapping[tuple[Any, tuple[Any, ...]], Any] | None = None,
        forget: Iterable[tuple[Any, tuple[Any, ...]]] = (),
        source: Any = None,
    ) -> Database:
        """Return the next revision, with other ``values`` of inputs.

        The inputs to ``forget`` are read again. An input with its arguments is a pair. With another ``source`` it is
        the first revision of another line.
        """
        known = dict(self._values)
        for input_, key in forget:
            known.pop(self.storage.input_cell(input_, key), None)
        for (input_, key), value in (values or {}).items():
            cell = self.storage.input_cell(input_, key)
            known[cell] = self.storage.known_value(cell, value)
        made = Database.__new__(Database)
        made.storage, made.on_execute = self.storage, self.on_execute
        made.source = self.source if source is None else source
        made._begin(known)
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

    def compared_with(self, revision: int) -> Comparison | None:
        """Return how another revision, whether earlier or later, differs from this one; None if it is forgotten."""
        other = self.storage.history.get(revision)
        if other is None:
            return None
        known = self._compared.get(revision)
        if known is None or known.read != len(other.values) or known.found_out != len(other.answers):
            own = self._values
            bits = 0
            for cell, value in other.values.items():
                if own.get(cell, MISSING) is not value:
                    bits |= cell.bit
            known = self._compared[revision] = Comparison(other, bits)
        return known

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
