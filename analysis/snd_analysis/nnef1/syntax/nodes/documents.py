"""Statements, and the items of a document."""

from __future__ import annotations

from typing import TypeAlias

from msgspec import Struct

from snd_analysis.base import Node
from snd_analysis.nnef1.syntax.nodes.expressions import Call, Expression, Identifier, PrimitiveType, String, Type


class Assignment(Node, frozen=True):
    """``target = value;``."""

    target: Expression
    value: Expression


class ErrorStatement(Node, frozen=True):
    """Text that does not parse as a statement. ``names`` are the names that it assigns, as far as they are known."""

    names: tuple[Identifier, ...]


Statement: TypeAlias = "Assignment | ErrorStatement"


class Parameter(Node, frozen=True):
    """``name: type = default`` of a fragment. The parameters of a graph have no types."""

    name: Identifier
    type: Type | None
    default: Expression | None


class Result(Node, frozen=True):
    """``name: type``, a result of a fragment. The results of a graph have no types."""

    name: Identifier
    type: Type | None


class Generic(Node, frozen=True):
    """``<?>`` or ``<? = scalar>`` behind the name of a fragment."""

    default: PrimitiveType | None


class Head(Node, frozen=True):
    """``fragment name<?>(parameters) -> (results)`` or ``graph name(parameters) -> (results)``."""

    kind: str
    """``fragment`` or ``graph``."""
    name: Identifier
    generic: Generic | None
    parameters: tuple[Parameter, ...]
    results: tuple[Result, ...]


class Version(Node, frozen=True):
    """``version 1.0;``."""

    number: str


class Extension(Node, frozen=True):
    """``extension NAME text;``: the extension defines the format of the text after the name."""

    name: Identifier
    text: str
    """Text after the name, without surrounding white space."""
    at: int
    """Offset of the start of ``text``."""


class ErrorItem(Node, frozen=True):
    """Text that does not parse as a top-level item. ``name`` is the name of its fragment or graph, if it has one."""

    name: str | None = None


class Quantization(Node, frozen=True):
    """``"tensor": operation(arguments)``, a line of a ``graph.quant`` file."""

    tensor: String | Identifier
    operation: Call


class Entry(Struct, frozen=True, eq=False):
    """The statements of one piece of a body: one, unless a semicolon is missing. Their spans count from ``start``."""

    start: int
    statements: tuple[Statement, ...]


class Definition(Struct, frozen=True, eq=False):
    """A fragment or the graph. The spans of ``head`` count from ``start``."""

    start: int
    end: int
    head: Head
    body: tuple[Entry, ...] | None
    """The entries of the body; None for a fragment that is only declared."""


class Placed(Struct, frozen=True, eq=False):
    """A version, extension or broken item, whose spans count from ``start``."""

    start: int
    item: Version | Extension | ErrorItem


Item: TypeAlias = "Placed | Definition"


class Document(Struct, frozen=True, eq=False):
    """The items of a file in order."""

    items: tuple[Item, ...]
