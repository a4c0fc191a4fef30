"""Diagnostics: reports of checks, as plain data for all output formats and clients."""

from __future__ import annotations

from msgspec import Struct

from snd_analysis.base.rule import Rule, Severity
from snd_analysis.base.text import Span


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
    """Changes that editors offer besides; none of them removes it."""
