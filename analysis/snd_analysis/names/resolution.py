"""The result of resolving the names of one definition."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from snd_analysis.names.symbols import OperatorName, Symbol, Target
from snd_analysis.source import Span
from snd_analysis.syntax import nodes
from snd_analysis.syntax.problem import Problem


class Role(StrEnum):
    """What a name does where it stands."""

    DECLARATION = "declaration"
    READ = "read"
    WRITE = "write"


@dataclass(frozen=True, slots=True)
class ModuleName:
    """A module, by its path."""

    path: str


@dataclass(frozen=True, slots=True)
class AttributeName:
    """An attribute of another definition, in an invocation of it."""

    operator: OperatorName
    name: str


@dataclass(frozen=True, slots=True)
class Use:
    """One occurrence of a name; ``span`` counts from the start of the chunk."""

    span: Span
    target: Target | ModuleName | AttributeName
    role: Role


@dataclass(frozen=True, slots=True, eq=False)
class Resolution:
    """What every name of a definition stands for. Spans count from the start of the chunk.

    ``targets`` is by node: a ``Qualified`` in an expression or an invocation, the ``TypeName`` of a generic type, the
    ``Name`` of a declaration or a result. A name that stands for nothing is in no table, and reported once.
    """

    definition: nodes.Definition
    symbols: tuple[Symbol, ...]
    targets: Mapping[nodes.Node, Target]
    uses: tuple[Use, ...]
    problems: tuple[Problem, ...]
    ambiguous: frozenset[Symbol] = frozenset()
    """Symbols whose name another declaration of the same definition bears as well, which is reported."""
    unclear: tuple[Span, ...] = ()
    """Statements of which it is not known what they mean, which is reported: nothing else is said about them."""

    def symbol(self, name: str) -> Symbol | None:
        """The first symbol of that name: an attribute, input, extent or the like, not one local to a formula."""
        return next((symbol for symbol in self.symbols if symbol.name == name), None)

    def is_clear(self, place: Span) -> bool:
        """Whether a place stands outside of the statements that are ``unclear``."""
        return not any(statement.start <= place.start < statement.end for statement in self.unclear)
