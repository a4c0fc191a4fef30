"""Declarations, helper symbols and assertions (2.5 to 2.9, 2.13)."""

from __future__ import annotations

from snd_analysis.skriptnd.syntax.nodes.expressions import Expansion, Expression, Name, String, Tilde, TypeName
from snd_analysis.skriptnd.syntax.nodes.node import Node, node_class


@node_class
class DtypeDeclaration(Node):
    """``T: num = real`` in ``@dtype``."""

    name: Name
    base: TypeName
    default: TypeName | None


@node_class
class IndexBound(Node):
    """``i < n`` behind a formula or the value of a constant."""

    name: Name
    bound: Expression


@node_class
class Extent(Node):
    """One component of a shape: ``[static] [..] value [| bound] [..(length)]``."""

    value: Expression | Tilde
    spread: bool
    """One extent per item of the pack: ``..t``."""
    static: bool
    bound: Expression | None
    expansion: Expansion | None


@node_class
class Shape(Node):
    """``[a, b..(d)]`` behind a type."""

    extents: tuple[Extent, ...]


@node_class
class Pack(Node):
    """``..`` or ``..(length)`` behind a type or a result."""

    length: Expression | Tilde | None
    qualifier: str | None
    bound: Expression | None


@node_class
class Modifier(Node):
    """``optional`` or ``dynamic``."""

    text: str


@node_class
class Default(Node):
    """``= value, i < n, j < m`` behind a declaration."""

    value: Expression
    bounds: tuple[IndexBound, ...]


@node_class
class Parameter(Node):
    """An attribute, input, output, constant or variable."""

    name: Name
    modifiers: tuple[Modifier, ...]
    type: TypeName
    rank: Name | None
    shape: Shape | None
    pack: Pack | None
    default: Default | None

    @property
    def optional(self) -> bool:
        """Whether the declaration says ``optional``."""
        return any(modifier.text == "optional" for modifier in self.modifiers)


@node_class
class NameTarget(Node):
    """``a`` or ``a..(n)`` on the left side in ``@using``."""

    name: Name
    expansion: Expansion | None


@node_class
class TupleTarget(Node):
    """``(a, b)..`` in a list on the left side in ``@using``."""

    names: tuple[Name, ...]
    expansion: Expansion | None


@node_class
class ListTarget(Node):
    """``[a, b..]`` on the left side in ``@using``."""

    items: tuple[NameTarget | TupleTarget, ...]


@node_class
class Using(Node):
    """``target = value`` in ``@using``."""

    target: NameTarget | ListTarget
    value: Expression


@node_class
class Printed(Node):
    """A value to print with an assertion, with a label of its own or none."""

    label: String | None
    value: Expression


@node_class
class Assertion(Node):
    """``condition: "message", values``."""

    condition: Expression
    message: String | None
    printed: tuple[Printed, ...]
