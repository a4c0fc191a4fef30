"""Tells clients that pull when to ask again: if an edit of one document changed what is wrong with another."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from snd_analysis.workspace import Snapshot
from snd_server.lsp.analysis_thread import Question
from snd_server.lsp.diagnostics import converted, found, pulls, result_id
from snd_server.lsp.session import UnknownDocument

if TYPE_CHECKING:
    from snd_server.lsp.server import SndServer

# How long nothing must change before it is looked for what else has changed by that.
_PAUSE_SECONDS = 0.15


class Refresher:
    """Knows what the client was told of each document."""

    def __init__(self, server: SndServer) -> None:
        self._server = server
        self._told: dict[str, tuple[int | None, str]] = {}
        self._waiting: asyncio.Task[None] | None = None
        self._for_certain = False
        """Whether the client is to ask again, however things are."""

    def told(self, path: str, version: int | None, result: str) -> None:
        """The client was told what is wrong with a version of a document."""
        if self._server.session.documents.get(path) is not None:
            self._told[path] = version, result

    def closed(self, path: str) -> None:
        """The client shows nothing of this document any more."""
        self._told.pop(path, None)

    def texts(self) -> None:
        """A text changed, which may matter for others."""
        if not pulls(self._server):
            self._server.publisher.others()
            return
        if self._told and _refreshes(self._server):
            self._restart()

    def everything(self) -> None:
        """Something changed that may matter for any file."""
        self._server.evaluations.changed()
        if not pulls(self._server):
            self._server.publisher.others()
        elif _refreshes(self._server):
            self._for_certain = True
            self._restart()

    def _restart(self) -> None:
        if self._waiting is not None and not self._waiting.done():
            self._waiting.cancel()
        self._waiting = self._server.begin(self._refresh())

    async def _refresh(self) -> None:
        await asyncio.sleep(_PAUSE_SECONDS)
        if self._for_certain or await self._differs():
            self._for_certain = False
            await self._server.workspace_diagnostic_refresh_async(None)

    async def _differs(self) -> bool:
        server = self._server
        for path, (version, before) in list(self._told.items()):
            document = server.session.documents.get(path)
            if document is None or document.version != version:  # the client is going to ask for it anyway
                continue

            def now(snapshot: Snapshot, question: Question, path: str = path) -> str:
                return result_id(converted(server, snapshot, found(server, snapshot, path)))

            try:
                if await server.session.ask(path, now, patient=True) != before:
                    return True
            except UnknownDocument:
                continue
        return False


def _refreshes(server: SndServer) -> bool:
    workspace = server.client_capabilities.workspace
    return bool(workspace and workspace.diagnostics and workspace.diagnostics.refresh_support)
