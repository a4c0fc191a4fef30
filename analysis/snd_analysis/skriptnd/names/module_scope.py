"""Definitions that a file can name: those of its own module, and those of the modules it imports (2.15)."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

from snd_analysis.base import OperatorName

BUILT_INS = frozenset(
    [
        "sqrt",
        "exp",
        "log",
        "sin",
        "cos",
        "tan",
        "asin",
        "acos",
        "atan",
        "sinh",
        "cosh",
        "tanh",
        "asinh",
        "acosh",
        "atanh",
        "round",
        "floor",
        "ceil",
        "frac",
        "erf",
        "abs",
        "sign",
    ]
)
"""Built-in functions (2.4); LANGUAGE adds ``erf`` to the functions of the draft."""


class ModuleNames(Struct, frozen=True):
    """The definitions of a module: their names and whether each is an ``operator`` or a ``graph``."""

    path: str
    definitions: Mapping[str, str]
    complete: bool = True
    """True if all names are known; else one that seems to be missing may be that of a definition with a broken head."""


class ModuleScope(Struct, frozen=True, eq=False):
    """The modules that a file can name.

    ``imports`` is by the name used in the import. ``available`` holds the modules that could be imported, by name, for
    suggestions.
    """

    own: ModuleNames
    imports: Mapping[str, ModuleNames]
    available: Mapping[str, ModuleNames]
    missing: frozenset[str] = frozenset()
    """Modules that are imported and were not found. They are reported at the import only."""
    complete: bool = True
    """True if every import statement could be read; else a module that seems not to be imported may be."""

    def operator(self, parts: tuple[str, ...]) -> OperatorName | None:
        """Return the definition that a (qualified) name refers to, or None."""
        module = self.own if len(parts) == 1 else self.imports.get(".".join(parts[:-1]))
        if module is None or parts[-1] not in module.definitions:
            return None
        return OperatorName(module.path, parts[-1])

    def module(self, parts: tuple[str, ...]) -> ModuleNames | None:
        """Return the imported module that a qualified name begins with, or None."""
        return self.imports.get(".".join(parts))

    def is_reported(self, module: str) -> bool:
        """Return whether a name that no imported module bears was meant by an import that is reported."""
        return not self.complete or any(name == module or name.startswith(f"{module}.") for name in self.missing)

    def key(self) -> tuple[object, ...]:
        """Equal for module scopes in which every name means the same."""
        modules = (self.own, *self.imports.values())
        return (
            tuple(self.imports),
            tuple(self.available),
            self.missing,
            self.complete,
            tuple((module.path, tuple(module.definitions.items()), module.complete) for module in modules),
        )
