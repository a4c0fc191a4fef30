"""The server: what it can do is what the modules listed here register."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine
from functools import partial
from types import ModuleType
from typing import Any

from lsprotocol import types
from pygls.exceptions import FeatureRequestError
from pygls.lsp.server import LanguageServer

from snd_analysis.source import Source
from snd_server import __version__
from snd_server.lsp import diagnostics, formatting, life, navigation, synchronisation
from snd_server.lsp.protocol import Protocol
from snd_server.lsp.session import Session
from snd_server.lsp.uris import path_of

_logger = logging.getLogger(__name__)

# Each has ``register(server)``.
_FEATURES: tuple[ModuleType, ...] = (life, synchronisation, diagnostics, navigation, formatting)


class SndServer(LanguageServer):
    """One server serves one client."""

    def __init__(self) -> None:
        super().__init__("snd", __version__, protocol_cls=Protocol)
        self.session = Session()
        self._tasks: set[asyncio.Task[None]] = set()
        for feature in _FEATURES:
            feature.register(self)

    def handle(self, method: str, handler: Callable[..., Any], options: object = None) -> None:
        """Lets ``handler(server, params)`` answer a method of the protocol."""
        self.feature(method, options)(partial(handler, self))

    def begin(self, work: Coroutine[Any, Any, None]) -> None:
        """Does something that nobody waits for."""
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def source(self, uri: str) -> Source | None:
        """The text of an open document as the client has it now."""
        document = self.session.documents.get(path_of(uri))
        return document.source if document else None

    def report_server_error(self, error: Exception, source: object) -> None:
        """Faults are logged with their place; requests are answered by errors besides."""
        _logger.error("%s", error, exc_info=error)
        if source is not FeatureRequestError and self.protocol.writer is not None:
            self.window_log_message(types.LogMessageParams(types.MessageType.Error, f"snd failed: {error!r}"))
