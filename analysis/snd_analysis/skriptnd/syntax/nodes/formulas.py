"""Formulas of ``@lower`` (2.12)."""

from __future__ import annotations

from snd_analysis.skriptnd.syntax.nodes.declarations import IndexBound
from snd_analysis.skriptnd.syntax.nodes.expressions import Expression, Index, Name, Operator
from snd_analysis.skriptnd.syntax.nodes.node import Node, node_class


@node_class
class Unroll(Node):
    """``unroll..(k -> n)`` before a formula."""

    name: Name
    count: Expression


@node_class
class Local(Node):
    """``z = e`` between ``with`` and ``:``."""

    name: Name
    value: Expression


@node_class
class Access(Node):
    """The left side of a formula: ``y[k][i, j]``."""

    name: Name
    indices: tuple[Index, ...]


@node_class
class Lowering(Node):
    """A formula: ``with z = e: y[i,] += z, i < n | c``."""

    unroll: Unroll | None
    locals: tuple[Local, ...]
    target: Access
    operator: Operator
    value: Expression
    bounds: tuple[IndexBound, ...]
    condition: Expression | None
