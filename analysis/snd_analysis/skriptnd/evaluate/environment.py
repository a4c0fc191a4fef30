"""What an expression is evaluated in."""

from __future__ import annotations

from typing import Protocol

from snd_analysis.skriptnd.syntax import nodes
from snd_analysis.symbolic.values import Value


class Environment(Protocol):
    """The values of names where an expression stands."""

    @property
    def composing(self) -> bool:
        """Return whether what is unknown stays so until run time, as when a graph is composed.

        Then ``is`` is false unless both sides are certainly the same, and a pack has a uniform value only by its form
        (2.4). Otherwise, as when an operator is looked at alone, both stay undecided where a value might decide.
        """

    def lookup(self, node: nodes.Qualified) -> Value:
        """Return the value of a name, also of ``x.shape``, ``x.rank`` and ``x.size``.

        Raises Unresolved if there is none.
        """

    def dtype(self, node: nodes.TypeName | nodes.Qualified) -> str | None:
        """Return the element type that a generic type stands for; None if the name is no generic type.

        Raises Unresolved for one whose type is not known.
        """
