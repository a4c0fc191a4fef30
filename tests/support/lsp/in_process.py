"""A language server in the process of the tests, on a thread with an event loop of its own.

Everything between the bytes of the client and those of the answers is as in ``snd lsp``; starting a process, and
importing and analysing the library in each, is left out. ``test_life.py`` and others test the process.
"""

from __future__ import annotations

import asyncio
import os
import socket
import threading
from concurrent.futures import Future
from contextlib import suppress
from unittest.mock import patch

from snd_server.cli import allow_deep_recursion
from snd_server.lsp.server import SndServer
from snd_server.lsp.session.heap import Heap
from snd_server.lsp.wire.transport import BUFFER_BYTES, converse
from support.lsp.watched_server import watch


class ServerThread:
    """A running server, in place of the process that a client usually has."""

    def __init__(self, connection: socket.socket) -> None:
        self.pid = os.getpid()
        self._loop = asyncio.new_event_loop()
        self._server: SndServer | None = None
        self._status: Future[int] = Future()
        self._status.set_running_or_notify_cancel()
        threading.Thread(target=self._run, args=(connection,), name="language server", daemon=True).start()

    @property
    def returncode(self) -> int | None:
        """The exit status; None as long as the server runs."""
        return self._status.result() if self._status.done() else None

    async def wait(self) -> int:
        """Wait until the server has ended, and return its exit status."""
        return await asyncio.shield(asyncio.wrap_future(self._status))

    def terminate(self) -> None:
        """End the server without a word; one that has ended already is left alone."""
        if self._server is not None:
            with suppress(RuntimeError):  # its loop is closed as soon as it has ended
                self._loop.call_soon_threadsafe(self._server.hang_up)

    def _run(self, connection: socket.socket) -> None:
        allow_deep_recursion()
        try:
            with asyncio.Runner(loop_factory=lambda: self._loop) as runner:
                status = runner.run(self._serve(connection))
            self._status.set_result(status)  # once the loop is closed: who waits for the end finds it ended
        except BaseException as error:
            self._status.set_exception(error)

    async def _serve(self, connection: socket.socket) -> int:
        with patch.object(Heap, "settle", lambda heap: None):  # the heap is that of all tests
            self._server = SndServer()
        watch(self._server)
        reader, writer = await asyncio.open_connection(sock=connection, limit=BUFFER_BYTES)
        return await converse(self._server, reader, writer)
