"""What a check reports: plain data that every renderer and every client reads."""

from __future__ import annotations

from msgspec import Struct

from snd_analysis.base.rule import Rule, Severity
from snd_analysis.base.text import Span


class Location(Struct, frozen=True, order=True):
    """A span in a file. ``path`` is as the file was named by whoever asked."""

    path: str
    span: Span


class Related(Struct, frozen=True):
    """Another place that takes part in a diagnostic, and what it has to do with it."""

    location: Location
    message: str


class TextEdit(Struct, frozen=True):
    """Replacement of the text at ``location`` by ``text``."""

    location: Location
    text: str


class Fix(Struct, frozen=True):
    """A change that makes a diagnostic go away. A safe one never changes what a program means."""

    title: str
    edits: tuple[TextEdit, ...]
    safe: bool = True


class Diagnostic(Struct, frozen=True):
    """One mistake, at one place, by one rule."""

    rule: Rule
    severity: Severity
    message: str
    location: Location
    related: tuple[Related, ...] = ()
    fix: Fix | None = None
    unnecessary: bool = False
    """The marked text could go without changing anything: clients grey it out."""
