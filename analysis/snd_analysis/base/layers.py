"""Tables that are put together of other tables."""

from __future__ import annotations

from collections.abc import ItemsView, Iterable, Iterator, Mapping, MutableMapping, ValuesView
from typing import Any, TypeVar

K = TypeVar("K")
V = TypeVar("V")

_NOTHING: Any = object()
_UNKNOWN: Any = object()
_LONG = 16
"""A table of fewer entries is copied."""


class Layers(MutableMapping[K, V]):
    """A dictionary to which whole tables are added without being copied. They must not change any more.

    A key is looked up table by table, from the latest one, until that has taken as long as copying them would.
    """

    __slots__ = ("_asked", "_below", "_found", "_size", "_top")

    def __init__(self, of: Layers[K, V] | None = None) -> None:
        """Copy ``of``."""
        self._top: dict[K, V] = {} if of is None else dict(of._top)
        self._below: list[Mapping[K, V]] = [] if of is None else [*of._below]
        self._found: dict[K, Any] = {}
        """Cached results of lookups in tables."""
        self._size: int = 0 if of is None else of._size
        """Number of entries to copy when all tables are merged."""
        self._asked = 0
        """Number of lookups in tables."""

    def add(self, table: Mapping[K, V]) -> None:
        """Add all of a table; it is like ``update``, but takes no time if the table is long."""
        if len(table) < _LONG:
            self._top.update(table)
        else:
            if self._top:
                self._below.append(self._top)
                self._size += len(self._top)
                self._top = {}
            self._below.append(table)
            self._size += len(table)
            self._found = {}

    def update(self, table: Mapping[K, V] | Iterable[tuple[K, V]]) -> None:  # type: ignore[override]
        """Copy all of a table."""
        self._top.update(table)

    def get(self, key: K, default: Any = None) -> Any:
        """Return the value of a key."""
        found = self._top.get(key, _NOTHING)
        if found is not _NOTHING:
            return found
        below = self._below
        if len(below) < 2:
            return below[0].get(key, default) if below else default
        found = self._found.get(key, _UNKNOWN)
        if found is _UNKNOWN:
            found = self._found[key] = self._find(key)
        return default if found is _NOTHING else found

    def _find(self, key: K) -> Any:
        self._asked += len(self._below)
        if self._asked > 2 * len(self._below) and 2 * self._asked > self._size:
            self._below, self._asked = [_merged(self._below)], 0
        for table in reversed(self._below):
            if key in table:
                return table[key]
        return _NOTHING

    def whole(self) -> Mapping[K, V]:
        """Return all tables merged into one, which must not be changed."""
        if self._top or len(self._below) != 1:
            self._below = [_merged([*self._below, self._top])]
            self._top, self._found = {}, {}
        return self._below[0]

    def __getitem__(self, key: K) -> V:
        found = self.get(key, _NOTHING)
        if found is _NOTHING:
            raise KeyError(key)
        return found  # type: ignore[no-any-return]

    def __contains__(self, key: object) -> bool:
        return self.get(key, _NOTHING) is not _NOTHING  # type: ignore[arg-type]

    def __setitem__(self, key: K, value: V) -> None:
        self._top[key] = value

    def __delitem__(self, key: K) -> None:
        if key not in self._top or any(key in table for table in self._below):
            self._top = dict(self.whole())
            self._below, self._found = [], {}
        del self._top[key]

    def __iter__(self) -> Iterator[K]:
        return iter(self._frozen())

    def __len__(self) -> int:
        return len(self.whole() if self._below else self._top)

    def items(self) -> ItemsView[K, V]:
        """Return the current entries."""
        return self._frozen().items()

    def values(self) -> ValuesView[V]:
        """Return the current values."""
        return self._frozen().values()

    def _frozen(self) -> Mapping[K, V]:
        """Return all current entries. A table without others below stays on top, where it is faster."""
        return self.whole() if self._below else dict(self._top)


def _merged(tables: list[Mapping[K, V]]) -> dict[K, V]:
    merged: dict[K, V] = {}
    for table in tables:
        merged.update(table)
    return merged
