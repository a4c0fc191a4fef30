"""The one thread on which the analysis works: edits and questions in the order in which they came.

Reading messages goes on meanwhile, so that a request can be cancelled while it is being answered.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import Future
from queue import SimpleQueue
from typing import Any, TypeVar

_Answer = TypeVar("_Answer")

# Trees and compositions are walked by recursion (see ``snd_server.cli``); parts of it pass through C.
_STACK_BYTES = 256 * 1024 * 1024


class Interrupted(Exception):  # noqa: N818 - it is no fault
    """A question that nobody waits for any more: cancelled, or asked of texts that have changed since."""


class Question:
    """Something the analysis is working on, or is to work on."""

    def __init__(self) -> None:
        self._stopped = threading.Event()

    def stop(self) -> None:
        """Nobody wants to know any more."""
        self._stopped.set()

    def checkpoint(self) -> None:
        """To be called between pieces of work. Raises Interrupted."""
        if self._stopped.is_set():
            raise Interrupted


class AnalysisThread:
    """Runs functions one after the other on a thread of its own, which never keeps the process from ending."""

    def __init__(self) -> None:
        self._pending: SimpleQueue[tuple[Future[Any], Callable[[], Any]] | None] = SimpleQueue()
        before = threading.stack_size(_STACK_BYTES)
        try:
            threading.Thread(target=self._work, name="analysis", daemon=True).start()
        finally:
            threading.stack_size(before)

    def submit(self, function: Callable[[], _Answer]) -> Future[_Answer]:
        """Does something in its turn."""
        future: Future[_Answer] = Future()
        self._pending.put((future, function))
        return future

    async def ask(self, function: Callable[[Question], _Answer], question: Question | None = None) -> _Answer:
        """The answer of ``function``, whose ``Question`` tells it when to stop.

        Raises whatever it raises; CancelledError at once if the task that waits for it is cancelled.
        """
        asked = question or Question()

        def answer() -> _Answer:
            asked.checkpoint()
            return function(asked)

        try:
            return await asyncio.wrap_future(self.submit(answer))
        except asyncio.CancelledError:
            asked.stop()
            raise

    def close(self) -> None:
        """Begins nothing more, and waits for nothing."""
        self._pending.put(None)

    def _work(self) -> None:
        while (job := self._pending.get()) is not None:
            future, function = job
            if not future.set_running_or_notify_cancel():
                continue
            try:
                future.set_result(function())
            except BaseException as error:  # whoever waits for the answer is told
                future.set_exception(error)
