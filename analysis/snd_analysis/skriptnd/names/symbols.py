"""Targets of names."""

from __future__ import annotations

from enum import StrEnum

from msgspec import Struct

from snd_analysis.base import OperatorName, Span
from snd_analysis.skriptnd.syntax import nodes


class SymbolKind(StrEnum):
    """The kinds of names that live inside one definition."""

    DTYPE = "generic type"
    ATTRIBUTE = "attribute"
    INPUT = "input"
    OUTPUT = "output"
    CONSTANT = "constant"
    VARIABLE = "variable"
    EXTENT = "extent"
    """A component of a shape: an int, a pack of them, or (per item of a pack of tensors) one for each item."""
    LENGTH = "pack length"
    """The length of a packed attribute, of a packed extent (a rank), of a pack of tensors, or a captured rank."""
    USING = "helper symbol"
    INDEX = "index"
    LOCAL = "local value"
    TENSOR = "tensor"
    """An intermediate result in ``@compose`` or ``@update``."""
    CARRY = "carried variable"
    SCAN = "scan item"
    ITERATION = "iteration index"
    LABEL = "label"

    @property
    def article(self) -> str:
        """The kind with its article: ``an extent``, ``a constant``."""
        return f"an {self}" if self[0] in "aeio" else f"a {self}"


TENSOR_KINDS = frozenset(
    {
        SymbolKind.INPUT,
        SymbolKind.OUTPUT,
        SymbolKind.CONSTANT,
        SymbolKind.VARIABLE,
        SymbolKind.TENSOR,
        SymbolKind.CARRY,
        SymbolKind.SCAN,
        SymbolKind.ITERATION,
    }
)


class Symbol(Struct, frozen=True, eq=False):
    """A name that a definition declares. Symbols are compared by identity.

    A symbol stays the same object as long as its declaring statement does, even if that moves: so ``local_span`` counts
    from the start of ``statement``, and ``Resolution.span`` returns the place of the symbol. ``node`` is the declaring
    node: a ``Parameter``, a ``DtypeDeclaration``, the ``Extent`` or ``Pack`` that binds it, a ``NameTarget`` or
    ``TupleTarget``, an ``IndexBound``, an ``Unroll``, a ``Local``, a ``Result`` or ``ResultTuple``, a ``Carry``,
    ``Scan`` or ``Iteration``, a ``Labelled``.
    """

    name: str
    kind: SymbolKind
    local_span: Span
    node: nodes.Node
    statement: nodes.Node

    @property
    def is_tensor(self) -> bool:
        """Return whether the symbol names a tensor or a pack of tensors."""
        return self.kind in TENSOR_KINDS


class ShapeMember(Struct, frozen=True):
    """``x.shape``, ``x.rank`` or ``x.size`` of a tensor ``x`` (2.4, Implicitly defined identifiers)."""

    tensor: Symbol
    member: str


class BuiltIn(Struct, frozen=True):
    """A built-in function such as ``sqrt`` (2.4)."""

    name: str


Target = Symbol | ShapeMember | BuiltIn | OperatorName
