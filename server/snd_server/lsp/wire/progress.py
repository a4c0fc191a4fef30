"""Work-done progress of requests whose client asked for it."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from lsprotocol import types

if TYPE_CHECKING:
    from snd_server.lsp.server import SndServer


class Progress:
    """Tells the client how far a request is; no more often than it can see."""

    def __init__(self, server: SndServer, token: types.ProgressToken | None) -> None:
        self._progress = server.work_done_progress
        self._token = token
        self._percentage = 0

    def report(self, done: int, total: int, what: str = "") -> None:
        """Tell that ``done`` of ``total`` is done."""
        percentage = done * 100 // max(total, 1)
        if percentage > self._percentage:
            self._percentage = percentage
            if self._token is not None:
                message = f"{done}/{total} {what}".strip()
                self._progress.report(self._token, types.WorkDoneProgressReport(message=message, percentage=percentage))

    def begin(self, title: str) -> None:
        """Tell that the request begins. The task that runs is cancelled when the client cancels the token."""
        task = asyncio.current_task()
        if self._token is None:
            return
        self._progress.begin(
            self._token, types.WorkDoneProgressBegin(title, cancellable=task is not None, percentage=0)
        )
        if task is not None:
            self._progress.tokens[self._token].add_done_callback(lambda _: task.cancel())

    def end(self) -> None:
        """Tell that the request is over, whatever its result."""
        if self._token is not None:
            self._progress.tokens.pop(self._token, None)
            self._progress.end(self._token, types.WorkDoneProgressEnd())


@contextmanager
def progress(server: SndServer, token: types.ProgressToken | None, title: str) -> Iterator[Progress]:
    """Show the progress of the work inside; nothing without a token."""
    shown = Progress(server, token)
    shown.begin(title)
    try:
        yield shown
    finally:
        shown.end()
