"""Declarations, helper symbols and assertions (2.5 to 2.9, 2.13)."""

from __future__ import annotations

from snd_analysis.base import Node
from snd_analysis.skriptnd.syntax.nodes.expressions import (
    Expansion,
    Expression,
    Index,
    Name,
    Operator,
    String,
    Tilde,
    TypeName,
)


class DtypeDeclaration(Node, frozen=True):
    """``T: num = real`` in ``@dtype``."""

    name: Name
    base: TypeName
    default: TypeName | None


class IndexBound(Node, frozen=True):
    """``i < n`` after a formula or the value of a constant."""

    name: Name
    bound: Expression


class Extent(Node, frozen=True):
    """One component of a shape: ``[static] [..] value [| bound] [..(length)]``."""

    value: Expression | Tilde
    spread: bool
    """One extent per item of the pack: ``..t``."""
    static: bool
    bound: Expression | None
    expansion: Expansion | None


class Shape(Node, frozen=True):
    """``[a, b..(d)]`` after a type."""

    extents: tuple[Extent, ...]


class Pack(Node, frozen=True):
    """``..`` or ``..(length)`` after a type or a result."""

    length: Expression | Tilde | None
    qualifier: str | None
    bound: Expression | None


class Modifier(Node, frozen=True):
    """``optional`` or ``dynamic``."""

    text: str


class Default(Node, frozen=True):
    """``= value, i < n, j < m`` after a declaration."""

    value: Expression
    bounds: tuple[IndexBound, ...]


class Parameter(Node, frozen=True):
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
        """Return whether the declaration says ``optional``."""
        return any(modifier.text == "optional" for modifier in self.modifiers)


class NameTarget(Node, frozen=True):
    """``a``, ``a..(n)`` or ``~`` on the left side in ``@using``."""

    name: Name | Tilde
    expansion: Expansion | None

    @property
    def names(self) -> tuple[Name, ...]:
        """The names that the part defines."""
        return (self.name,) if isinstance(self.name, Name) else ()


class TupleTarget(Node, frozen=True):
    """``(a, b)..`` in a list on the left side in ``@using``."""

    names: tuple[Name, ...]
    expansion: Expansion | None


class ListTarget(Node, frozen=True):
    """``[a, b..]`` on the left side in ``@using``."""

    items: tuple[NameTarget | TupleTarget, ...]


class Using(Node, frozen=True):
    """``target = value`` in ``@using``."""

    target: NameTarget | ListTarget
    value: Expression


class Printed(Node, frozen=True):
    """A value to print with an assertion, with a label of its own or none."""

    label: String | None
    value: Expression


class Assertion(Node, frozen=True):
    """``condition: "message", values``."""

    condition: Expression
    message: String | None
    printed: tuple[Printed, ...]


# ---- formulas of ``@lower`` (2.12) -----------------------------------------------------------------------------------
class Unroll(Node, frozen=True):
    """``unroll..(k -> n)``, or ``unroll..(n)``, before a formula."""

    name: Name | None
    count: Expression


class Local(Node, frozen=True):
    """``z = e`` between ``with`` and ``:``."""

    name: Name
    value: Expression


class Access(Node, frozen=True):
    """The left side of a formula: ``y[k][i, j]``."""

    name: Name
    indices: tuple[Index, ...]


class Lowering(Node, frozen=True):
    """A formula: ``with z = e: y[i,] += z, i < n | c``."""

    unroll: Unroll | None
    locals: tuple[Local, ...]
    target: Access
    operator: Operator
    value: Expression
    bounds: tuple[IndexBound, ...]
    condition: Expression | None
