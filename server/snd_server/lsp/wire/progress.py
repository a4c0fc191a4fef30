"""Work-done progress: of requests whose client asked for it, and of work that no request waits for."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from lsprotocol import types

if TYPE_CHECKING:
    from snd_server.lsp.server import SndServer


class RequestProgress:
    """The progress of a request for the client, sent no more often than users can see."""

    def __init__(self, server: SndServer, token: types.ProgressToken | None) -> None:
        self._progress = server.work_done_progress
        self._token = token
        self._percentage = 0
        self._is_over = False

    def report(self, done: int, total: int, what: str = "") -> None:
        """Tell that ``done`` of ``total`` is done."""
        percentage = done * 100 // max(total, 1)
        if percentage > self._percentage:
            self._percentage = percentage
            if self._token is not None:
                message = f"{done}/{total} {what}".strip()
                self._progress.report(self._token, types.WorkDoneProgressReport(message=message, percentage=percentage))

    def begin(self, title: str, task: asyncio.Task[Any] | None) -> None:
        """Tell that the work of a task begins. The task is cancelled when the client cancels the token."""
        if self._token is None:
            return
        self._progress.begin(
            self._token, types.WorkDoneProgressBegin(title, cancellable=task is not None, percentage=0)
        )
        if task is not None:
            self._progress.tokens[self._token].add_done_callback(lambda _: task.cancel())

    def begin_created(self, token: str, title: str, task: asyncio.Task[Any] | None) -> None:
        """Begin with a token that the client has created by now, unless the work is over."""
        if self._is_over:
            self._progress.tokens.pop(token, None)
        else:
            self._token = token
            self.begin(title, task)

    def end(self) -> None:
        """Report the end of the work."""
        self._is_over = True
        if self._token is not None:
            self._progress.tokens.pop(self._token, None)
            self._progress.end(self._token, types.WorkDoneProgressEnd())


@contextmanager
def progress(server: SndServer, token: types.ProgressToken | None, title: str) -> Iterator[RequestProgress]:
    """Show the progress of the work inside; nothing without a token."""
    shown = RequestProgress(server, token)
    shown.begin(title, asyncio.current_task())
    try:
        yield shown
    finally:
        shown.end()


@contextmanager
def begun_progress(server: SndServer, title: str, after_seconds: float) -> Iterator[RequestProgress]:
    """Show the progress of the work inside, for which no request waits, from some seconds on.

    The client may cancel it. Clients that can't create progress see nothing.
    """
    shown, task, token = RequestProgress(server, None), asyncio.current_task(), f"snd/{uuid4()}"

    def create() -> None:
        server.work_done_progress.create(token, lambda *_: shown.begin_created(token, title, task))

    window = server.client_capabilities.window
    can_create = window is not None and bool(window.work_done_progress)
    later = asyncio.get_running_loop().call_later(after_seconds, create) if can_create else None
    try:
        yield shown
    finally:
        if later is not None:
            later.cancel()
        shown.end()


def reported_from_threads(shown: RequestProgress) -> Callable[[int, int, str], None]:
    """Return the report of a progress as a function that may be called on any thread."""
    loop = asyncio.get_running_loop()

    def report(done: int, total: int, what: str) -> None:
        loop.call_soon_threadsafe(shown.report, done, total, what)

    return report
