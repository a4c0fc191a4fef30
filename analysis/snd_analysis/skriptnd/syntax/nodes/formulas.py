"""Formulas of ``@lower`` (2.12)."""

from __future__ import annotations

from snd_analysis.base import Node
from snd_analysis.skriptnd.syntax.nodes.declarations import IndexBound
from snd_analysis.skriptnd.syntax.nodes.expressions import Expression, Index, Name, Operator


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
