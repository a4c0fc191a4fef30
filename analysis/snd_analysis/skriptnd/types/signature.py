"""The interface of an operator's declarations for invocations (2.5, 2.6, 2.13), in terms of its own symbols."""

from __future__ import annotations

from typing import Protocol

from msgspec import Struct

from snd_analysis.base import Elsewhere, Note, Span
from snd_analysis.skriptnd.names import OperatorName, Resolution, Symbol
from snd_analysis.skriptnd.syntax import nodes
from snd_analysis.skriptnd.types.type import Dimension, Dtype, Type, Typed
from snd_analysis.symbolic.integers import Integer


class GenericType(Struct, frozen=True):
    """An entry of ``@dtype``; ``base`` is ``type``, ``arith`` or ``num``."""

    name: str
    base: str
    default: Dtype | None
    has_default: bool
    """True if there is a default, right or wrong."""


class AttributeParameter(Struct, frozen=True):
    """An attribute as an invocation sees it."""

    symbol: Symbol
    node: nodes.Parameter
    type: Type | None
    value: Integer | None
    """The variable of a single int."""
    default: Typed | None
    """Type and value of the default; None if there is none."""

    @property
    def required(self) -> bool:
        """Return whether every invocation must give it a value."""
        return self.default is None and not self.node.optional

    @property
    def has_length(self) -> bool:
        """Return whether the declaration names the pack's length, so that one value can be repeated for all items."""
        return self.node.pack is not None and self.node.pack.length is not None


class TensorParameter(Struct, frozen=True):
    """An input or output as an invocation sees it."""

    symbol: Symbol
    node: nodes.Parameter
    type: Type | None
    dimensions: tuple[Dimension, ...] | None
    """The declared dimensions; None if the shape is left out, as graphs may."""
    rank_symbol: Symbol | None
    """The name that ``^(r)`` gives to the rank."""

    @property
    def required(self) -> bool:
        """Return whether every invocation must give it a value."""
        return not self.node.optional and self.node.default is None


class Signature(Struct, frozen=True, eq=False):
    """The parts of a definition that invocations depend on."""

    definition: nodes.Definition
    generics: tuple[GenericType, ...]
    attributes: dict[str, AttributeParameter]
    inputs: tuple[TensorParameter, ...]
    outputs: tuple[TensorParameter, ...]
    sound: bool
    """True if the declarations have no problems; otherwise messages about shapes are suppressed."""

    @property
    def kind(self) -> str:
        """``operator`` or ``graph``."""
        return self.definition.kind


def elsewhere(name: OperatorName, message: str, member: str | None = None) -> Note:
    """Return a note at the declaration of an operator, or of one of its members."""
    return Note(Span(0, 0), message, Elsewhere(name.path, name.name, member))


# ---- queries about other definitions during the typing of a definition -----------------------------------------------
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
