"""Definitions, their blocks and their surroundings (2.2, 2.15)."""

from __future__ import annotations

from enum import StrEnum
from typing import TypeVar

from snd_analysis.base import Node, Span
from snd_analysis.skriptnd.syntax.nodes.entries import Entries
from snd_analysis.skriptnd.syntax.nodes.expressions import Name, Qualified


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
