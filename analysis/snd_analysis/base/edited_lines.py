"""The difference of two texts as edits: as few lines as differ, so that cursors and marks of editors stay."""

from __future__ import annotations

import re
from collections.abc import Iterator
from difflib import SequenceMatcher
from itertools import takewhile
from operator import eq

from snd_analysis.base.limits import MOST_COMPARED_LINES
from snd_analysis.base.text import Edit, Span

_LINE = re.compile(r"[^\r\n]*(?:\r\n|\n|\r)|[^\r\n]+\Z")


def line_edits(before: str, after: str, span: Span | None = None) -> list[Edit]:
    """Return the edits that turn one text into another, in order of places; with ``span``, only those in its lines."""
    edits = _all_edits(before, after)
    return [edit for edit in edits if span is None or (edit.span.start <= span.end and span.start < edit.span.end)]


def _all_edits(before: str, after: str) -> Iterator[Edit]:
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
