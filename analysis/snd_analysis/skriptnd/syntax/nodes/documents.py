"""Definitions, their blocks and what stands around them (2.2, 2.15)."""

from __future__ import annotations

from enum import StrEnum
from typing import TypeAlias, TypeVar

from snd_analysis.base import Node, Span
from snd_analysis.skriptnd.syntax.nodes.compositions import Component, ErrorEntry, Quantization
from snd_analysis.skriptnd.syntax.nodes.declarations import Assertion, DtypeDeclaration, Parameter, Using
from snd_analysis.skriptnd.syntax.nodes.expressions import Name, Qualified
from snd_analysis.skriptnd.syntax.nodes.formulas import Lowering

Statement: TypeAlias = (
    DtypeDeclaration | Parameter | Using | Assertion | Lowering | Component | Quantization | ErrorEntry
)


class Entry(Node, frozen=True):
    """An entry of a block at its place in the chunk; spans inside ``statement`` count from ``start``."""

    statement: Statement
    damage: tuple[str, ...] | None = None
    """Every word in its text, if its syntax is broken in a way that leaves open what was meant."""


class BlockKind(StrEnum):
    """What a block is for; its name without ``@``."""

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
    entries: tuple[Entry, ...]


class ErrorBlock(Node, frozen=True):
    """What could not be read as a block."""


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
    """What could not be read as an item of a document."""


class Document(Node, frozen=True):
    """The items of a chunk in order."""

    items: tuple[Version | Extension | Import | Definition | ErrorItem, ...]


_Statement = TypeVar("_Statement", bound=Node)


def entries_of(definition: Definition, block: BlockKind, kind: type[_Statement]) -> list[tuple[int, _Statement]]:
    """The well-formed entries of all blocks of a kind, each with what its spans count from."""
    return [
        (entry.start, entry.statement)
        for item in definition.blocks
        if isinstance(item, Block) and item.kind is block
        for entry in item.entries
        if isinstance(entry.statement, kind)
    ]
