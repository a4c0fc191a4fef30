"""The one thread on which the analysis works: edits and questions in their order of arrival.

Messages are read meanwhile, so that a running request can be cancelled. Long questions are *background* tasks: any
other question preempts them between two pieces of work, and they begin again after it. A question that proves long
while others wait becomes one. The analysis keeps their results up to that point, so little is done twice. Work for a
*pause*, such as the search for samples to evaluate, makes room for background tasks, too: nobody waits for it.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future
from enum import IntEnum
from functools import partial
from typing import Any, TypeVar

from msgspec import Struct, field

from snd_analysis.base import checked_by
from snd_server.lsp.limits import MOST_URGENT_SECONDS

_Answer = TypeVar("_Answer")
_Item = TypeVar("_Item")

# Trees and compositions are walked by recursion (see ``snd_server.cli``); parts of it pass through C.
_STACK_BYTES = 256 * 1024 * 1024

_IDLE_SECONDS = 1.0


class Urgency(IntEnum):
    """Ranks of tasks: a task makes room for tasks of a lower number."""

    NOW = 0
    BACKGROUND = 1
    PAUSE = 2


class Interrupted(Exception):  # noqa: N818 - it is no fault
    """A question whose answer is not wanted any more: cancelled, or asked of a text that has changed since."""


class _Preempted(Exception):  # noqa: N818 - it is no fault
    """A background task makes room for others."""


class _TookLongError(_Preempted):
    """A question has held up others for long enough."""


class Question:
    """A question for the analysis, running or waiting."""

    def __init__(self) -> None:
        self._stopped = False
        self._reason = ""
        self._preempted = False
        self._others_wait: Callable[[], bool] = lambda: False
        self._seconds = MOST_URGENT_SECONDS
        self._until = 0.0

    def stop(self, reason: str = "") -> None:
        """Cancel the question, with the reason if the user should know it."""
        self._reason = reason
        self._stopped = True

    def preempt(self) -> None:
        """Make it stop at its next checkpoint and begin again later."""
        self._preempted = True

    def begin(self, others_wait: Callable[[], bool]) -> None:
        """Now it is its turn. If others wait, it may take a while; the next time, twice as long."""
        self._preempted = False
        self._others_wait = others_wait
        self._until = time.monotonic() + self._seconds

    def checkpoint(self) -> None:
        """Check for interruption between pieces of work. Raise Interrupted, or the preemption of a background task."""
        if self._stopped:
            raise Interrupted(self._reason)
        if self._preempted:
            raise _Preempted
        if time.monotonic() > self._until and self._others_wait():
            self._seconds *= 2
            raise _TookLongError

    def each(self, items: Iterable[_Item]) -> Iterator[_Item]:
        """Yield the items, with a checkpoint before each."""
        for item in items:
            self.checkpoint()
            yield item


class _Job(Struct, eq=False):
    function: Callable[[], Any]
    question: Question = field(default_factory=Question)
    urgency: Urgency = Urgency.NOW
    goes_last: bool = False
    """True if it begins again after all other tasks of its urgency."""
    future: Future[Any] = field(default_factory=Future)

    def run(self) -> bool:
        """Return whether it is done with; otherwise it was preempted."""
        try:
            answer = self.function()
        except _TookLongError:
            self.urgency = max(self.urgency, Urgency.BACKGROUND)
            self.goes_last = True
            return False
        except _Preempted:
            self.goes_last = False
            return False
        except BaseException as error:  # the question fails with it
            self.future.set_exception(error)
        else:
            self.future.set_result(answer)
        return True


class AnalysisThread:
    """A thread that runs functions one after the other; it never keeps the process from ending."""

    def __init__(self, idle: Callable[[], None] = lambda: None) -> None:
        """Start the thread. ``idle`` is called once when there has been nothing to do for a while."""
        self._idle = idle
        self._worked = False
        self._waiting: dict[Urgency, deque[_Job]] = {each: deque() for each in Urgency}
        self._running: _Job | None = None
        self._closed = False
        self._changed = threading.Condition()
        before = threading.stack_size(_STACK_BYTES)
        try:
            threading.Thread(target=self._work, name="analysis", daemon=True).start()
        finally:
            threading.stack_size(before)

    def submit(self, function: Callable[[], _Answer]) -> Future[_Answer]:
        """Do something in its turn."""
        return self._add(_Job(function))

    async def ask(
        self, function: Callable[[Question], _Answer], question: Question | None = None, urgency: Urgency = Urgency.NOW
    ) -> _Answer:
        """Return the answer of ``function``, whose ``Question`` signals when to stop.

        Raise the exceptions of ``function``; CancelledError at once if the waiting task is cancelled.
        """
        asked = question or Question()

        def answer() -> _Answer:
            asked.checkpoint()
            with checked_by(asked.checkpoint):
                return function(asked)

        try:
            return await asyncio.wrap_future(self._add(_Job(answer, asked, urgency)))
        except asyncio.CancelledError:
            asked.stop()
            raise

    def close(self) -> None:
        """Accept no more work, and do not wait for running work."""
        with self._changed:
            self._closed = True
            if self._running is not None:
                self._running.question.stop()
            self._changed.notify()

    def _add(self, job: _Job) -> Future[Any]:
        with self._changed:
            self._waiting[job.urgency].append(job)
            if self._running is not None and job.urgency < self._running.urgency:
                self._running.question.preempt()
            self._changed.notify()
        return job.future

    def _next(self, preempted: _Job | None) -> _Job | None:
        with self._changed:
            if preempted is not None and preempted.goes_last:
                self._waiting[preempted.urgency].append(preempted)
            elif preempted is not None:
                self._waiting[preempted.urgency].appendleft(preempted)
            self._running = None
        while True:
            with self._changed:
                if self._closed:
                    return None
                first = next(filter(None, self._waiting.values()), None)
                if first is not None:
                    self._worked = True
                    job = self._running = first.popleft()
                    least = max(job.urgency, Urgency.BACKGROUND)
                    job.question.begin(partial(self._others_wait, least))
                    return job
                is_quiet = not self._changed.wait(_IDLE_SECONDS if self._worked else None)
            if is_quiet:
                self._worked = False
                self._idle()

    def _others_wait(self, least: Urgency) -> bool:
        return any(jobs for urgency, jobs in self._waiting.items() if urgency <= least)

    def _work(self) -> None:
        preempted: _Job | None = None
        while (job := self._next(preempted)) is not None:
            preempted = None
            if not (job.future.running() or job.future.set_running_or_notify_cancel()):
                continue
            if not job.run():
                preempted = job
