from __future__ import annotations

import re
from collections.abc import Iterator

from snd_analysis.base import Edit, Note, Problem, Repair, Rule
from snd_analysis.nnef1.assertions import Assertion, assertions_of, first_contradictions
from snd_analysis.nnef1.lints.limits import MOST_CONTRADICTED
from snd_analysis.nnef1.syntax import nodes

INVALID_ASSERTION = Rule("invalid-assertion", section="tool")
_OF_A_SYMBOL = re.compile(r"(?P<scenario>\s*(?:[\w.]+\s*:)?\s*)(?P<symbol>[^\W\d][\w.]*)\s*==\s*(?P<value>.*\S)\s*")
_MULTIPLE = r"(?:\d+\s*\*\s*)?{}"


def check_contradictions(document: nodes.Document) -> Iterator[Problem]:
    """Yield assertions that tract cannot read, and assertions that no sizes satisfy."""
    found = assertions_of(document.items)
    for each in found:
        if each.condition is None:
            message = "tract does not read this: an assertion compares two sums of symbols by ==, <, >, <= or >="
            yield Problem(INVALID_ASSERTION, each.span, message)
        else:
            yield from _endless(each)
    for each, before in first_contradictions(found):
        if before:
            notes = tuple(Note(other.span, "this is asserted before") for other in before[-MOST_CONTRADICTED:])
            yield Problem(
                INVALID_ASSERTION, each.span, f"'{each.text}' cannot hold with what is asserted before", notes
            )
        else:
            yield Problem(INVALID_ASSERTION, each.span, f"'{each.text}' holds for no sizes")


def _endless(assertion: Assertion) -> Iterator[Problem]:
    """Report endless substitution: tract replaces a symbol alone on the left side by the right side, repeatedly."""
    match = _OF_A_SYMBOL.fullmatch(assertion.text)
    if match is None:
        return
    symbol, value = match["symbol"], match["value"]
    name = re.escape(symbol)
    if not re.search(rf"\b{name}\b", value) or re.fullmatch(_MULTIPLE.format(name), value):
        return
    message = f"tract crashes or never ends on this: it replaces '{symbol}' by a text that has '{symbol}'"
    repair = Repair("Exchange the sides", (Edit(assertion.span, f"{match['scenario']}{value} == {symbol}"),))
    yield Problem(INVALID_ASSERTION, assertion.span, message, (), repair)
