"""Targets of names."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from typing import TypeAlias

from msgspec import Struct, field

from snd_analysis.base import Layers, OperatorName, Span
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


# ---- the names that are visible at a point of a definition -----------------------------------------------------------
class Watch(Struct):
    """Lookups in a scope, and bindings in it, during the resolution of one statement."""

    asked: dict[str, Symbol | None] = field(default_factory=dict)
    bound: dict[str, Symbol] = field(default_factory=dict)


class Scope:
    """Names of one level; missing names are looked up further out."""

    __slots__ = ("missed", "names", "outer", "watch")

    def __init__(self, outer: Scope | None = None) -> None:
        self.names: Layers[str, Symbol] = Layers()
        self.outer = outer
        self.watch: Watch | None = None
        self.missed: Missed | None = None
        """Callback for every name that this scope, as the outermost one, does not have."""

    def find(self, name: str) -> Symbol | None:
        """Return the symbol of a name as seen from this scope."""
        scope = self
        while True:
            symbol = scope.own(name)
            if symbol is not None:
                return symbol
            if scope.outer is None:
                break
            scope = scope.outer
        if scope.missed is not None:
            scope.missed(name, self)
        return None

    def own(self, name: str) -> Symbol | None:
        """Return the symbol of a name on this level."""
        symbol: Symbol | None = self.names.get(name)
        if self.watch is not None:
            self.watch.asked.setdefault(name, symbol)
        return symbol

    def bind(self, name: str, symbol: Symbol) -> None:
        """Bind the name to a symbol from now on."""
        self.names[name] = symbol
        if self.watch is not None:
            self.watch.bound[name] = symbol

    def symbols(self) -> dict[str, Symbol]:
        """Return everything that could be named here, by name: inner scopes first, then in order of declaration."""
        found: dict[str, Symbol] = {}
        scope: Scope | None = self
        while scope is not None:
            found = {**found, **{name: symbol for name, symbol in scope.names.items() if name not in found}}
            scope = scope.outer
        return found

    def visible(self) -> tuple[str, ...]:
        """Return all names that could be used here."""
        return (*self.names, *(() if self.outer is None else self.outer.visible()))


Missed: TypeAlias = "Callable[[str, Scope], None]"
"""Callback for an undefined name, with the state of the scope at the lookup."""


# ---- occurrences of names --------------------------------------------------------------------------------------------
class Role(StrEnum):
    """The effect of a name at its place."""

    DECLARATION = "declaration"
    READ = "read"
    WRITE = "write"


class ModuleName(Struct, frozen=True):
    """A module, by its path."""

    path: str


class AttributeName(Struct, frozen=True):
    """An attribute of another definition, in an invocation of it."""

    operator: OperatorName
    name: str


class Use(Struct, frozen=True):
    """One occurrence of a name; ``span`` counts from the start of the chunk, or of a statement."""

    span: Span
    target: Target | ModuleName | AttributeName
    role: Role

    @property
    def name(self) -> str | None:
        """Return the name of the target; None for a module, which each file may name differently."""
        target = self.target
        if isinstance(target, ShapeMember):
            return target.tensor.name
        return None if isinstance(target, ModuleName) else target.name
