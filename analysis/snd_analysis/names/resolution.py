"""The result of resolving the names of one definition."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

from snd_analysis.names.part import Part
from snd_analysis.names.symbols import Symbol, Target
from snd_analysis.names.use import AttributeName, ModuleName, Role, Use
from snd_analysis.source import Span
from snd_analysis.syntax import nodes
from snd_analysis.syntax.problem import Problem

__all__ = ["AttributeName", "ModuleName", "Resolution", "Role", "Use"]


@dataclass(frozen=True, eq=False)
class Resolution:
    """What every name of a definition stands for. Spans count from the start of the chunk.

    ``targets`` is by node: a ``Qualified`` in an expression or an invocation, the ``TypeName`` of a generic type, the
    ``Name`` of a declaration or a result. A name that stands for nothing is in no table, and reported once.
    """

    definition: nodes.Definition
    symbols: tuple[Symbol, ...]
    targets: Mapping[nodes.Node, Target]
    local_uses: tuple[tuple[nodes.Node, Use], ...]
    """Every use of a name, its span counted from the start of the statement before it."""
    problems: tuple[Problem, ...]
    ambiguous: frozenset[Symbol] = frozenset()
    """Symbols whose name another declaration of the same definition bears as well, which is reported."""
    unclear: tuple[Span, ...] = ()
    """Statements of which it is not known what they mean, which is reported: nothing else is said about them."""
    starts: Mapping[nodes.Node, int] = field(default_factory=dict)
    """Where each statement starts: what its spans count from."""
    parts: Mapping[nodes.Node, Part] = field(default_factory=dict)
    """What single statements have added, by the statements; not of all blocks."""

    @cached_property
    def uses(self) -> tuple[Use, ...]:
        """Every use of a name."""
        starts = self.starts
        return tuple(
            Use(use.span.shifted(starts[statement]), use.target, use.role) for statement, use in self.local_uses
        )

    def span(self, symbol: Symbol) -> Span:
        """Where a symbol of this definition is declared."""
        return symbol.local_span.shifted(self.starts[symbol.statement])

    def symbol(self, name: str) -> Symbol | None:
        """The first symbol of that name: an attribute, input, extent or the like, not one local to a formula."""
        return next((symbol for symbol in self.symbols if symbol.name == name), None)

    def is_clear(self, place: Span) -> bool:
        """Whether a place stands outside of the statements that are ``unclear``."""
        return not any(statement.start <= place.start < statement.end for statement in self.unclear)
