"""Formatting of documents, ranges, and what was just typed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from snd_analysis.base import Edit, Source
from snd_analysis.ide import front_end
from snd_analysis.workspace import Snapshot
from snd_server.lsp import types
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


async def _whole(server: SndServer, params: types.TextDocumentParams) -> list[types.TextEdit]:
    path = path_of(params.text_document.uri)

    def answer(snapshot: Snapshot, question: Question) -> list[types.TextEdit]:
        source = snapshot.source(path)
        return _converted(server, source, front_end(path).format(snapshot, path, server.session.line_width(path), None))

    return await server.session.ask(path, answer)


async def _range(server: SndServer, params: types.DocumentRangeFormattingParams) -> list[types.TextEdit]:
    path = path_of(params.text_document.uri)

    def answer(snapshot: Snapshot, question: Question) -> list[types.TextEdit]:
        source = snapshot.source(path)
        span = server.session.converter.span(source, params.range)
        return _converted(server, source, front_end(path).format(snapshot, path, server.session.line_width(path), span))

    return await server.session.ask(path, answer)


async def _typed(server: SndServer, params: types.TextDocumentPositionParams) -> list[types.TextEdit]:
    path = path_of(params.text_document.uri)

    def answer(snapshot: Snapshot, question: Question) -> list[types.TextEdit]:
        source = snapshot.source(path)
        offset = server.session.converter.offset(source, params.position)
        return _converted(
            server, source, front_end(path).format_typed(snapshot, path, server.session.line_width(path), offset)
        )

    return await server.session.ask(path, answer)


def _converted(server: SndServer, source: Source, edits: Sequence[Edit]) -> list[types.TextEdit]:
    return [types.TextEdit(server.session.converter.range(source, edit.span), edit.text) for edit in edits]
