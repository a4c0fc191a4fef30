"""NNEF 1.0 as editors ask for it."""

from __future__ import annotations

from collections.abc import Sequence

from snd_analysis.base import Edit, Span
from snd_analysis.ide.language_features import FrontEnd
from snd_analysis.ide.nnef1.actions import actions
from snd_analysis.ide.nnef1.completion import completions
from snd_analysis.ide.nnef1.facts import stored_path
from snd_analysis.ide.nnef1.hints import inlay_hints
from snd_analysis.ide.nnef1.hover import hover
from snd_analysis.ide.nnef1.navigation import (
    around,
    definition,
    foldable,
    implementation,
    links,
    occurrences,
    outline,
    prepare_rename,
    rename,
    type_definition,
)
from snd_analysis.ide.nnef1.operations import documentation
from snd_analysis.ide.nnef1.places import tree_of
from snd_analysis.ide.nnef1.signature_help import signature_help
from snd_analysis.ide.nnef1.tensors import tensor_at, tensor_statements
from snd_analysis.ide.nnef1.tokens import token_groups
from snd_analysis.nnef1.format import format_edits, format_typed
from snd_analysis.workspace import Snapshot


def _format(snapshot: Snapshot, path: str, width: int, span: Span | None) -> Sequence[Edit]:
    return format_edits(tree_of(snapshot, path), width, span)


def _format_typed(snapshot: Snapshot, path: str, width: int, offset: int) -> Sequence[Edit]:
    return format_typed(tree_of(snapshot, path), offset, width)


FRONT_END = FrontEnd(
    comments=Snapshot.comments,
    foldable=foldable,
    around=around,
    outline=outline,
    tokens=token_groups,
    format=_format,
    format_typed=_format_typed,
    links=links,
    definition=definition,
    type_definition=type_definition,
    implementation=implementation,
    occurrences=occurrences,
    prepare_rename=prepare_rename,
    rename=rename,
    hover=hover,
    signature_help=signature_help,
    completions=completions,
    documentation=documentation,
    inlay_hints=inlay_hints,
    actions=actions,
    tensor_at=tensor_at,
    tensor_statements=tensor_statements,
    stored_path=stored_path,
)
