"""Definitions, their blocks and what stands around them (2.2, 2.15)."""

from __future__ import annotations

from typing import TypeAlias

from snd_analysis.base.text import Span
from snd_analysis.skriptnd.syntax.nodes.compositions import Component, ErrorEntry, Quantization
from snd_analysis.skriptnd.syntax.nodes.declarations import Assertion, DtypeDeclaration, Parameter, Using
from snd_analysis.skriptnd.syntax.nodes.expressions import Name, Qualified
from snd_analysis.skriptnd.syntax.nodes.formulas import Lowering
from snd_analysis.skriptnd.syntax.nodes.node import Node, node_class

Statement: TypeAlias = (
    DtypeDeclaration | Parameter | Using | Assertion | Lowering | Component | Quantization | ErrorEntry
)


@node_class
class Entry(Node):
    """An entry of a block at its place in the chunk; spans inside ``statement`` count from ``start``."""

    statement: Statement
    damage: tuple[str, ...] | None = None
    """Every word in its text, if its syntax is broken in a way that leaves open what was meant."""


@node_class
class Block(Node):
    """``@name { entries }``."""

    kind: str
    """The name of the block without ``@``."""
    keyword: Span
    entries: tuple[Entry, ...]


@node_class
class ErrorBlock(Node):
    """What could not be read as a block."""


@node_class
class Definition(Node):
    """An operator or a graph."""

    kind: str
    """``operator`` or ``graph``."""
    public: bool
    name: Name
    blocks: tuple[Block | ErrorBlock, ...]


@node_class
class Version(Node):
    """``version 2.0;``."""

    number: str


@node_class
class Extension(Node):
    """``extension NAME;``."""

    names: tuple[Name, ...]


@node_class
class Import(Node):
    """``import a, b.c;``."""

    modules: tuple[Qualified, ...]


@node_class
class ErrorItem(Node):
    """What could not be read as an item of a document."""


@node_class
class Document(Node):
    """The items of a chunk in order."""

    items: tuple[Version | Extension | Import | Definition | ErrorItem, ...]
