"""A mistake in a piece of text, before anyone knows which file the text is part of."""

from __future__ import annotations

from msgspec import Struct
from msgspec.structs import replace

from snd_analysis.base.rule import Rule
from snd_analysis.base.text import Edit, Span


class Elsewhere(Struct, frozen=True):
    """A place in any file, by name, so that it stays right when the text around it moves."""

    path: str
    definition: str
    member: str | None = None
    """An attribute, input, output, generic type or helper symbol; None for the definition itself."""
    assertion: int | None = None
    """The assertion of this number instead, counted from 0."""
    span: Span | None = None
    """Or any span of its chunk: only in what is worked out again whenever that definition changes."""


class Note(Struct, frozen=True):
    """Another place that takes part in a problem: of the same text, or ``elsewhere``."""

    span: Span
    message: str
    elsewhere: Elsewhere | None = None

    def shifted(self, distance: int) -> Note:
        """The same note in a text that has ``distance`` more characters before it."""
        return self if self.elsewhere else Note(self.span.shifted(distance), self.message)


class Repair(Struct, frozen=True):
    """A change of the same text that makes a problem go away."""

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
        """The same problem in a text that has ``distance`` more characters before it."""
        if distance == 0:
            return self
        repair = self.repair and replace(
            self.repair,
            edits=tuple(Edit(edit.span.shifted(distance), edit.text) for edit in self.repair.edits),
        )
        notes = tuple(note.shifted(distance) for note in self.notes)
        return Problem(self.rule, self.span.shifted(distance), self.message, notes, repair)
