"""The tree of an NNEF 1.0 text: typed, immutable nodes with exact spans.

``start`` and ``end`` are code-point offsets. In an item, or in a statement of a body, offsets count from the start of
that item or statement; ``Placed`` and ``Entry`` have the offsets of these in the file. So a statement that only moved
is the same statement. Nodes compare and hash by identity.
"""

from __future__ import annotations

from typing import TypeAlias

from msgspec import Struct

from snd_analysis.base import Node

__all__ = [
    "Argument",
    "Array",
    "ArrayType",
    "Assignment",
    "Binary",
    "Call",
    "Comprehension",
    "Definition",
    "Document",
    "Entry",
    "ErrorExpression",
    "ErrorItem",
    "ErrorStatement",
    "Expression",
    "Extension",
    "Generic",
    "Head",
    "Identifier",
    "Item",
    "Iterator",
    "Logical",
    "Node",
    "Number",
    "Parameter",
    "Placed",
    "PrimitiveType",
    "Quantization",
    "Range",
    "Result",
    "Select",
    "Statement",
    "String",
    "Subscript",
    "TensorType",
    "Tuple",
    "TupleType",
    "Type",
    "Unary",
    "Version",
]


# ---- types of parameters and results ---------------------------------------------------------------------------------
class PrimitiveType(Node, frozen=True):
    """``integer``, ``scalar``, ``logical``, ``string``, or the generic type ``?``."""

    text: str


class TensorType(Node, frozen=True):
    """``tensor<scalar>``; ``tensor<>`` has no item."""

    item: PrimitiveType | None


class ArrayType(Node, frozen=True):
    """``integer[]``."""

    item: Type


class TupleType(Node, frozen=True):
    """``(integer, scalar)``."""

    items: tuple[Type, ...]


Type: TypeAlias = "PrimitiveType | TensorType | ArrayType | TupleType"


# ---- expressions -----------------------------------------------------------------------------------------------------
class Identifier(Node, frozen=True):
    """A name. ``extended`` ones are written ``i"any text"``."""

    text: str
    extended: bool = False


class Number(Node, frozen=True):
    """A number without a sign, as written: an integer if it has neither a point nor an exponent."""

    text: str


class String(Node, frozen=True):
    """A string literal, escapes resolved."""

    value: str


class Logical(Node, frozen=True):
    """``true`` or ``false``."""

    value: bool


class Array(Node, frozen=True):
    """``[a, b]``."""

    items: tuple[Expression, ...]


class Tuple(Node, frozen=True):
    """``(a, b)``; on the left side of an assignment also ``a, b``."""

    items: tuple[Expression, ...]


class Iterator(Node, frozen=True):
    """``i in a`` in a comprehension."""

    target: Expression
    source: Expression


class Comprehension(Node, frozen=True):
    """``[for i in a, j in b if condition yield item]``."""

    iterators: tuple[Iterator, ...]
    condition: Expression | None
    item: Expression


class Range(Node, frozen=True):
    """``a:b`` in a subscript; either may be left out."""

    first: Expression | None
    last: Expression | None


class Subscript(Node, frozen=True):
    """``a[i]`` or ``a[i:j]``."""

    target: Expression
    index: Expression | Range


class Unary(Node, frozen=True):
    """``-a``, ``+a`` or ``!a``."""

    operator: str
    operand: Expression


class Binary(Node, frozen=True):
    """``a + b``, also ``a in b``."""

    left: Expression
    operator: str
    right: Expression


class Select(Node, frozen=True):
    """``a if condition else b``."""

    value: Expression
    condition: Expression
    alternative: Expression


class Argument(Node, frozen=True):
    """An argument, with the name of its parameter or without."""

    name: Identifier | None
    value: Expression


class Call(Node, frozen=True):
    """``name<type>(arguments)``: an invocation, or a built-in function."""

    function: Identifier
    generic: PrimitiveType | None
    arguments: tuple[Argument, ...]


class ErrorExpression(Node, frozen=True):
    """Text that does not parse as an expression."""


Expression: TypeAlias = (
    "Identifier | Number | String | Logical | Array | Tuple | Comprehension | Subscript | Unary | Binary | Select"
    " | Call | ErrorExpression"
)


# ---- statements, and the items of a document -------------------------------------------------------------------------
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
