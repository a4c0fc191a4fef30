"""Requests about a position of a document."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, TypeVar

from lsprotocol import types

from snd_analysis.skriptnd.names import LIBRARY_PREFIX, library_modules
from snd_analysis.workspace import Snapshot
from snd_server.lsp.session.analysis_thread import Question
from snd_server.lsp.session.session import ClientSession
from snd_server.lsp.wire.uris import path_of

_Answer = TypeVar("_Answer")

ANYWHERE = LIBRARY_PREFIX + library_modules()[0]
"""A file that is always there, for questions about no file: seen from it, the first workspace folder decides."""


class AtPosition(Protocol):
    """Parameters of any request about a position."""

    text_document: types.TextDocumentIdentifier
    position: types.Position


async def at_position(
    session: ClientSession, params: AtPosition, function: Callable[[Snapshot, str, int], _Answer]
) -> _Answer:
    """Return the result of ``function`` for a snapshot, a path and an offset."""
    path = path_of(params.text_document.uri)

    def answer(snapshot: Snapshot, question: Question) -> _Answer:
        return function(snapshot, path, session.converter.offset(snapshot.source(path), params.position))

    return await session.ask(path, answer)
