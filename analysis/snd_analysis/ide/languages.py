"""The language of a file."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib import import_module
from posixpath import splitext
from typing import Final

from snd_analysis.base import Edit, Location, Source, Span
from snd_analysis.ide.actions import actions
from snd_analysis.ide.completion import completions, documentation
from snd_analysis.ide.cursor import use_at
from snd_analysis.ide.evaluation import GraphTensors, KnownGraph, TensorName
from snd_analysis.ide.hover import hover
from snd_analysis.ide.inlay_hints import inlay_hints, statement_end
from snd_analysis.ide.language_features import FrontEnd
from snd_analysis.ide.mentions import Occurrence, occurrences, subject_at
from snd_analysis.ide.navigation.definition import definition, implementation, type_definition
from snd_analysis.ide.navigation.document_symbols import document_symbols
from snd_analysis.ide.navigation.folding import FoldableRange, FoldKind, around, document_links, foldable
from snd_analysis.ide.proofs import provable
from snd_analysis.ide.rename import prepare_rename, rename
from snd_analysis.ide.semantic_tokens import token_groups
from snd_analysis.ide.signature_help import signature_help
from snd_analysis.ide.targets import path_of
from snd_analysis.skriptnd.format import format_edits, format_typed
from snd_analysis.skriptnd.names import ModuleName, Role, ShapeMember, Symbol
from snd_analysis.workspace import Snapshot


# ---- skriptND as editors ask for it ----------------------------------------------------------------------------------
def _occurrences(snapshot: Snapshot, path: str, offset: int, paths: Iterable[str] | None) -> Iterable[Occurrence]:
    found = subject_at(snapshot, path, offset)
    if found is None:
        return ()
    subject = found[0]
    if paths is None:
        return occurrences(snapshot, subject, (path,))
    own = None if isinstance(subject, ModuleName) else path_of(subject)
    return occurrences(snapshot, subject, (path, *([] if own is None else [own]), *paths))


def _format(snapshot: Snapshot, path: str, width: int, span: Span | None) -> Sequence[Edit]:
    return format_edits(snapshot.tree(path), width, span)


def _format_typed(snapshot: Snapshot, path: str, width: int, offset: int) -> Sequence[Edit]:
    return format_typed(snapshot.tree(path), offset, width)


def _tensor_at(
    snapshot: Snapshot, path: str, tensors: GraphTensors, offset: int
) -> tuple[Span, TensorName] | None:  # fmt: skip
    placed = use_at(snapshot, path, offset)
    target = None if placed is None else placed.use.target
    symbol = target.tensor if isinstance(target, ShapeMember) else target
    name = tensors.named_at(symbol, placed.use.span) if placed is not None and isinstance(symbol, Symbol) else None
    return None if placed is None or name is None else (placed.span, name)


def _tensor_statements(
    snapshot: Snapshot, path: str, graph: KnownGraph, within: Span
) -> Iterable[tuple[Span, int | None, tuple[TensorName, ...]]]:
    text = snapshot.source(path).text
    for statement in graph.tensors.statements_in(within.shifted(-graph.start)):
        span = statement.span.shifted(graph.start)
        yield span, statement_end(text, span.end), statement.tensors


SKRIPTND = FrontEnd(
    comments=Snapshot.comments,
    foldable=foldable,
    around=around,
    outline=document_symbols,
    tokens=token_groups,
    format=_format,
    format_typed=_format_typed,
    links=document_links,
    definition=definition,
    type_definition=type_definition,
    implementation=implementation,
    occurrences=_occurrences,
    prepare_rename=prepare_rename,
    rename=rename,
    hover=hover,
    signature_help=signature_help,
    completions=completions,
    documentation=documentation,
    inlay_hints=inlay_hints,
    actions=actions,
    provable=provable,
    tensor_at=_tensor_at,
    tensor_statements=_tensor_statements,
)


# ---- the language of a file ------------------------------------------------------------------------------------------
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
