"""The changes of a fix, as a small diff."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct

from snd_analysis.base import Fix, Location, Source, TextEdit
from snd_server.checking.fixing import apply_fixes
from snd_server.limits import MOST_PREVIEW_LINES
from snd_server.render.reports.frame import SourceFrame


class _Hunk(Struct, frozen=True):
    """Lines ``first`` to ``last`` of the old text, and the edits that change them."""

    first: int
    last: int
    fix: Fix


def draw_fix(fix: Fix, source: Source, frame: SourceFrame) -> Iterator[str]:
    """Yield the lines that the fix removes and adds in ``source``; its edits elsewhere are not shown."""
    if not source.text:
        return
    yield frame.line("", "")
    for hunk in _hunks(fix, source):
        removed, added = _change(hunk, source)
        same = _common_start(removed, added)
        tail = _common_start(removed[same:][::-1], added[same:][::-1])
        removed, added = removed[same : len(removed) - tail], added[same : len(added) - tail]
        focus = _common_start(removed[0], added[0]) if removed and added else 0
        for lines, sign, style in ((removed, "-", "red"), (added, "+", "green")):
            for offset, line in enumerate(lines[:MOST_PREVIEW_LINES]):
                text = "".join(frame.clipped(line, focus, focus))
                yield frame.line(str(hunk.first + same + offset), text, sign, style)
            if len(lines) > MOST_PREVIEW_LINES:
                yield frame.paint("bold blue", "...")
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
    old = source.text[start:end]
    edits = tuple(
        TextEdit(Location(edit.location.path, edit.location.span.shifted(-start)), edit.text) for edit in hunk.fix.edits
    )
    return _lines(old), _lines(apply_fixes(old, [Fix(hunk.fix.title, edits)]))


def _lines(text: str) -> list[str]:
    source = Source("", text)
    lines = [source.line_text(number) for number in range(1, len(source.line_starts) + 1)]
    return lines if lines[-1] else lines[:-1]


def _common_start(left: Sequence[str], right: Sequence[str]) -> int:
    pairs = zip(left, right, strict=False)
    return next((index for index, (one, other) in enumerate(pairs) if one != other), min(len(left), len(right)))
