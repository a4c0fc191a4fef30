"""Occurrences of names."""

from __future__ import annotations

from enum import StrEnum

from msgspec import Struct

from snd_analysis.base import OperatorName, Span
from snd_analysis.skriptnd.names.symbols import ShapeMember, Target


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
