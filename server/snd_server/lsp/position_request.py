"""Requests about a position of a document."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol, TypeVar

from lsprotocol import types

from snd_analysis.skriptnd.names import LIBRARY_PREFIX, library_modules
from snd_analysis.workspace import Snapshot
from snd_server.lsp.analysis_thread import Question
from snd_server.lsp.uris import path_of

if TYPE_CHECKING:
    from snd_server.lsp.server import SndServer

_Answer = TypeVar("_Answer")

ANYWHERE = LIBRARY_PREFIX + library_modules()[0]
"""A file that is always there, for questions about no file: seen from it, the first workspace folder decides."""


class AtPosition(Protocol):
    """Parameters of any request about a position."""

    text_document: types.TextDocumentIdentifier
    position: types.Position


async def at_position(
    server: SndServer, params: AtPosition, function: Callable[[Snapshot, str, int], _Answer]
) -> _Answer:
    """Return what ``function`` says of a snapshot, a path and an offset."""
    path = path_of(params.text_document.uri)

    def answer(snapshot: Snapshot, question: Question) -> _Answer:
        return function(snapshot, path, server.session.converter.offset(snapshot.source(path), params.position))

    return await server.session.ask(path, answer)
