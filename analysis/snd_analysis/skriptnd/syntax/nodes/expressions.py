"""Names and expressions (2.4)."""

from __future__ import annotations

from typing import TypeAlias

from snd_analysis.skriptnd.syntax.nodes.node import Node, node_class


@node_class
class Name(Node):
    """An identifier where it is declared, or one part of a qualified name.

    The text is empty where a name was missing and recovery supplied one: whoever resolves names is silent about it.
    """

    text: str


@node_class
class Qualified(Node):
    """``a`` or ``a.b.c``: a name in an expression, of an operator, a module or a labelled tensor."""

    parts: tuple[Name, ...]

    @property
    def text(self) -> str:
        """The name as written, without white space."""
        return ".".join(part.text for part in self.parts)


@node_class
class Tilde(Node):
    """``~``: an omitted argument, result or extent."""


@node_class
class TypeName(Node):
    """A primitive type or the name of a generic one."""

    text: str
    is_keyword: bool


@node_class
class Literal(Node):
    """An ``int``, ``real`` or ``bool`` literal, ``inf`` or ``pi``."""

    type: str
    value: int | float | bool


@node_class
class Text(Node):
    """A run of characters in a string, escapes resolved."""

    value: str


@node_class
class Field(Node):
    """``{expression}`` in a string."""

    value: Expression


@node_class
class String(Node):
    """One or more adjacent string literals."""

    parts: tuple[Text | Field, ...]


@node_class
class List(Node):
    """``[a, 1:n, b.., (c, d)..]``."""

    items: tuple[ListItem, ...]


@node_class
class Range(Node):
    """``first:last:step`` as an item of a list or an index."""

    first: Expression | None
    last: Expression | None
    step: Expression | None


@node_class
class Expansion(Node):
    """``..`` or ``..(length)`` behind an item."""

    length: Expression | None


@node_class
class Expanded(Node):
    """``item..(length)`` in a list or an index."""

    item: Expression | Zip
    expansion: Expansion


@node_class
class Zip(Node):
    """``(a, b)`` in a list: legal only where it is expanded."""

    items: tuple[Expression, ...]


@node_class
class Index(Node):
    """``[i, j, ...]`` behind an expression; the comma behind a single index makes it a tensor access."""

    items: tuple[ListItem, ...]
    trailing_comma: bool


@node_class
class Subscript(Node):
    """``a[i]``: an item of a pack, a substring or an access to a tensor."""

    target: Expression
    index: Index


@node_class
class Substitution(Node):
    """``a[i] <- e``."""

    target: Expression
    index: Index
    value: Expression


@node_class
class Operator(Node):
    """An operator symbol at its place."""

    text: str


@node_class
class Unary(Node):
    """``-a``, ``+a``, ``!a`` or ``?a``."""

    operator: Operator
    operand: Expression


@node_class
class Binary(Node):
    """``a + b``, also ``is`` and ``in``."""

    left: Expression
    operator: Operator
    right: Expression


@node_class
class Fold(Node):
    """``a + ..``, or ``a + ...`` if cumulative."""

    operand: Expression
    operator: Operator
    cumulative: bool


@node_class
class Select(Node):
    """``c ? a : b``, or ``c ? a``."""

    condition: Expression
    consequent: Expression
    alternative: Expression | None


@node_class
class Coalesce(Node):
    """``a ?? b``."""

    value: Expression
    fallback: Expression


@node_class
class Attribute(Node):
    """``name=value`` in an invocation; ``colon`` marks the illegal ``name: value``."""

    name: Name
    value: Expression
    colon: bool


@node_class
class Attributes(Node):
    """``{a=1, b=2}``."""

    items: tuple[Attribute, ...]


@node_class
class Generics(Node):
    """``<int, T>``."""

    items: tuple[TypeName, ...]


@node_class
class Call(Node):
    """``name<T>{a=1}(x)``: an invocation, a cast to a generic type or a built-in function."""

    function: Qualified
    generics: Generics | None
    attributes: Attributes | None
    arguments: tuple[Expression | Tilde, ...]


@node_class
class Cast(Node):
    """``real(x)``, or ``real()`` for the default value of the type."""

    type: TypeName
    value: Expression | None


@node_class
class Parenthesized(Node):
    """``(e)``."""

    inner: Expression


@node_class
class Bounded(Node):
    """``|i|`` or ``|i <> below : above|``; ``colon_only`` marks the illegal ``|i < below : above|``."""

    value: Expression
    below: Expression | None
    above: Expression | None
    colon_only: bool


@node_class
class ErrorExpression(Node):
    """What could not be read as an expression, inside a string."""


Expression: TypeAlias = (
    Qualified | Literal | String | List | Subscript | Substitution | Unary | Binary | Fold | Select | Coalesce
    | Call | Cast | Parenthesized | Bounded | ErrorExpression
)  # fmt: skip
ListItem: TypeAlias = "Expression | Range | Expanded | Zip"
