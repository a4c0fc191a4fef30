"""Requests to clients to ask again for data of a document that was not edited.

For diagnostics, when an edit of another document changed them. For colours, hints and lenses, when an edit changed the
interface of a document: the signatures of its definitions. For all, when settings or files changed.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Hashable
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from pygls.exceptions import JsonRpcException

from snd_analysis.skriptnd.syntax import nodes
from snd_analysis.workspace import Snapshot
from snd_server.lsp.diagnostics.diagnostics import asks_again, converted, pulls, result_id
from snd_server.lsp.session.analysis_thread import Question, Urgency
from snd_server.lsp.session.session import UnknownDocument

if TYPE_CHECKING:
    from snd_server.lsp.server import SndServer

# Duration without changes before their effects on other documents are looked for.
_PAUSE_SECONDS = 0.15

_SIGNATURE = frozenset({"dtype", "attrib", "input", "using", "output", "assert"})
"""The blocks of a definition that others know of."""


class Refresher:
    """Record of the data that the client has for each document."""

    def __init__(self, server: SndServer) -> None:
        self._server = server
        self._told: dict[str, tuple[int | None, str]] = {}
        self._waiting: asyncio.Task[None] | None = None
        self._for_certain = False
        """True if the client is to ask again, however things are."""
        self._changed: set[str] = set()
        """The documents edited since the last look at their interfaces."""
        self._offered: dict[str, Hashable] = {}
        """Interfaces of open documents to others at the last look."""
        self._offers_differ = False

    def told(self, path: str, version: int | None, result: str) -> None:
        """Note the result that the client received for a version of a document."""
        if self._server.session.documents.get(path) is not None:
            self._told[path] = version, result

    def closed(self, path: str) -> None:
        """Note that the client shows nothing of this document any more."""
        self._told.pop(path, None)
        self._server.counterexamples.closed(path)

    def texts(self, path: str) -> None:
        """Note that a text changed, which may matter for others."""
        if not pulls(self._server.session):
            self._server.publisher.others()
        self._changed.add(path)
        self._restart()

    def everything(self) -> None:
        """Note a change that may matter for any file."""
        self._server.evaluations.changed()
        self._server.proofs.changed()
        if not pulls(self._server.session):
            self._server.publisher.others()
        self._for_certain = True
        self._restart()

    def _restart(self) -> None:
        if self._waiting is not None and not self._waiting.done():
            self._waiting.cancel()
        self._waiting = self._server.begin(self._refresh())

    async def _refresh(self) -> None:
        await asyncio.sleep(_PAUSE_SECONDS)
        server = self._server
        able: Any = server.client_capabilities.workspace
        if able is None:
            return
        await self._look_at_offers()
        wrong = asks_again(server.session) and (self._for_certain or await self._differs())
        shows = self._for_certain or self._offers_differ
        self._for_certain = self._offers_differ = False
        if server.stopped.is_set():
            return
        if wrong:
            self._ask(server.workspace_diagnostic_refresh_async(None))
        if shows and _can(able.semantic_tokens):
            self._ask(server.workspace_semantic_tokens_refresh_async(None))
        if shows and _can(able.inlay_hint):
            self._ask(server.workspace_inlay_hint_refresh_async(None))
        if shows and _can(able.code_lens):
            self._ask(server.workspace_code_lens_refresh_async(None))

    def _ask(self, request: Awaitable[None]) -> None:
        async def ask() -> None:
            with suppress(JsonRpcException):  # the client may refuse; then its display stays
                await request

        self._server.begin(ask())

    async def _look_at_offers(self) -> None:
        """Note whether edited documents offer something else to the other ones."""
        documents = self._server.session.documents
        for path in list(self._changed):
            offers: Hashable = None

            def now(snapshot: Snapshot, question: Question, path: str = path) -> Hashable:
                return _offers(snapshot, question, path)

            with suppress(UnknownDocument):
                offers = await self._server.session.ask(path, now, urgency=Urgency.BACKGROUND)
            self._changed.discard(path)
            before = self._offered.pop(path, offers)
            if documents.get(path) is not None:
                self._offered[path] = offers
            if before != offers and any(each.source.path != path for each in documents):
                self._offers_differ = True

    async def _differs(self) -> bool:
        server = self._server
        if not pulls(server.session):
            return False
        for path, (version, before) in list(self._told.items()):
            document = server.session.documents.get(path)
            if document is None or document.version != version:  # the client is going to ask for it anyway
                continue

            def now(snapshot: Snapshot, question: Question, path: str = path) -> str:
                return result_id(
                    converted(server.session, snapshot, server.counterexamples.search(server, snapshot, path))
                )

            try:
                if await server.session.ask(path, now, urgency=Urgency.BACKGROUND) != before:
                    return True
            except UnknownDocument:
                continue
        return False


def _offers(snapshot: Snapshot, question: Question, path: str) -> Hashable:
    """Return the definitions of a file as others see them, by their texts."""
    text = snapshot.source(path).text
    return tuple(
        (
            definition.kind,
            definition.public,
            definition.name.text,
            *(
                text[placed.start + block.span.start : placed.start + block.span.end]
                for block in definition.blocks
                if isinstance(block, nodes.Block) and block.kind in _SIGNATURE
            ),
        )
        for placed in question.each(snapshot.tree(path).chunks)
        for definition in placed.chunk.definitions
    )


def _can(kind: Any) -> bool:
    """Return whether a client with these capabilities can be made to ask again."""
    return bool(kind and kind.refresh_support)
