"""One condition in one case of an operator."""

from __future__ import annotations

from collections.abc import Hashable

from msgspec import Struct

from snd_analysis import rules
from snd_analysis.compose.formulas import LIMIT_EXCEEDED, UNKNOWN_VALUE
from snd_analysis.proofs.expressions import Expression
from snd_analysis.skriptnd.syntax import nodes
from snd_analysis.symbolic.integers import Truth

UNDECIDED = frozenset({UNKNOWN_VALUE, LIMIT_EXCEEDED, rules.VALUE_TOO_LARGE})
"""Failures that say nothing about the operator: their conditions could not be examined."""
WRITTEN_ONCE = ("unwritten-element", "written-twice")
"""The rules that an element breaks that ``=`` does not write once."""


OUT_OF_BOUNDS = (rules.INDEX_OUT_OF_RANGE.name, rules.ACCESS_OUT_OF_RANGE.name)


class Goal(Struct, frozen=True):
    """One condition in one case; ``goal`` is None if the condition is not known."""

    base: int
    node: nodes.Node
    text: str
    facts: tuple[Expression, ...] = ()
    goal: Expression | None = None
    reason: str = ""
    holds: bool = False
    """True if algebra proves it without z3."""
    reads_data: bool = False
    unless_proved: str = ""
    """Why nothing is known if it is not proved: it may be meant not to hold."""
    mends: tuple[Truth, ...] = ()
    """Conditions on sizes; a single one may make it hold."""
    breaks: tuple[str, ...] = OUT_OF_BOUNDS
    """The rules that an evaluation breaks where it does not hold."""
    enough: tuple[tuple[Expression, ...], Expression] | None = None
    """Facts and another condition: if it follows from them, so does this one."""


class Gap(Struct, frozen=True):
    """A part of an operator that could not be looked at in one case: its conditions are not known to hold."""

    reason: str
    base: int = 0
    node: nodes.Node | None = None
    """The part; None for the whole operator."""


Posed = Goal | Gap
Point = Hashable
"""A point of the index space of a formula: unknowns of different points are different."""
