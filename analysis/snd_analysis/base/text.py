"""A text, its lines, and the spans within it.

Inside the analysis every position is a code-point offset from 0; lines and columns exist only for people.
A line ends at ``\\n``, ``\\r\\n`` or ``\\r`` and nowhere else: a form feed or U+2028 does not break a line.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from functools import cached_property
from itertools import accumulate, count
from operator import add

from msgspec import Struct

BYTE_ORDER_MARK = "\ufeff"
"""What a file may begin with; it is skipped, and nothing may stand before it."""
_LINE_BREAK = re.compile(r"\r\n|\n|\r")


class Span(Struct, frozen=True, order=True):
    """Half-open range of code-point offsets: ``start`` is the first character, ``end`` the one behind the last."""

    start: int
    end: int

    def shifted(self, distance: int) -> Span:
        """The same span in a text that has ``distance`` more characters before it; ``HEAD`` stays where it is."""
        return self if self.start < 0 else Span(self.start + distance, self.end + distance)


HEAD = Span(-1, -1)
"""The head of a file, wherever that is: where a further import would stand."""


class Position(Struct, frozen=True):
    """A place for people: ``line`` and ``column`` count from 1, columns in code points."""

    line: int
    column: int


class Source(Struct, frozen=True, dict=True):
    """The text of one file, with its line starts. Immutable: an edit makes a new one."""

    path: str
    text: str

    @cached_property
    def line_starts(self) -> tuple[int, ...]:
        """The offset of the first character of each line."""
        if "\r" in self.text:
            return (0, *(match.end() for match in _LINE_BREAK.finditer(self.text)))
        breaks = accumulate(map(len, self.text.split("\n")[:-1]))  # many times faster
        return (0, *map(add, breaks, count(1)))

    def position(self, offset: int) -> Position:
        """Line and column of ``offset``; offsets outside the text are moved to its nearest end."""
        offset = max(0, min(offset, len(self.text)))
        line = bisect_right(self.line_starts, offset)
        return Position(line, offset - self.line_starts[line - 1] + 1)

    def offset(self, position: Position) -> int:
        """Offset of a line and column; one behind the end of its line is moved to that end."""
        if position.line > len(self.line_starts):
            return len(self.text)
        start = self.line_starts[max(position.line, 1) - 1]
        return min(start + max(position.column, 1) - 1, start + len(self.line_text(max(position.line, 1))))

    def line_text(self, line: int) -> str:
        """Text of a line, counted from 1, without its line break; empty for a line that does not exist."""
        if not 1 <= line <= len(self.line_starts):
            return ""
        start = self.line_starts[line - 1]
        end = self.line_starts[line] if line < len(self.line_starts) else len(self.text)
        return _LINE_BREAK.sub("", self.text[start:end])


class Edit(Struct, frozen=True):
    """Replacement of ``span`` by ``text``."""

    span: Span
    text: str

    def apply(self, text: str) -> str:
        """The text after the edit."""
        return text[: self.span.start] + self.text + text[self.span.end :]
