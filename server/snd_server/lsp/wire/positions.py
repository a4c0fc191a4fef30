"""Conversion between positions of the protocol and ours (invariant 11): units of an encoding and code points."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable

from lsprotocol import types

from snd_analysis.base import Source, Span


class Converter:
    """Positions in the encoding that was agreed with the client."""

    def __init__(self, encoding: types.PositionEncodingKind) -> None:
        self.encoding = encoding

    def offset(self, source: Source, position: types.Position) -> int:
        """Return the offset of a position; one after the end of its line, or of the text, is moved to that end."""
        starts = source.line_starts
        if position.line >= len(starts):
            return len(source.text)
        line = source.line_text(position.line + 1)
        return starts[position.line] + self._code_points(line, position.character)

    def position(self, source: Source, offset: int) -> types.Position:
        """Return the position of an offset; offsets outside of the text are moved to its nearest end."""
        offset = max(0, min(offset, len(source.text)))
        line = bisect_right(source.line_starts, offset) - 1
        before = source.text[source.line_starts[line] : offset]
        return types.Position(line, self._units(before))

    def range(self, source: Source, span: Span) -> types.Range:
        """Return the range of a span."""
        return types.Range(self.position(source, span.start), self.position(source, span.end))

    def span(self, source: Source, range_: types.Range) -> Span:
        """Return the span of a range; one that ends before it begins is turned round."""
        start, end = self.offset(source, range_.start), self.offset(source, range_.end)
        return Span(min(start, end), max(start, end))

    def columns(self, source: Source) -> Callable[[int, int], int]:
        """Return a function that tells where on a line, counted from 0, an offset is: for many offsets of one text."""
        text, starts = source.text, source.line_starts
        if text.isascii():
            return lambda line, offset: offset - starts[line]
        return lambda line, offset: self._units(text[starts[line] : offset])

    def length(self, text: str) -> int:
        """Return the length of a text within a line, in units."""
        return self._units(text)

    def _units(self, text: str) -> int:
        if text.isascii() or self.encoding is types.PositionEncodingKind.Utf32:
            return len(text)
        if self.encoding is types.PositionEncodingKind.Utf8:
            return len(text.encode(errors="surrogatepass"))
        return len(text) + sum(character > "\uffff" for character in text)

    def _code_points(self, line: str, units: int) -> int:
        """Return the number of whole characters in the first ``units`` units of ``line``."""
        if units <= 0:
            return 0
        if line.isascii() or self.encoding is types.PositionEncodingKind.Utf32:
            return min(units, len(line))
        taken = 0
        for count, character in enumerate(line):
            taken += self._units(character)
            if taken > units:
                return count
        return len(line)
