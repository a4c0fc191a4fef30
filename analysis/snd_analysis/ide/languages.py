"""The language of a file."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib import import_module
from posixpath import splitext
from typing import Final

from snd_analysis.base import Location, Source, Span
from snd_analysis.ide.language_features import FrontEnd
from snd_analysis.ide.mentions import Occurrence
from snd_analysis.ide.navigation.folding import FoldableRange, FoldKind
from snd_analysis.ide.skriptnd import SKRIPTND
from snd_analysis.skriptnd.names import Role
from snd_analysis.workspace import Snapshot

_OTHERS: Final[Mapping[str, str]] = {
    ".nnef": "snd_analysis.ide.nnef1.front_end",
    ".quant": "snd_analysis.ide.nnef1.quantization",
}
"""Modules with a ``FRONT_END``, by suffixes of files. A session without such files does not load them."""


def front_end(path: str) -> FrontEnd:
    """Return the front end for a file, by its name. Documents without a suffix are SkriptND."""
    module = _OTHERS.get(splitext(path)[1])
    if module is None:
        return SKRIPTND
    found: FrontEnd = import_module(module).FRONT_END
    return found


# ---- features common to all languages: references, folds, selections -------------------------------------------------
def references(
    snapshot: Snapshot, path: str, offset: int, paths: Iterable[str], with_declaration: bool = True
) -> list[Location]:
    """Return every place that names the subject at an offset: in ``paths``, in the file itself, and in its own file."""
    found = front_end(path).occurrences(snapshot, path, offset, paths)
    return sorted({each.location for each in found if with_declaration or each.role is not Role.DECLARATION})


def highlights(snapshot: Snapshot, path: str, offset: int) -> list[Occurrence]:
    """Return the same in this file alone, with the role at each place: declaration, read or write."""
    places = {each.location: each for each in front_end(path).occurrences(snapshot, path, offset, None)}
    return [places[location] for location in sorted(places)]


def selections(snapshot: Snapshot, path: str, offset: int) -> list[Span]:
    """Return nested spans: the word, the expressions and statements around it, block, definition, file."""
    nested = [Span(0, len(snapshot.source(path).text))]
    for span in front_end(path).around(snapshot, path, offset):
        if nested[-1].start <= span.start and span.end <= nested[-1].end and span != nested[-1]:
            nested.append(span)
    return nested[::-1]


def folds(snapshot: Snapshot, path: str) -> list[FoldableRange]:
    """Return everything of more than one line, in order of its places."""
    source, language = snapshot.source(path), front_end(path)
    found = [*language.foldable(snapshot, path), *_comments(language.comments(snapshot, path), source)]
    several = [each for each in found if _line(source, each.span.start) < _line(source, each.span.end)]
    return sorted(several, key=lambda each: (each.span.start, -each.span.end))


def _comments(comments: Sequence[Span], source: Source) -> Iterator[FoldableRange]:
    """Yield folds of comments on neighbouring lines."""
    begin: Span | None = None
    last = Span(0, 0)
    for comment in comments:
        alone = not source.text[source.line_starts[_line(source, comment.start)] : comment.start].strip()
        follows = begin is not None and alone and _line(source, comment.start) == _line(source, last.start) + 1
        if not follows:
            if begin is not None:
                yield FoldableRange(Span(begin.start, last.end), FoldKind.COMMENT)
            begin = comment if alone else None
        last = comment
    if begin is not None:
        yield FoldableRange(Span(begin.start, last.end), FoldKind.COMMENT)


def _line(source: Source, offset: int) -> int:
    return source.position(offset).line - 1
