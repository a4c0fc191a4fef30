"""What a fix would change, as a small diff."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from snd_analysis.diagnostics import Fix
from snd_analysis.source import Source
from snd_server.fixing import apply_fixes
from snd_server.render.frame import Frame

_MOST_LINES = 10


@dataclass(frozen=True, slots=True)
class _Hunk:
    """Lines ``first`` to ``last`` of the old text, and the edits that change them."""

    first: int
    last: int
    fix: Fix


def draw_fix(fix: Fix, source: Source, frame: Frame) -> Iterator[str]:
    """The lines that the fix removes and adds in ``source``; its edits elsewhere are not shown."""
    if not source.text:
        return
    yield frame.line("", "")
    for hunk in _hunks(fix, source):
        removed, added = _change(hunk, source)
        numbers = range(hunk.first, hunk.last + 1)
        start = next((i for i, pair in enumerate(zip(removed, added, strict=False)) if pair[0] != pair[1]), None)
        start = min(len(removed), len(added)) if start is None else start
        stop = _common_tail(removed[start:], added[start:])
        old = list(zip(numbers, removed, strict=False))[start : len(removed) - stop]
        yield from _capped([frame.line(str(number), _text(frame, line), "-", "red") for number, line in old])
        new = added[start : len(added) - stop]
        yield from _capped(
            [
                frame.line(str(hunk.first + start + index), _text(frame, line), "+", "green")
                for index, line in enumerate(new)
            ]
        )
    yield frame.line("", "")


def _hunks(fix: Fix, source: Source) -> list[_Hunk]:
    hunks: list[_Hunk] = []
    for edit in sorted(fix.edits, key=lambda edit: edit.location.span):
        if edit.location.path != source.path:
            continue
        span = edit.location.span
        first, last = source.position(span.start).line, source.position(span.end).line
        if hunks and first <= hunks[-1].last + 1:
            previous = hunks.pop()
            first, last = previous.first, max(last, previous.last)
            hunks.append(_Hunk(first, last, Fix(fix.title, (*previous.fix.edits, edit))))
        else:
            hunks.append(_Hunk(first, last, Fix(fix.title, (edit,))))
    return hunks


def _change(hunk: _Hunk, source: Source) -> tuple[list[str], list[str]]:
    """Old and new lines of a hunk, without line breaks."""
    start = source.line_starts[hunk.first - 1]
    end = source.line_starts[hunk.last] if hunk.last < len(source.line_starts) else len(source.text)
    after = apply_fixes(source.text, [hunk.fix])
    new = after[start : len(after) - (len(source.text) - end)]
    return _lines(source.text[start:end]), _lines(new)


def _lines(text: str) -> list[str]:
    source = Source("", text)
    lines = [source.line_text(number) for number in range(1, len(source.line_starts) + 1)]
    return lines if lines[-1] else lines[:-1]


def _common_tail(left: Sequence[str], right: Sequence[str]) -> int:
    length = 0
    while length < min(len(left), len(right)) and left[-1 - length] == right[-1 - length]:
        length += 1
    return length


def _text(frame: Frame, line: str) -> str:
    return "".join(frame.clipped(line))


def _capped(lines: list[str]) -> list[str]:
    return lines if len(lines) <= _MOST_LINES else [*lines[: _MOST_LINES - 1], "..."]
