"""Places of the parts of a model in the text."""

from __future__ import annotations

from typing import Protocol

from msgspec import Struct

from snd_analysis.base import Span


class Spanned(Protocol):
    """A part of a text, known by identity."""

    @property
    def span(self) -> Span:
        """Span of the place."""


class Place(Struct, frozen=True):
    """A place in a definition: ``span`` counts from the start of the definition's chunk.

    A place in a ``statement``, which stood at ``start`` then, can be found again in a later version of the definition.
    """

    path: str
    definition: str
    span: Span
    statement: Spanned | None = None
    start: int = 0

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Place) and self._identity == other._identity

    def __hash__(self) -> int:
        return hash(self._identity)

    @property
    def _identity(self) -> tuple[str, str, Span]:
        return self.path, self.definition, self.span

    def lasts_as(self, other: Place | None) -> bool:
        """Return whether another place is the same part of the same statement, wherever that stands now."""
        return (
            other is not None
            and self.statement is not None
            and self.statement is other.statement
            and self.span.shifted(other.start - self.start) == other.span
        )
