"""Problems: broken rules in a piece of text, before it is known which file the text is part of."""

from __future__ import annotations

from msgspec import Struct
from msgspec.structs import replace

from snd_analysis.base.rule import Rule
from snd_analysis.base.text import Edit, Span


class Elsewhere(Struct, frozen=True):
    """A place in any file, by name, so that edits around the place do not invalidate it."""

    path: str
    definition: str
    member: str | None = None
    """An attribute, input, output, generic type or helper; None for the definition itself."""
    assertion: int | None = None
    """The number of an assertion, counted from 0, in place of ``member``."""
    span: Span | None = None
    """A span of the definition's chunk, in place of ``member``: only in results that depend on the whole definition."""


class Note(Struct, frozen=True):
    """Another place that takes part in a problem: ``span`` of the same text, or ``elsewhere``."""

    span: Span
    message: str
    elsewhere: Elsewhere | None = None

    def shifted(self, distance: int) -> Note:
        """Return the same note for a text that has ``distance`` more characters before it."""
        return self if self.elsewhere else Note(self.span.shifted(distance), self.message)


class Repair(Struct, frozen=True):
    """A change of the same text that removes a problem."""

    title: str
    edits: tuple[Edit, ...]
    safe: bool = True


class Problem(Struct, frozen=True):
    """A broken rule at a span of the text it was found in."""

    rule: Rule
    span: Span
    message: str
    notes: tuple[Note, ...] = ()
    repair: Repair | None = None

    def shifted(self, distance: int) -> Problem:
        """Return the same problem for a text that has ``distance`` more characters before it."""
        if distance == 0:
            return self
        repair = self.repair and replace(
            self.repair,
            edits=tuple(Edit(edit.span.shifted(distance), edit.text) for edit in self.repair.edits),
        )
        notes = tuple(note.shifted(distance) for note in self.notes)
        return Problem(self.rule, self.span.shifted(distance), self.message, notes, repair)
