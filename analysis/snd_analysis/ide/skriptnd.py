"""SkriptND as editors ask for it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from snd_analysis.base import Edit, Span
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
from snd_analysis.ide.navigation.folding import around, document_links, foldable
from snd_analysis.ide.proofs import provable
from snd_analysis.ide.rename import prepare_rename, rename
from snd_analysis.ide.semantic_tokens import token_groups
from snd_analysis.ide.signature_help import signature_help
from snd_analysis.ide.targets import path_of
from snd_analysis.skriptnd.format import format_edits, format_typed
from snd_analysis.skriptnd.names import ModuleName, ShapeMember, Symbol
from snd_analysis.workspace import Snapshot


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
