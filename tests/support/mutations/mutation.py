"""What a mutation of a program is, and what must come of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from snd_analysis.base import Span


class Verdict(StrEnum):
    """What the text of the mutated definition says by itself, without a graph that invokes it."""

    MUST = "must"
    """It is illegal: an error has to be reported."""
    MAY = "may"
    """It may be legal, or be found by composing with concrete values only."""
    LEGAL = "legal"
    """It means the same, or something else that is right: no error may be reported."""


@dataclass(frozen=True, slots=True)
class Change:
    """Replacement of a span of the original text."""

    span: Span
    text: str


@dataclass(frozen=True, slots=True)
class Mutation:
    """One way to break a definition. ``changes`` do not overlap and count from the start of the file."""

    kind: str
    verdict: Verdict
    changes: tuple[Change, ...]
    places: int = 1
    """How many independent places of the definition break by it."""

    def apply(self, text: str) -> str:
        """The mutated text."""
        for change in sorted(self.changes, key=lambda change: change.span, reverse=True):
            text = text[: change.span.start] + change.text + text[change.span.end :]
        return text


def mutation(kind: str, verdict: Verdict, *changes: tuple[Span, str], places: int = 1) -> Mutation:
    """A mutation by its changes, each a span and its new text."""
    return Mutation(kind, verdict, tuple(Change(span, text) for span, text in changes), places)


def without(spans: Sequence[Span], at: int) -> tuple[Span, str]:
    """The change that takes one item out of a comma list of at least two."""
    if at + 1 < len(spans):
        return Span(spans[at].start, spans[at + 1].start), ""
    return Span(spans[at - 1].end, spans[at].end), ""
