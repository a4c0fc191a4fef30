"""Comments on lines of their own, and the comments that form samples."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import pairwise

from msgspec import Struct

from snd_analysis.base import Span

MARKER = re.compile(r"#[ \t]*>>>(?!>)")
CONTINUATION = re.compile(r"#[ \t]*\.\.\.(?!\.)")
_BETWEEN_LINES = re.compile(r"[ \t]*(?:\r\n|\n|\r)[ \t]*")
_NO_BREAK = re.compile(r"[^\r\n]")


class SampleLines(Struct, frozen=True):
    """The comment lines of a sample: its code, and the lines directly below."""

    code: tuple[Span, ...]
    below: tuple[Span, ...]
    """All further lines of the same comment, up to the next sample."""

    @property
    def span(self) -> Span:
        """Range from the first line to the end of the last line."""
        return Span(self.code[0].start, (*self.code, *self.below)[-1].end)

    def shifted(self, distance: int) -> SampleLines:
        """Return the same lines elsewhere."""
        code, below = (tuple(span.shifted(distance) for span in lines) for lines in (self.code, self.below))
        return SampleLines(code, below)


def sample_lines(text: str, comments: Sequence[Span]) -> Iterator[SampleLines]:
    """Yield the samples in the comments of a text."""
    for block in _blocks(text, comments):
        starts = [at for at, line in enumerate(block) if MARKER.match(text, line.start, line.end)]
        for start, end in pairwise([*starts, len(block)]):
            code = start + 1
            while code < end and CONTINUATION.match(text, block[code].start, block[code].end):
                code += 1
            yield SampleLines(tuple(block[start:code]), tuple(block[code:end]))


def _blocks(text: str, comments: Sequence[Span]) -> Iterator[list[Span]]:
    """Yield comments on lines of their own that follow one another directly."""
    block: list[Span] = []
    for comment in comments:
        if not _is_alone(text, comment):
            continue
        if block and _BETWEEN_LINES.fullmatch(text, block[-1].end, comment.start) is None:
            yield block
            block = []
        block.append(comment)
    if block:
        yield block


def _is_alone(text: str, comment: Span) -> bool:
    before = comment.start
    while before and text[before - 1] in " \t":
        before -= 1
    return before == 0 or text[before - 1] in "\r\n\ufeff"


def code_of(text: str, lines: SampleLines) -> str:
    """Return the code of a sample at its place: a text as long as it needs to be, in which all else is blank."""
    parts = []
    position = 0
    blank = _blank(text)
    for line in lines.code:
        mark = MARKER.match(text, line.start, line.end) or CONTINUATION.match(text, line.start, line.end)
        assert mark is not None
        parts += [blank[position : mark.end()], text[mark.end() : line.end]]
        position = line.end
    return "".join(parts)


@lru_cache(maxsize=1)  # the samples of a chunk are read one after the other
def _blank(text: str) -> str:
    return _NO_BREAK.sub(" ", text)
