"""Work-done progress of requests whose client asked for it."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from snd_server.lsp import types

if TYPE_CHECKING:
    from snd_server.lsp.server import SndServer


def register(server: SndServer) -> None:
    """Register the handler of this module."""
    server.handle(types.WINDOW_WORK_DONE_PROGRESS_CANCEL, _cancel)


def _cancel(server: SndServer, params: types.WorkDoneProgressCancelParams) -> None:
    if (task := server.cancelled_by.get(params.token)) is not None:
        task.cancel()


class Progress:
    """Tells the client how far a request is; no more often than it can see."""

    def __init__(self, server: SndServer, token: types.ProgressToken | None) -> None:
        self._server = server
        self._token = token
        self._percentage = 0

    def report(self, done: int, total: int, what: str = "") -> None:
        """So much of so much is done."""
        percentage = done * 100 // max(total, 1)
        if percentage > self._percentage:
            self._percentage = percentage
            message = f"{done}/{total} {what}".strip()
            self._send(types.WorkDoneProgressReport(message=message, percentage=percentage))

    def begin(self, title: str) -> None:
        """It begins."""
        task = asyncio.current_task()
        if task is not None and self._token is not None:  # it is cancelled when the client says so of the token
            self._server.cancelled_by[self._token] = task
        self._send(types.WorkDoneProgressBegin(title, cancellable=task is not None, percentage=0))

    def end(self) -> None:
        """It is over, whatever became of it."""
        if self._token is not None:
            self._server.cancelled_by.pop(self._token, None)
        self._send(types.WorkDoneProgressEnd())

    def _send(
        self, value: types.WorkDoneProgressBegin | types.WorkDoneProgressReport | types.WorkDoneProgressEnd
    ) -> None:
        if self._token is not None:
            self._server.notify(types.PROGRESS, types.ProgressParams(self._token, value))


@contextmanager
def progress(server: SndServer, token: types.ProgressToken | None, title: str) -> Iterator[Progress]:
    """The progress of what is done inside; none without a token."""
    shown = Progress(server, token)
    shown.begin(title)
    try:
        yield shown
    finally:
        shown.end()
