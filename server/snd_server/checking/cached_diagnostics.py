"""The form in which the cache keeps diagnostics."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Any

from msgspec import Meta, convert

from snd_analysis.base import Diagnostic, Fix, Location, Related, Severity, Span, TextEdit

_Offset = Annotated[int, Meta(ge=0, le=1 << 31)]
_Place = tuple[str, _Offset, _Offset]
_Fix = tuple[str, bool, bool, list[tuple[_Place, str]]]
_Diagnostic = tuple[str, str, str, _Place, list[tuple[_Place, str]], _Fix | None, bool]


def encoded(diagnostics: Iterable[Diagnostic]) -> list[Any]:
    """List and strings that JSON can hold."""

    def place(location: Any) -> list[Any]:
        return [location.path, location.span.start, location.span.end]

    return [
        [
            diagnostic.rule.name,
            diagnostic.severity.value,
            diagnostic.message,
            place(diagnostic.location),
            [[place(related.location), related.message] for related in diagnostic.related],
            diagnostic.fix
            and [
                diagnostic.fix.title,
                diagnostic.fix.safe,
                diagnostic.fix.declined,
                [[place(edit.location), edit.text] for edit in diagnostic.fix.edits],
            ],
            diagnostic.unnecessary,
        ]
        for diagnostic in diagnostics
    ]


def decoded(entries: Any) -> tuple[Diagnostic, ...]:
    """Return the diagnostics again.

    Raise LookupError, ValueError or TypeError for anything that ``encoded`` did not make.
    """
    if not (entries := convert(entries, list[_Diagnostic])):
        return ()
    from snd_analysis.rules import catalogue

    def place(fields: _Place) -> Location:
        path, start, end = fields
        return Location(path, Span(start, end))

    def fix(fields: _Fix | None) -> Fix | None:
        if fields is None:
            return None
        title, safe, declined, edits = fields
        return Fix(title, tuple(TextEdit(place(location), text) for location, text in edits), safe, declined)

    return tuple(
        Diagnostic(
            catalogue.rule(rule),
            Severity(severity),
            message,
            place(location),
            tuple(Related(place(where), text) for where, text in related),
            fix(change),
            unnecessary,
        )
        for rule, severity, message, location, related, change, unnecessary in entries
    )
