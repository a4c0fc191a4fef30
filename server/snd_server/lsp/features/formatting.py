"""Formatting of documents, ranges, and just typed text."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from lsprotocol import types

from snd_analysis.base import Edit
from snd_analysis.ide import front_end
from snd_analysis.workspace import Snapshot
from snd_server.lsp.session.analysis_thread import Question
from snd_server.lsp.session.session import ClientSession
from snd_server.lsp.wire.uris import path_of

if TYPE_CHECKING:
    from snd_server.lsp.server import SndServer


def register(server: SndServer) -> None:
    """Register the handlers of this module."""
    server.answer(types.TEXT_DOCUMENT_FORMATTING, _whole)
    server.answer(types.TEXT_DOCUMENT_RANGE_FORMATTING, _range)
    on_type = types.DocumentOnTypeFormattingOptions(first_trigger_character=";", more_trigger_character=["}"])
    server.answer(types.TEXT_DOCUMENT_ON_TYPE_FORMATTING, _typed, on_type)


async def _whole(session: ClientSession, params: types.DocumentFormattingParams) -> list[types.TextEdit]:
    return await _edits(
        session, params.text_document, lambda snapshot, path, width: front_end(path).format(snapshot, path, width, None)
    )


async def _range(session: ClientSession, params: types.DocumentRangeFormattingParams) -> list[types.TextEdit]:
    def edits(snapshot: Snapshot, path: str, width: int) -> Sequence[Edit]:
        span = session.converter.span(snapshot.source(path), params.range)
        return front_end(path).format(snapshot, path, width, span)

    return await _edits(session, params.text_document, edits)


async def _typed(session: ClientSession, params: types.TextDocumentPositionParams) -> list[types.TextEdit]:
    def edits(snapshot: Snapshot, path: str, width: int) -> Sequence[Edit]:
        offset = session.converter.offset(snapshot.source(path), params.position)
        return front_end(path).format_typed(snapshot, path, width, offset)

    return await _edits(session, params.text_document, edits)


async def _edits(
    session: ClientSession,
    document: types.TextDocumentIdentifier,
    edits: Callable[[Snapshot, str, int], Sequence[Edit]],
) -> list[types.TextEdit]:
    path = path_of(document.uri)

    def answer(snapshot: Snapshot, question: Question) -> list[types.TextEdit]:
        source, converter = snapshot.source(path), session.converter
        found = edits(snapshot, path, session.line_width(path))
        return [types.TextEdit(converter.range(source, edit.span), edit.text) for edit in found]

    return await session.ask(path, answer)
