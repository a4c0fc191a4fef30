"""Problems: broken rules in a piece of text, before it is known which file the text is part of."""

from __future__ import annotations

from enum import StrEnum

from msgspec import Struct
from msgspec.structs import replace

from snd_analysis.base.text import Edit, Span


# ---- rules and their severities. Every package refers to a rule by its object ----------------------------------------
class Severity(StrEnum):
    """Importance of a diagnostic; only errors make a program invalid."""

    ERROR = "error"
    WARNING = "warning"
    INFO = "info"
    HINT = "hint"


class Rule(Struct, frozen=True, eq=False):
    """One rule. Its page, a Markdown file with the description and the examples, stands beside its declaration.

    ``name`` never changes: configurations and suppression comments contain it. ``section`` is the section of the NNEF
    2.0 draft that the rule enforces; ``LANGUAGE`` means ``docs/language.md``, ``tool`` a rule of snd. Two rules are
    equal if their names are, so that a rule that comes from another process equals the declared one.
    """

    name: str
    section: str
    severity: Severity = Severity.ERROR

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Rule) and self.name == other.name

    def __hash__(self) -> int:
        return hash(self.name)


# ---- problems --------------------------------------------------------------------------------------------------------
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


# ---- diagnostics: reports of checks, as plain data for all output formats and clients --------------------------------
class Location(Struct, frozen=True, order=True):
    """A span in a file. ``path`` has the form in which the caller named the file."""

    path: str
    span: Span


class Related(Struct, frozen=True):
    """Another place that takes part in a diagnostic; ``message`` says how."""

    location: Location
    message: str


class TextEdit(Struct, frozen=True):
    """The replacement of the text at ``location`` by ``text``."""

    location: Location
    text: str


class Fix(Struct, frozen=True):
    """A change that removes a diagnostic. A safe fix never changes the meaning of a program."""

    title: str
    edits: tuple[TextEdit, ...]
    safe: bool = True
    declined: bool = False
    """True if ``snd check --fix`` does not apply the fix, since other problems would follow."""


class Diagnostic(Struct, frozen=True):
    """A broken rule at a place in a file. Only errors make a program invalid."""

    rule: Rule
    severity: Severity
    message: str
    location: Location
    related: tuple[Related, ...] = ()
    fix: Fix | None = None
    unnecessary: bool = False
    """True if removing the marked text changes nothing. Clients show such text in grey."""
    alternatives: tuple[Fix, ...] = ()
    """Changes that editors offer in addition. None of them removes the problem."""
