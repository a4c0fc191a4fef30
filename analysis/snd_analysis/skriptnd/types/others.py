"""What typing a definition asks about other definitions."""

from __future__ import annotations

from typing import Protocol

from snd_analysis.skriptnd.names import OperatorName, Resolution
from snd_analysis.skriptnd.syntax import nodes
from snd_analysis.skriptnd.types.signature import Signature


class Others(Protocol):
    """The other definitions as the file of one definition sees them. Every answer is recorded as a dependency."""

    def checkpoint(self) -> None:
        """Is called between statements: what it raises ends the question."""

    def signature(self, name: OperatorName) -> Signature | None:
        """Return the signature of an operator or graph; None if there is none, or its declarations are broken."""

    def definition(self, name: OperatorName) -> nodes.Definition | None:
        """Return the definition that a name stands for, with its body. Who needs no body asks for the signature."""

    def resolution(self, name: OperatorName) -> Resolution | None:
        """Return what the names in a definition stand for."""

    def invoked(self, name: OperatorName) -> tuple[OperatorName, ...]:
        """Return the operators that a definition invokes, each once."""

    def is_graph(self, name: OperatorName) -> bool:
        """Return whether a name stands for a graph."""

    def is_recursive(self, name: OperatorName) -> bool:
        """Return whether a definition invokes itself, directly or through others."""

    def own(self, definition: nodes.Definition) -> OperatorName | None:
        """Return the name by which others know a definition of this file; None if an earlier one of it bears it."""

    def position(self, name: OperatorName) -> int:
        """Return how many definitions of its file stand before a definition."""

    def is_main_graph(self, definition: nodes.Definition) -> bool:
        """Return whether a graph of this file could be processed for itself: whether no other one invokes it."""
