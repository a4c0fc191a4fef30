"""Formatting of documents, ranges, and what was just typed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from lsprotocol import types

from snd_analysis.base import Edit
from snd_analysis.ide import front_end
from snd_analysis.workspace import Snapshot
from snd_server.lsp.analysis_thread import Question
from snd_server.lsp.uris import path_of

if TYPE_CHECKING:
    from snd_server.lsp.server import SndServer


def register(server: SndServer) -> None:
    """Register the handlers of this module."""
    server.handle(types.TEXT_DOCUMENT_FORMATTING, _whole)
    server.handle(types.TEXT_DOCUMENT_RANGE_FORMATTING, _range)
    on_type = types.DocumentOnTypeFormattingOptions(first_trigger_character=";", more_trigger_character=["}"])
    server.handle(types.TEXT_DOCUMENT_ON_TYPE_FORMATTING, _typed, on_type)


async def _whole(server: SndServer, params: types.DocumentFormattingParams) -> list[types.TextEdit]:
    return await _edits(
        server, params.text_document, lambda snapshot, path, width: front_end(path).format(snapshot, path, width, None)
    )


async def _range(server: SndServer, params: types.DocumentRangeFormattingParams) -> list[types.TextEdit]:
    def edits(snapshot: Snapshot, path: str, width: int) -> Sequence[Edit]:
        span = server.session.converter.span(snapshot.source(path), params.range)
        return front_end(path).format(snapshot, path, width, span)

    return await _edits(server, params.text_document, edits)


async def _typed(server: SndServer, params: types.TextDocumentPositionParams) -> list[types.TextEdit]:
    def edits(snapshot: Snapshot, path: str, width: int) -> Sequence[Edit]:
        offset = server.session.converter.offset(snapshot.source(path), params.position)
        return front_end(path).format_typed(snapshot, path, width, offset)

    return await _edits(server, params.text_document, edits)


async def _edits(
    server: SndServer, document: types.TextDocumentIdentifier, edits: Callable[[Snapshot, str, int], Sequence[Edit]]
) -> list[types.TextEdit]:
    path = path_of(document.uri)

    def answer(snapshot: Snapshot, question: Question) -> list[types.TextEdit]:
        source, converter = snapshot.source(path), server.session.converter
        found = edits(snapshot, path, server.session.line_width(path))
        return [types.TextEdit(converter.range(source, edit.span), edit.text) for edit in found]

    return await server.session.ask(path, answer)
