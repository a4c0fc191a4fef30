"""Code frames: the lines of a place, numbered, with a mark under what is meant."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from snd_analysis.base import Source, Span
from snd_server.limits import MOST_FRAME_LINES
from snd_server.render.visible import visible, width
from snd_server.report import Paint

_NARROWEST = 20
_ELLIPSIS = "…"


class Frame(Struct, frozen=True):
    """How frames are drawn: ``gutter`` columns for line numbers, at most ``width`` columns in all."""

    paint: Paint
    gutter: int
    width: int

    def draw(self, source: Source, span: Span, mark: str, style: str) -> Iterator[str]:
        """The lines of ``span`` between two empty ones; of many lines the first two and the last."""
        if not source.text:
            return
        yield self.line("", "")
        begin, end = source.position(span.start), source.position(max(span.start, span.end))
        lines = list(range(begin.line, end.line + 1))
        if len(lines) > 1 and end.column == 1:  # the span ends with a line break: nothing of its last line is meant
            lines.pop()
        shown = lines if len(lines) <= MOST_FRAME_LINES else [*lines[:2], 0, lines[-1]]
        for number in shown:
            if number == 0:
                yield self.paint("bold blue", "...")
                continue
            text = source.line_text(number)
            first = begin.column - 1 if number == begin.line else len(text) - len(text.lstrip())
            last = end.column - 1 if number == end.line else len(text)
            yield from self._marked(number, text, min(first, len(text)), last, mark, style)
        yield self.line("", "")

    def line(self, number: str, text: str, sign: str = "|", style: str = "") -> str:
        """One line with its number in the gutter."""
        head = self.paint("bold blue", f"{number:>{self.gutter}} {sign}")
        return f"{head} {self.paint(style, text)}" if text else head

    def clipped(self, text: str, start: int = 0, end: int = 0) -> tuple[str, str, str]:
        """What is visible of a line: before, within and behind ``start`` to ``end``, as wide as there is room."""
        room = max(_NARROWEST, self.width - self.gutter - 4)
        before, within, behind = visible(text[:start]), visible(text[start:end]), visible(text[end:])
        if width(before) + width(within) + width(behind) <= room:
            return before, within, behind
        before = _shortened(before[::-1], max(room // 3, room - width(within) - width(behind)))[::-1]
        within = _shortened(within, room - width(before))
        return before, within, _shortened(behind, room - width(before) - width(within))

    def _marked(self, number: int, text: str, start: int, end: int, mark: str, style: str) -> Iterator[str]:
        before, within, behind = self.clipped(text, start, end)
        yield self.line(str(number), f"{before}{within}{behind}")
        yield self.line("", " " * width(before) + self.paint(style, mark * max(1, width(within))))


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
