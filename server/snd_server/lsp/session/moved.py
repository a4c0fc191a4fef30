"""The position of a place and of diagnostics after an edit of the text."""

from __future__ import annotations

from collections.abc import Callable

from msgspec.structs import replace

from snd_analysis.base import Diagnostic, Location, Span, edit_between
from snd_server.lsp.session.documents import Document


def moved(before: str, now: str) -> Callable[[Span], Span | None]:
    """Return a function from spans of ``before`` to spans of ``now``; None for spans that the edit touches."""
    change, distance = edit_between(before, now).span, len(now) - len(before)

    def place(span: Span) -> Span | None:
        if span.end <= change.start:
            return span
        return span.shifted(distance) if span.start >= change.end else None

    return place


def moved_diagnostics(diagnostics: tuple[Diagnostic, ...], before: Document, now: Document) -> tuple[Diagnostic, ...]:
    """Return the same diagnostics in an edited text, without diagnostics in the edited part."""
    if before is now or not diagnostics:
        return diagnostics
    places = moved(before.source.text, now.source.text)
    path = now.source.path

    def place(location: Location) -> Location | None:
        if location.path != path:
            return location
        span: Span | None = places(location.span)
        return None if span is None else Location(path, span)

    kept = []
    for each in diagnostics:
        location = place(each.location)
        if location is None:
            continue
        related = tuple(
            replace(other, location=there) for other in each.related if (there := place(other.location)) is not None
        )
        kept.append(replace(each, location=location, related=related))
    return tuple(kept)
