"""The names that are visible at a point of a definition."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from msgspec import Struct, field

from snd_analysis.base import Layers
from snd_analysis.skriptnd.names.symbols import Symbol


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
