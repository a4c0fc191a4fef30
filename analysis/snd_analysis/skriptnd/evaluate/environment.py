"""The environment of an evaluation."""

from __future__ import annotations

from typing import Protocol

from snd_analysis.base import Rule
from snd_analysis.skriptnd.syntax import nodes
from snd_analysis.symbolic.values import Value


class Environment(Protocol):
    """The values of names where an expression stands."""

    @property
    def composing(self) -> bool:
        """Return whether unknown values stay unknown until run time, as when a graph is composed.

        Then ``is`` is false unless both sides are certainly the same, and a pack has a uniform value only by its form
        (2.4). Otherwise, as when a single operator is checked, both stay undecided where a value might decide.
        """

    def lookup(self, node: nodes.Qualified) -> Value:
        """Return the value of a name, also of ``x.shape``, ``x.rank`` and ``x.size``.

        Raise Unresolved if there is none.
        """

    def dtype(self, node: nodes.TypeName | nodes.Qualified) -> str | None:
        """Return the element type bound to a generic type; None if the name is no generic type.

        Raise Unresolved if that type is unknown.
        """


# ---- errors of expressions without a value ---------------------------------------------------------------------------
class EvaluationError(Exception):
    """An expression that has no value: where, by which rule and why; ``notes`` explain parts of it."""

    def __init__(
        self, node: nodes.Node, rule: Rule, message: str, notes: tuple[tuple[nodes.Node, str], ...] = ()
    ) -> None:
        super().__init__(message)
        self.node = node
        self.rule = rule
        self.message = message
        self.notes = notes


class Unresolved(LookupError):  # noqa: N818
    """A name without a known value: reported elsewhere, silent here."""
