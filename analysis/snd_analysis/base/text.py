r"""A text, its lines, and the spans within it.

Positions are code-point offsets, counted from 0. Lines and columns exist only for people.
A line ends at ``\n``, ``\r\n`` or ``\r`` and nowhere else: a form feed or U+2028 does not break a line.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable
from functools import cached_property
from itertools import accumulate, count
from operator import add

from msgspec import Struct

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
