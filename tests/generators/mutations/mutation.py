"""A mutation of a program, and its expected verdict."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from snd_analysis.base import Span


class Verdict(StrEnum):
    """Verdict on the text of the mutated definition by itself, without a graph that invokes it."""

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
    """Number of independent places of the definition that the mutation breaks."""

    def apply(self, text: str) -> str:
        """Return the mutated text."""
        for change in sorted(self.changes, key=lambda change: change.span, reverse=True):
            text = text[: change.span.start] + change.text + text[change.span.end :]
        return text


def mutation(kind: str, verdict: Verdict, *changes: tuple[Span, str], places: int = 1) -> Mutation:
    """Return a mutation by its changes, each a span and its new text."""
    return Mutation(kind, verdict, tuple(Change(span, text) for span, text in changes), places)


def without(spans: Sequence[Span], at: int) -> tuple[Span, str]:
    """Return the change that removes one item from a comma list of at least two."""
    if at + 1 < len(spans):
        return Span(spans[at].start, spans[at + 1].start), ""
    return Span(spans[at - 1].end, spans[at].end), ""
