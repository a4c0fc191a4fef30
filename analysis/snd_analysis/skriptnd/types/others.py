"""Queries about other definitions during the typing of a definition."""

from __future__ import annotations

from typing import Protocol

from snd_analysis.skriptnd.names import OperatorName, Resolution
from snd_analysis.skriptnd.syntax import nodes
from snd_analysis.skriptnd.types.signature import Signature


class Others(Protocol):
    """The other definitions as the file of one definition sees them. Every answer is recorded as a dependency."""

    def signature(self, name: OperatorName) -> Signature | None:
        """Return the signature of an operator or graph; None if there is none, or its declarations are broken."""

    def definition(self, name: OperatorName) -> nodes.Definition | None:
        """Return the definition of a name, with its body. Callers that need no body use ``signature``."""

    def resolution(self, name: OperatorName) -> Resolution | None:
        """Return the resolution of the names in a definition."""

    def invoked(self, name: OperatorName) -> tuple[OperatorName, ...]:
        """Return the operators that a definition invokes, each once."""

    def is_graph(self, name: OperatorName) -> bool:
        """Return whether a name refers to a graph."""

    def is_recursive(self, name: OperatorName) -> bool:
        """Return whether a definition invokes itself, directly or through others."""

    def own(self, definition: nodes.Definition) -> OperatorName | None:
        """Return the name by which others know a definition of this file; None if an earlier one of it bears it."""

    def position(self, name: OperatorName) -> int:
        """Return how many definitions of its file stand before a definition."""

    def is_main_graph(self, definition: nodes.Definition) -> bool:
        """Return whether a graph of this file could be processed for itself: whether no other one invokes it."""
