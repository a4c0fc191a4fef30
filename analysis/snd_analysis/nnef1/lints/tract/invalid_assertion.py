from __future__ import annotations

from collections.abc import Iterator

from snd_analysis.base import Note, Problem, Rule
from snd_analysis.nnef1.assertions import assertions_of, first_contradictions
from snd_analysis.nnef1.lints.limits import MOST_CONTRADICTED
from snd_analysis.nnef1.syntax import nodes

INVALID_ASSERTION = Rule("invalid-assertion", section="tool")


def check_contradictions(document: nodes.Document) -> Iterator[Problem]:
    """Yield assertions that tract cannot read, and those that no sizes satisfy."""
    found = assertions_of(document.items)
    for each in found:
        if each.condition is None:
            message = "tract does not read this: an assertion compares two sums of symbols by ==, <, >, <= or >="
            yield Problem(INVALID_ASSERTION, each.span, message)
    for each, before in first_contradictions(found):
        if before:
            notes = tuple(Note(other.span, "this is asserted before") for other in before[-MOST_CONTRADICTED:])
            yield Problem(
                INVALID_ASSERTION, each.span, f"'{each.text}' cannot hold with what is asserted before", notes
            )
        else:
            yield Problem(INVALID_ASSERTION, each.span, f"'{each.text}' holds for no sizes")
