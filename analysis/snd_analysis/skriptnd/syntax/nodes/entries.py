"""The entries of a block, in groups if there are many, so that the cost of an edit depends on its own group.

Facts about a group of statements hold for as long as the group is the same object, wherever it moves.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from functools import cached_property
from itertools import accumulate, islice
from typing import TypeAlias, TypeVar, overload

from snd_analysis.base import Node, NodeSequence, Span
from snd_analysis.skriptnd.syntax.nodes.compositions import Component, ErrorEntry, Quantization
from snd_analysis.skriptnd.syntax.nodes.declarations import Assertion, DtypeDeclaration, Lowering, Parameter, Using
from snd_analysis.skriptnd.syntax.nodes.expressions import Name, Qualified

SHORTEST_LONG_BLOCK = 64
"""Minimum number of entries of a long block, whose results are kept statement by statement."""
_ORDINARY = 48
_SHORTEST = 16
"""Minimum length of a group. After edits, a shorter group is merged into the next one."""

Statement: TypeAlias = (
    DtypeDeclaration | Parameter | Using | Assertion | Lowering | Component | Quantization | ErrorEntry
)


class Entry(Node, frozen=True):
    """An entry of a block at its place; spans inside ``statement`` count from ``start``."""

    statement: Statement
    damage: tuple[str, ...] | None = None
    """Every word in the text, if a syntax error leaves the meaning of the entry open."""

    def moved(self, distance: int) -> Entry:
        """Return the same entry so much further on."""
        if not distance:
            return self
        return Entry(self.start + distance, self.end + distance, self.statement, self.damage)


class Group:
    """Neighbouring entries. Their spans count from the place of the group."""

    def __init__(self, entries: tuple[Entry, ...]) -> None:
        self.entries = entries

    @cached_property
    def statements(self) -> tuple[tuple[int, Statement], ...]:
        """The parsed statements, each with the offset that its spans count from."""
        return tuple(
            (entry.start, entry.statement) for entry in self.entries if not isinstance(entry.statement, ErrorEntry)
        )

    @property
    def is_read(self) -> bool:
        """Return whether all statements could be read."""
        return len(self.statements) == len(self.entries)

    def is_at(self, entries: Sequence[Entry], first: int) -> bool:
        """Return whether the entries from ``first`` on are the entries of this group, at any place."""
        found = entries[first : first + len(self.entries)]
        if len(found) < len(self.entries):
            return False
        distance = found[0].start - self.entries[0].start
        return all(
            here.statement is each.statement
            and here.start - each.start == distance == here.end - each.end
            and here.damage == each.damage
            for here, each in zip(found, self.entries, strict=True)
        )

    @cached_property
    def starts(self) -> Mapping[Node, int]:
        """Return the offset that the spans of each statement count from."""
        return {entry.statement: entry.start for entry in self.entries}

    @cached_property
    def damaged(self) -> tuple[Entry, ...]:
        """Return the entries whose intended meaning is a guess."""
        return tuple(entry for entry in self.entries if entry.damage is not None)


class Entries(NodeSequence[Entry]):
    """The entries of a block, in order, with spans that count from the start of the chunk. Immutable."""

    __slots__ = ("_ends", "groups", "is_long")

    def __init__(self, groups: tuple[tuple[int, Group], ...]) -> None:
        """Store ``groups`` in order, each with the offset that the spans in it count from."""
        self.groups = groups
        self._ends = [*accumulate(len(group.entries) for _, group in groups)]
        self.is_long = len(self) >= SHORTEST_LONG_BLOCK
        """True if there is more than one group."""

    @classmethod
    def of(cls, entries: Iterable[Entry]) -> Entries:
        """Return entries, in groups if there are many."""
        found = (*entries,)
        if len(found) >= SHORTEST_LONG_BLOCK:
            return cls(_grouped(found))
        return cls(((0, Group(found)),) if found else ())

    def replaced(self, entries: Sequence[Entry]) -> Entries:
        """Return other entries, reusing groups at the beginning and at the end as far as they are the same."""
        if not self.is_long or len(entries) < SHORTEST_LONG_BLOCK:
            return Entries.of(entries)
        first, end, behind = 0, len(entries), len(self.groups)
        front: list[tuple[int, Group]] = []
        back: list[tuple[int, Group]] = []
        for _, group in self.groups:
            if not group.is_at(entries, first):
                break
            front.append((entries[first].start - group.entries[0].start, group))
            first += len(group.entries)
        while behind > len(front):
            group = self.groups[behind - 1][1]
            start = end - len(group.entries)
            if start < first or not group.is_at(entries, start):
                break
            back.append((entries[start].start - group.entries[0].start, group))
            end, behind = start, behind - 1
        while first < end < first + _SHORTEST and back:
            end += len(back.pop()[1].entries)
        return Entries((*front, *_grouped(entries[first:end]), *reversed(back)))

    def spliced(self, first: int, end: int, entries: Sequence[Entry], distance: int) -> Entries:
        """Return these entries with the ones from ``first`` to ``end`` replaced, and the rest moved."""
        if not self.is_long or len(self) - (end - first) + len(entries) < SHORTEST_LONG_BLOCK:
            return Entries.of((*self[:first], *entries, *(entry.moved(distance) for entry in self[end:])))
        one = bisect_right(self._ends, min(first, len(self) - 1))
        behind = bisect_right(self._ends, max(first, end - 1, 0)) + 1
        read = [*self[self._first_of(one) : first], *entries]
        read += (entry.moved(distance) for entry in self[end : self._first_of(behind)])
        while len(read) < _SHORTEST and behind < len(self.groups):
            start, group = self.groups[behind]
            read += (entry.moved(start + distance) for entry in group.entries)
            behind += 1
        rest = ((start + distance, group) for start, group in self.groups[behind:])
        return Entries((*self.groups[:one], *_grouped(read), *rest))

    def moved(self, distance: int) -> Entries:
        """Return these entries so much further on."""
        if self.is_long:
            return Entries(tuple((start + distance, group) for start, group in self.groups))
        return Entries.of(entry.moved(distance) for entry in self)

    def _first_of(self, group: int) -> int:
        return self._ends[min(group, len(self._ends)) - 1] if group else 0

    def __len__(self) -> int:
        return self._ends[-1] if self._ends else 0

    @overload
    def __getitem__(self, index: int) -> Entry: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Entry, ...]: ...

    def __getitem__(self, index: int | slice) -> Entry | tuple[Entry, ...]:
        if isinstance(index, slice):
            first, end, step = index.indices(len(self))
            if step != 1:
                return (*self,)[index]
            return (*islice(self._from(first), max(end - first, 0)),)
        if index < 0:
            index += len(self)
        if not 0 <= index < len(self):
            raise IndexError(index)
        at = bisect_right(self._ends, index)
        start, group = self.groups[at]
        return group.entries[index - self._ends[at]].moved(start)

    def __iter__(self) -> Iterator[Entry]:
        return self._from(0) if self.is_long else iter(self.groups[0][1].entries if self.groups else ())

    def _from(self, first: int) -> Iterator[Entry]:
        at = bisect_right(self._ends, first)
        skipped = first - self._first_of(at)
        for start, group in self.groups[at:]:
            for entry in islice(group.entries, skipped, None):
                yield entry.moved(start)
            skipped = 0


def _grouped(entries: Sequence[Entry]) -> tuple[tuple[int, Group], ...]:
    """Return entries in groups of their ordinary length, or a little longer."""
    if not entries:
        return ()
    cuts = [*range(0, len(entries) - _SHORTEST, _ORDINARY)] if len(entries) > 2 * _ORDINARY else [0]
    return tuple(
        (entries[cut].start, Group(tuple(entry.moved(-entries[cut].start) for entry in entries[cut:end])))
        for cut, end in zip(cuts, [*cuts[1:], len(entries)], strict=True)
    )


# ---- definitions, their blocks and their surroundings (2.2, 2.15) ----------------------------------------------------
class BlockKind(StrEnum):
    """Kind of a block: its name without ``@``."""

    DTYPE = "dtype"
    ATTRIB = "attrib"
    INPUT = "input"
    OUTPUT = "output"
    CONSTANT = "constant"
    VARIABLE = "variable"
    USING = "using"
    ASSERT = "assert"
    LOWER = "lower"
    COMPOSE = "compose"
    UPDATE = "update"
    QUANTIZE = "quantize"


class Block(Node, frozen=True):
    """``@name { entries }``."""

    kind: BlockKind
    keyword: Span
    entries: Entries


class ErrorBlock(Node, frozen=True):
    """Text that does not parse as a block."""

    names: tuple[str, ...] = ()
    """The names of definitions and imported modules in the text: the mistake is that they stand inside a definition."""


class Definition(Node, frozen=True):
    """An operator or a graph."""

    kind: str
    """``operator`` or ``graph``."""
    public: bool
    name: Name
    blocks: tuple[Block | ErrorBlock, ...]


class Version(Node, frozen=True):
    """``version 2.0;``."""

    number: str


class Extension(Node, frozen=True):
    """``extension NAME;``."""

    names: tuple[Name, ...]


class Import(Node, frozen=True):
    """``import a, b.c;``."""

    modules: tuple[Qualified, ...]


class ErrorItem(Node, frozen=True):
    """Text that does not parse as a top-level item."""


class Document(Node, frozen=True):
    """The items of a chunk in order."""

    items: tuple[Version | Extension | Import | Definition | ErrorItem, ...]


_Statement = TypeVar("_Statement", bound=Node)


def entries_of(definition: Definition, block: BlockKind, kind: type[_Statement]) -> list[tuple[int, _Statement]]:
    """Return the well-formed entries of all blocks of a kind, each with the offset that its spans count from."""
    return [
        (base + start, statement)
        for item in definition.blocks
        if isinstance(item, Block) and item.kind is block
        for base, group in item.entries.groups
        for start, statement in group.statements
        if isinstance(statement, kind)
    ]
