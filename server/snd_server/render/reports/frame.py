"""Code frames: the lines of a place, numbered, with a mark under the place."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct

from snd_analysis.base import Source, Span
from snd_server.console.colours import Paint
from snd_server.console.visible import visible, width
from snd_server.limits import MOST_FRAME_LINES

_NARROWEST = 20
_ELLIPSIS = "…"
_CHARACTERS_IN_COLUMN = 16
"""Maximum number of characters in one column: a letter with accents."""


class Label(Struct, frozen=True):
    """A place in a frame, with its mark and the text beside the mark."""

    span: Span
    mark: str
    style: str
    text: str = ""


class SourceFrame(Struct, frozen=True):
    """Layout of frames: ``gutter`` columns for line numbers, at most ``width`` columns in all."""

    paint: Paint
    gutter: int
    width: int

    def draw(self, source: Source, labels: Sequence[Label]) -> Iterator[str]:
        """Yield the lines of all labels between two empty ones, each line once, with the marks of its labels below.

        Of a label with many lines the first two and the last are shown.
        """
        if not source.text:
            return
        yield self.line("", "")
        shown = sorted({number for label in labels for number in shown_lines(source, label.span)})
        for number, before in zip(shown, [None, *shown], strict=False):
            if before is not None and number > before + 1:
                yield self.paint("bold blue", "...")
            marked = [label for label in labels if number in shown_lines(source, label.span)]
            yield from self._marked(source, number, marked)
        yield self.line("", "")

    def fits(self, source: Source, labels: Sequence[Label]) -> bool:
        """Return whether there is room for all labels in each line that they share."""
        for number in {number for label in labels for number in shown_lines(source, label.span)}:
            marked = [label for label in labels if number in shown_lines(source, label.span)]
            start, end = _around(source, marked, number)
            text = source.line_text(number)
            if len(marked) > 1 and width(visible(text)) > self._room < 2 * width(visible(text[start:end])):
                return False
        return True

    @property
    def _room(self) -> int:
        return max(_NARROWEST, self.width - self.gutter - 4)

    def line(self, number: str, text: str, sign: str = "|", style: str = "") -> str:
        """Return one line with its number in the gutter."""
        head = self.paint("bold blue", f"{number:>{self.gutter}} {sign}")
        return f"{head} {self.paint(style, text)}" if text else head

    def clipped(self, text: str, start: int = 0, end: int = 0) -> tuple[str, str, str]:
        """Return the visible parts of a line before, within and after ``start`` to ``end``, as wide as possible."""
        room = self._room
        most = _CHARACTERS_IN_COLUMN * room  # of a line of a million characters, nobody looks at the rest
        before = visible(text[max(0, start - most) : start])
        within, after = visible(text[start : min(end, start + most)]), visible(text[end : end + most])
        if width(before) + width(within) + width(after) <= room:
            return before, within, after
        before = _shortened(before[::-1], max(room // 3, room - width(within) - width(after)))[::-1]
        within = _shortened(within, room - width(before))
        return before, within, _shortened(after, room - width(before) - width(within))

    def _marked(self, source: Source, number: int, labels: Sequence[Label]) -> Iterator[str]:
        """Yield a line, and below it the marks of labels.

        Each mark is in a row of its own unless there is room after another mark.
        """
        text = source.line_text(number)
        least, greatest = _around(source, labels, number)
        before, within, after = self.clipped(text, least, greatest)
        yield self.line(str(number), f"{before}{within}{after}")
        row, used = "", 0
        for label in labels:
            start, end = _columns(source, label.span, number)
            first = width(before) + width(visible(text[least:start]))
            length = width(visible(text[start:end])) if len(labels) > 1 else width(within)
            if used > first or used < 0:
                yield self.line("", row)
                row, used = "", 0
            row += " " * (first - used) + self.paint(label.style, label.mark * max(1, length))
            used = first + max(1, length)
            if label.text and number == shown_lines(source, label.span)[-1]:
                row, used = f"{row} {self.paint(label.style, visible(label.text))}", -1
        yield self.line("", row)


def shown_lines(source: Source, span: Span) -> list[int]:
    """Return the numbers of the lines that are shown of a place."""
    begin, end = source.position(span.start), source.position(max(span.start, span.end))
    lines = list(range(begin.line, end.line + 1))
    if len(lines) > 1 and end.column == 1:  # the span ends with a line break: nothing of its last line is meant
        lines.pop()
    return lines if len(lines) <= MOST_FRAME_LINES else [*lines[:2], lines[-1]]


def _columns(source: Source, span: Span, number: int) -> tuple[int, int]:
    """Return where a place begins and ends in one of its lines, from 0."""
    text = source.line_text(number)
    begin, end = source.position(span.start), source.position(max(span.start, span.end))
    first = begin.column - 1 if number == begin.line else len(text) - len(text.lstrip())
    return min(first, len(text)), end.column - 1 if number == end.line else len(text)


def _around(source: Source, labels: Sequence[Label], number: int) -> tuple[int, int]:
    """Return the columns of a line that all labels lie in."""
    columns = [_columns(source, label.span, number) for label in labels]
    return min(start for start, _ in columns), max(end for _, end in columns)


def _shortened(text: str, room: int) -> str:
    if width(text) <= room:
        return text
    if room < 1:
        return ""
    kept, used = 0, 1
    for character in text:
        used += width(character)
        if used > room:
            break
        kept += 1
    return text[:kept] + _ELLIPSIS
