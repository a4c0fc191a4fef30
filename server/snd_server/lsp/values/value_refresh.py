"""Requests to the client to ask again for data with values: inlay hints and code lenses.

Clients that announce it among their experimental capabilities (``evaluationStatus``) get the number of running
evaluations.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from snd_server.lsp.session.abilities import takes

if TYPE_CHECKING:
    from snd_server.lsp.server import SndServer

STATUS = "snd/evaluationStatus"
_CAPABILITY = "evaluationStatus"

# Values that come one after another are shown together.
_TOGETHER_SECONDS = 0.05


class ValueRefresher:
    """Record of the visible state of each document, so that the client only hears about changes."""

    def __init__(self, server: SndServer) -> None:
        self._server = server
        self._shown: dict[str, object] = {}
        self._waiting: asyncio.Task[None] | None = None
        self._told = (0, 0)
        """Numbers of running and of waiting evaluations that the client knows."""

    def shown(self, path: str, state: object) -> None:
        """Note the freshness of the values of a document, and tell the client about a change."""
        if self._shown.setdefault(path, state) != state:
            self._shown[path] = state
            self.soon()

    def closed(self, path: str) -> None:
        """Forget a document that is not visible any more."""
        self._shown.pop(path, None)

    def soon(self) -> None:
        """Refresh the display soon."""
        if self._waiting is None or self._waiting.done():
            self._waiting = self._server.begin(self._refresh())

    async def _refresh(self) -> None:
        await asyncio.sleep(_TOGETHER_SECONDS)
        self._waiting = None
        server = self._server
        workspace = server.client_capabilities.workspace
        if workspace is None or server.stopped.is_set():
            return
        if workspace.inlay_hint and workspace.inlay_hint.refresh_support:
            server.begin(_asked(server.workspace_inlay_hint_refresh_async(None)))
        if workspace.code_lens and workspace.code_lens.refresh_support:
            server.begin(_asked(server.workspace_code_lens_refresh_async(None)))
        self._tell()

    def _tell(self) -> None:
        load = self._server.evaluations.load
        if load == self._told or not takes(self._server.client_capabilities, _CAPABILITY):
            return
        self._told = load
        running, pending = load
        self._server.protocol.notify(STATUS, {"running": running, "pending": pending})


async def _asked(request: Any) -> None:
    await request
