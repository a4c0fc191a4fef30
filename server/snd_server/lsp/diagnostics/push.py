"""Diagnostics for clients that do not ask: mistakes of syntax at once, the rest when typing pauses."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from lsprotocol import types
from msgspec import Struct
from msgspec.structs import replace

from snd_analysis.base import Diagnostic
from snd_analysis.workspace import Snapshot
from snd_server.lsp.diagnostics.diagnostics import converted, found, pulls, reported
from snd_server.lsp.session.analysis_thread import Interrupted, Question, Urgency
from snd_server.lsp.session.documents import Document
from snd_server.lsp.session.moved import moved_diagnostics
from snd_server.lsp.session.session import UnknownDocument

if TYPE_CHECKING:
    from snd_server.lsp.server import SndServer

# Pause in typing before more than the syntax is checked.
_PAUSE_SECONDS = 0.15


class _Shown(Struct, frozen=True):
    """The diagnostics of a version of a document that the client shows."""

    document: Document
    syntax: tuple[Diagnostic, ...]
    rest: tuple[Diagnostic, ...]
    items: list[types.Diagnostic]
    published: int | None = None
    """The version in the last notification to the client."""


class Publisher:
    """Publisher of the diagnostics of open documents, each time for their newest version."""

    def __init__(self, server: SndServer) -> None:
        self._server = server
        self._shown: dict[str, _Shown] = {}
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._others: asyncio.Task[None] | None = None

    def changed(self, document: Document) -> None:
        """Note that a document was opened or edited."""
        if pulls(self._server.session):
            return
        path = document.source.path
        self._cancel(path)
        self._tasks[path] = self._server.begin(self._follow(document))

    def closed(self, document: Document) -> None:
        """Remove the diagnostics of a closed document."""
        if pulls(self._server.session):
            return
        self._cancel(document.source.path)
        self._shown.pop(document.source.path, None)
        self._server.text_document_publish_diagnostics(types.PublishDiagnosticsParams(document.uri, []))

    def others(self) -> None:
        """Anything may have changed for open documents."""
        if self._others is not None and not self._others.done():
            self._others.cancel()
        self._others = self._server.begin(self._all())

    def _cancel(self, path: str) -> None:
        task = self._tasks.pop(path, None)
        if task is not None and not task.done():
            task.cancel()

    async def _follow(self, document: Document) -> None:
        await self._publish(document, whole=False)
        await asyncio.sleep(_PAUSE_SECONDS)
        await self._publish(document, whole=True)

    async def _all(self) -> None:
        await asyncio.sleep(_PAUSE_SECONDS)
        for document in self._server.session.documents:
            if self._server.session.documents.get(document.source.path) is document:
                await self._publish(document, whole=True)

    async def _publish(self, document: Document, whole: bool) -> None:
        server, path = self._server, document.source.path
        before = self._shown.get(path)

        def look(snapshot: Snapshot, question: Question) -> _Shown:
            problems = snapshot.as_diagnostics(path, snapshot.whole_tree(path).problems)
            syntax = reported(server.session, snapshot, path, problems)
            rest: tuple[Diagnostic, ...] = ()
            if whole:
                known = {(each.rule, each.location) for each in syntax}
                rest = tuple(each for each in found(server, snapshot, path) if (each.rule, each.location) not in known)
            elif before is not None:
                rest = moved_diagnostics(before.rest, before.document, document)
            order = sorted((*syntax, *rest), key=lambda each: each.location.span)
            return _Shown(document, syntax, rest, converted(server.session, snapshot, order))

        try:
            now = await server.session.ask(path, look, urgency=Urgency.BACKGROUND, if_unchanged=True)
        except (Interrupted, UnknownDocument):
            return
        latest = self._shown.get(path)
        outdated = server.session.documents.get(path) is not document
        if outdated or (not whole and latest is not None and latest.document is document):
            return
        if _needless(latest, now, whole):
            if latest is not None and not whole:
                self._shown[path] = replace(now, items=latest.items, published=latest.published)
            return
        self._shown[path] = replace(now, published=document.version)
        server.text_document_publish_diagnostics(
            types.PublishDiagnosticsParams(document.uri, now.items, document.version)
        )


def _needless(before: _Shown | None, now: _Shown, whole: bool) -> bool:
    if before is None:
        return not whole and not now.syntax
    if whole:
        return before.published == now.document.version and before.items == now.items
    # Clients move displayed diagnostics along with the text, except in the edited part.
    known = moved_diagnostics(before.syntax, before.document, now.document)
    return now.syntax == known and len(known) == len(before.syntax)
