"""Reorders, adds and removes items of lists in a text: arguments, attributes and declarations."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from snd_analysis.base import Span
from snd_analysis.ide.refactoring.change import RefactoringError
from snd_analysis.skriptnd.syntax import nodes

_TRAILING_COMMENT = re.compile(r"[ \t]*#[^\r\n]*")


def rebuilt(text: str, items: Sequence[Span], new: Sequence[int | str], separator: str, keep: bool = True) -> str:
    """Return the text of ``items`` with the ``new`` items: numbers of old ones, or texts.

    Separators stay at their positions; ``separator`` is put between further items. Raise RefactoringError if
    ``keep`` is True and a comment in a separator would be lost.
    """
    separators = [text[first.end : second.start] for first, second in pairwise(items)]
    if keep and any("#" in each for each in separators[max(len(new) - 1, 0) :]):
        raise RefactoringError("a comment between the items of a list would be lost")
    parts: list[str] = []
    for slot, item in enumerate(new):
        if slot:
            before = separators[slot - 1] if slot <= len(separators) else separator
            is_commented = "#" in parts[-1].rpartition("\n")[2]
            parts.append(before if not is_commented or "\n" in before else "\n")
        parts.append(item if isinstance(item, str) else text[items[item].start : items[item].end])
    return "".join(parts)


def units_of(text: str, block: nodes.Block, start: int) -> list[Span]:
    """Return the places of the entries of a block, each with the comments above and behind it."""
    spans = [entry.span.shifted(start) for entry in block.entries]
    found: list[Span] = []
    end = 0
    for span in spans:
        first = span.start
        between = text[end : span.start] if found else ""
        if "#" in between:
            first = end + len(between) - len(between.lstrip())
        comment = _TRAILING_COMMENT.match(text, span.end)
        end = comment.end() if comment else span.end
        found.append(Span(first, end))
    return found
