"""Names and expressions (2.4)."""

from __future__ import annotations

from typing import TypeAlias

from snd_analysis.base import Node


class Name(Node, frozen=True):
    """An identifier where it is declared, or one part of a qualified name.

    The text is empty where a name was missing and recovery supplied one: resolving names does not report it.
    """

    text: str


class Qualified(Node, frozen=True):
    """``a`` or ``a.b.c``: a name in an expression, of an operator, a module or a labelled tensor."""

    parts: tuple[Name, ...]

    @property
    def text(self) -> str:
        """The name as written, without white space."""
        return ".".join(part.text for part in self.parts)


class Tilde(Node, frozen=True):
    """``~``: an omitted argument, result or extent."""


class TypeName(Node, frozen=True):
    """A primitive type or the name of a generic one."""

    text: str
    is_keyword: bool


class Literal(Node, frozen=True):
    """An ``int``, ``real`` or ``bool`` literal, ``inf`` or ``pi``."""

    type: str
    value: int | float | bool


class Text(Node, frozen=True):
    """A run of characters in a string, escapes resolved."""

    value: str


class Field(Node, frozen=True):
    """``{expression}`` in a string."""

    value: Expression


class String(Node, frozen=True):
    """One or more adjacent string literals."""

    parts: tuple[Text | Field, ...]


class List(Node, frozen=True):
    """``[a, 1:n, b.., (c, d)..]``."""

    items: tuple[ListItem, ...]


class Range(Node, frozen=True):
    """``first:last:step`` as an item of a list or an index."""

    first: Expression | None
    last: Expression | None
    step: Expression | None


class Expansion(Node, frozen=True):
    """``..`` or ``..(length)`` after an item."""

    length: Expression | None


class Expanded(Node, frozen=True):
    """``item..(length)`` in a list or an index."""

    item: Expression | Zip
    expansion: Expansion


class Zip(Node, frozen=True):
    """``(a, b)`` in a list: legal only where it is expanded."""

    items: tuple[Expression, ...]


class Index(Node, frozen=True):
    """``[i, j, ...]`` after an expression; the comma after a single index makes it a tensor access."""

    items: tuple[ListItem, ...]
    trailing_comma: bool


class Subscript(Node, frozen=True):
    """``a[i]``: an item of a pack, a substring or an access to a tensor."""

    target: Expression
    index: Index


class Substitution(Node, frozen=True):
    """``a[i] <- e``."""

    target: Expression
    index: Index
    value: Expression


class Operator(Node, frozen=True):
    """An operator symbol at its place."""

    text: str


class Unary(Node, frozen=True):
    """``-a``, ``+a``, ``!a`` or ``?a``."""

    operator: Operator
    operand: Expression


class Binary(Node, frozen=True):
    """``a + b``, also ``is`` and ``in``."""

    left: Expression
    operator: Operator
    right: Expression


class Fold(Node, frozen=True):
    """``a + ..``, or ``a + ...`` if cumulative."""

    operand: Expression
    operator: Operator
    cumulative: bool


class Select(Node, frozen=True):
    """``c ? a : b``, or ``c ? a``."""

    condition: Expression
    consequent: Expression
    alternative: Expression | None


class Coalesce(Node, frozen=True):
    """``a ?? b``."""

    value: Expression
    fallback: Expression


class Attribute(Node, frozen=True):
    """``name=value`` in an invocation; ``colon`` marks the illegal ``name: value``."""

    name: Name
    value: Expression
    colon: bool


class Attributes(Node, frozen=True):
    """``{a=1, b=2}``."""

    items: tuple[Attribute, ...]


class Generics(Node, frozen=True):
    """``<int, T>``."""

    items: tuple[TypeName, ...]


class Call(Node, frozen=True):
    """``name<T>{a=1}(x)``: an invocation, a cast to a generic type or a built-in function."""

    function: Qualified
    generics: Generics | None
    attributes: Attributes | None
    arguments: tuple[Expression | Tilde, ...]


class Cast(Node, frozen=True):
    """``real(x)``, or ``real()`` for the default value of the type."""

    type: TypeName
    value: Expression | None


class Parenthesized(Node, frozen=True):
    """``(e)``."""

    inner: Expression


class Bounded(Node, frozen=True):
    """``|i|`` or ``|i <> below : above|``; ``colon_only`` marks the illegal ``|i < below : above|``."""

    value: Expression
    below: Expression | None
    above: Expression | None
    colon_only: bool


class ErrorExpression(Node, frozen=True):
    """Text inside a string that does not parse as an expression."""


Expression: TypeAlias = (
    Qualified | Literal | String | List | Subscript | Substitution | Unary | Binary | Fold | Select | Coalesce
    | Call | Cast | Parenthesized | Bounded | ErrorExpression
)  # fmt: skip
ListItem: TypeAlias = "Expression | Range | Expanded | Zip"


def single_item(node: Node, at: int) -> Node:
    """Return item ``at`` of a list whose items are all written singly; else the whole expression."""
    if not isinstance(node, List) or at >= len(node.items):
        return node
    return node if any(isinstance(each, Range | Expanded | Zip) for each in node.items) else node.items[at]
