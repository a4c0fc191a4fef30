"""Queries of editors about the files of a language: the interface that each language implements."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence, Set
from typing import Any

from msgspec import Struct

from snd_analysis.base import Diagnostic, Edit, Span
from snd_analysis.ide.actions.action import Action
from snd_analysis.ide.completion.item import Completions
from snd_analysis.ide.evaluation import GraphTensors, KnownGraph, TensorName
from snd_analysis.ide.hover import Hover
from snd_analysis.ide.inlay_hints import HintKind, InlayHint
from snd_analysis.ide.markdown import Examples
from snd_analysis.ide.mentions import Occurrence
from snd_analysis.ide.navigation.definition import Link
from snd_analysis.ide.navigation.document_symbols import DocumentSymbol
from snd_analysis.ide.navigation.folding import DocumentLink, FoldableRange
from snd_analysis.ide.proofs import Provable
from snd_analysis.ide.rename import RenameRefused, Renaming
from snd_analysis.ide.semantic_tokens import TokenGroup
from snd_analysis.ide.signature_help import SignatureHelp
from snd_analysis.workspace import Snapshot


def _empty(*_: Any) -> tuple[()]:
    return ()


def _none(*_: Any) -> None:
    return None


def _no_text(*_: Any) -> str:
    return ""


def _no_completions(snapshot: Snapshot, path: str, offset: int, *_: Any) -> Completions:
    return Completions(Span(offset, offset), Span(offset, offset))


def _no_rename(*_: Any) -> Any:
    raise RenameRefused("there is no name here that could be changed")


class FrontEnd(Struct, frozen=True):
    """The answers of a language: functions of a snapshot, a path, and further arguments.

    Omitted functions have an empty answer. Offsets are code points. Features that need nothing else of a language
    (references, highlights, folds, selections) are written once, in ``generic``.
    """

    # ---- the text ----------------------------------------------------------------------------------------------------
    comments: Callable[[Snapshot, str], Sequence[Span]] = _empty
    """Every comment, without its line break."""
    foldable: Callable[[Snapshot, str], Iterable[FoldableRange]] = _empty
    """Foldable spans besides comments, on one line or more."""
    around: Callable[[Snapshot, str, int], Iterable[Span]] = _empty
    """The nodes around an offset, from the outermost one to the word."""
    outline: Callable[[Snapshot, str], Sequence[DocumentSymbol]] = _empty
    tokens: Callable[[Snapshot, str, Span | None], Sequence[TokenGroup]] = _empty
    """The tokens in a part of the file, in order and without overlaps, by chunks."""
    format: Callable[[Snapshot, str, int, Span | None], Sequence[Edit]] = _empty
    """Edits by the formatter, for lines of a width, in the file or a part of it."""
    format_typed: Callable[[Snapshot, str, int, int], Sequence[Edit]] = _empty
    """Edits by the formatter, for lines of a width, in the construct that ends at an offset."""

    # ---- names -------------------------------------------------------------------------------------------------------
    links: Callable[[Snapshot, str], Sequence[DocumentLink]] = _empty
    definition: Callable[[Snapshot, str, int], Link | None] = _none
    type_definition: Callable[[Snapshot, str, int], Link | None] = _none
    implementation: Callable[[Snapshot, str, int], Sequence[Link]] = _empty
    occurrences: Callable[[Snapshot, str, int, Iterable[str] | None], Iterable[Occurrence]] = _empty
    """Places that name the subject at an offset: in these files, this file, and its own file.

    Only in this file for None.
    """
    prepare_rename: Callable[[Snapshot, str, int], tuple[Span, str]] = _no_rename
    rename: Callable[[Snapshot, str, int, str, Iterable[str]], Renaming] = _no_rename

    # ---- explanations and help ---------------------------------------------------------------------------------------
    hover: Callable[[Snapshot, str, int, Examples | None], Hover | None] = _none
    signature_help: Callable[[Snapshot, str, int], SignatureHelp | None] = _none
    completions: Callable[[Snapshot, str, int, bool, Sequence[str]], Completions] = _no_completions
    """Completions at an offset; True for snippets, and the files that may be modules to import."""
    documentation: Callable[[Snapshot, tuple[str, ...], str], str] = _no_text
    """Documentation of the subject of a completion in a file, as Markdown."""
    inlay_hints: Callable[[Snapshot, str, Span | None, Set[HintKind]], Sequence[InlayHint]] = _empty
    actions: Callable[
        [Snapshot, str, Span, Sequence[str], Sequence[Diagnostic] | None, Sequence[str], Collection[str]],
        Sequence[Action],
    ] = _empty
    """See ``snd_analysis.ide.actions.actions``."""

    # ---- proofs ------------------------------------------------------------------------------------------------------
    provable: Callable[[Snapshot, str, Span | None], Iterable[Provable]] = _empty
    """The operators in a part of the file that something can be proved of for all sizes."""

    # ---- values ------------------------------------------------------------------------------------------------------
    tensor_at: Callable[[Snapshot, str, GraphTensors, int], tuple[Span, TensorName] | None] = _none
    """The tensor of a graph that is named at an offset."""
    tensor_statements: Callable[
        [Snapshot, str, KnownGraph, Span], Iterable[tuple[Span, int | None, tuple[TensorName, ...]]]
    ] = _empty
    """The statements of a graph in a part of the file: their spans, the offsets of their hints, their tensors."""
    stored_path: Callable[[Snapshot, str, int], str | None] = _none
    """The tensor file of the variable that is named at an offset."""
