r"""A text, its lines, and the spans within it.

Positions are code-point offsets, counted from 0. Lines and columns exist only for people.
A line ends at ``\n``, ``\r\n`` or ``\r`` and nowhere else: a form feed or U+2028 does not break a line.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator
from functools import cached_property
from itertools import accumulate, count, takewhile
from operator import add, eq

from msgspec import Struct

from snd_analysis.base.limits import MOST_COMPARED_LINES

BYTE_ORDER_MARK = "\ufeff"
"""A file may begin with this character, which the parser skips. No edit inserts text before it."""
_LINE_BREAK = re.compile(r"\r\n|\n|\r")


class Span(Struct, frozen=True, order=True):
    """A half-open range of code-point offsets: ``start`` is the first character, ``end`` the one after the last."""

    start: int
    end: int

    def shifted(self, distance: int) -> Span:
        """Return the same span for a text that has ``distance`` more characters before it. ``HEAD`` does not move."""
        return self if self.start < 0 else Span(self.start + distance, self.end + distance)


HEAD = Span(-1, -1)
"""The head of a file: where another import would stand. Resolved when the file is known."""


class Position(Struct, frozen=True):
    """A place for people: ``line`` and ``column`` count from 1, columns in code points."""

    line: int
    column: int


class Source(Struct, frozen=True, dict=True):
    """The text of one file, with its line starts. An edit makes a new object."""

    path: str
    text: str

    @cached_property
    def line_starts(self) -> tuple[int, ...]:
        """Return the offset of the first character of each line."""
        if "\r" in self.text:
            return (0, *(match.end() for match in _LINE_BREAK.finditer(self.text)))
        breaks = accumulate(map(len, self.text.split("\n")[:-1]))  # many times faster
        return (0, *map(add, breaks, count(1)))

    def position(self, offset: int) -> Position:
        """Return the line and column of an offset. An offset outside the text is moved to the nearest end."""
        offset = max(0, min(offset, len(self.text)))
        line = bisect_right(self.line_starts, offset)
        return Position(line, offset - self.line_starts[line - 1] + 1)

    def offset(self, position: Position) -> int:
        """Return the offset of a line and column. A column after the end of its line is moved to that end."""
        if position.line > len(self.line_starts):
            return len(self.text)
        start = self.line_starts[max(position.line, 1) - 1]
        return min(start + max(position.column, 1) - 1, start + len(self.line_text(max(position.line, 1))))

    def line_text(self, line: int) -> str:
        """Return the text of a line, counted from 1, without its line break. Return "" if there is no such line."""
        if not 1 <= line <= len(self.line_starts):
            return ""
        start = self.line_starts[line - 1]
        end = self.line_starts[line] if line < len(self.line_starts) else len(self.text)
        return self.text[start:end].rstrip("\r\n")  # a line has one line break, at its end


class Edit(Struct, frozen=True):
    """The replacement of ``span`` by ``text``."""

    span: Span
    text: str

    def apply(self, text: str) -> str:
        """Return ``text`` after the edit."""
        return text[: self.span.start] + self.text + text[self.span.end :]


def edit_between(before: str, after: str) -> Edit:
    """Return the single edit that turns one text into another: the part between their common start and end."""
    most = min(len(before), len(after))
    start = _halved(most, lambda low, high: before[low:high] == after[low:high])
    one, other = len(before), len(after)
    end = _halved(most - start, lambda low, high: before[one - high : one - low] == after[other - high : other - low])
    return Edit(Span(start, one - end), after[start : other - end])


def _halved(most: int, alike: Callable[[int, int], bool]) -> int:
    """Return how far texts are alike, found by halving: comparing slices is quicker than characters."""
    low, high = 0, most
    while low < high:
        middle = (low + high + 1) // 2
        if alike(low, middle):
            low = middle
        else:
            high = middle - 1
    return low


# ---- the difference of two texts as edits: as few lines as differ, so that cursors and marks of editors stay ---------
_LINE = re.compile(r"[^\r\n]*(?:\r\n|\n|\r)|[^\r\n]+\Z")


def line_edits(before: str, after: str, span: Span | None = None) -> list[Edit]:
    """Return the edits that turn one text into another, in order of places; with ``span``, only those in its lines."""
    edits = _all_edits(before, after)
    return [edit for edit in edits if span is None or (edit.span.start <= span.end and span.start < edit.span.end)]


def _all_edits(before: str, after: str) -> Iterator[Edit]:
    from difflib import SequenceMatcher  # few commands need it

    old, new = _LINE.findall(before), _LINE.findall(after)
    alike = sum(1 for _ in takewhile(bool, map(eq, reversed(old), reversed(new))))
    old, new = old[: len(old) - alike], new[: len(new) - alike]
    starts = [0]
    for line in old:
        starts.append(starts[-1] + len(line))
    # In very long files, frequent lines such as `}` don't count as alike.
    matcher = SequenceMatcher(None, old, new, autojunk=len(old) > MOST_COMPARED_LINES)
    for kind, first, last, new_first, new_last in matcher.get_opcodes():
        if kind == "equal":
            continue
        if last - first == new_last - new_first:
            for at, line in zip(range(first, last), new[new_first:new_last], strict=True):
                if line != old[at]:
                    yield Edit(Span(starts[at], starts[at + 1]), line)
        else:
            yield Edit(Span(starts[first], starts[last]), "".join(new[new_first:new_last]))


# ---- words that messages of all packages have in common --------------------------------------------------------------
def counted(number: object, noun: str) -> str:
    """Return ``1 result``, ``2 results`` or, of a symbolic number, ``k results``."""
    return f"{number} {noun}" if str(number) == "1" else f"{number} {noun}s"
