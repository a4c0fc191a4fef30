"""The queue of evaluations, and the processes that run them: one, and a second one while the first is busy.

Only tasks of their own wait for evaluations. Requested evaluations come first; otherwise documents take turns.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from typing import TYPE_CHECKING, Any, TypeAlias

from msgspec import Struct, field

from snd_runtime.worker import ProcessLimits, WorkerFailed
from snd_server.lsp.limits import MOST_EVALUATIONS
from snd_server.lsp.session.freshness import NOTICEABLE_SECONDS, FreshValues, ValueKey
from snd_server.lsp.session.late_runtime import load_runtime

if TYPE_CHECKING:
    from snd_runtime.samples import SampleEvaluator
    from snd_server.lsp.server import SndServer

# Busy time of the first process before another helps it, and idle time after which that one ends.
_BUSY_SECONDS = 0.25
_IDLE_SECONDS = 20.0

StepCount: TypeAlias = "Callable[[SampleEvaluator], Any]"
"""A function that evaluates something and returns its outcome.

It runs on a thread that waits for the process.
"""


class Job(Struct, eq=False):
    """One evaluation of one state of its dependencies. ``tensor_bytes`` is its memory limit."""

    key: ValueKey
    digest: str | None
    """Digest of the state; None for a result that is not kept."""
    work: StepCount
    failed: Callable[[str], Any]
    """A function that makes an outcome of a fault."""
    tensor_bytes: int
    wanted: bool
    """True if somebody asked for it."""
    done: asyncio.Future[Any] = field(default_factory=lambda: asyncio.get_running_loop().create_future())
    is_brief: bool = False
    """True if it is expected to end soon."""
    waiting: int = 0
    """Number of tasks that wait for this result."""
    given_up: str = ""
    """Why it was cancelled, if the user should know."""
    stopping: asyncio.Future[None] | None = None


class EvaluationQueue:
    """Queue that evaluates jobs and stores their outcomes; ``changed`` is called when the display must change."""

    def __init__(self, server: SndServer, values: FreshValues, changed: Callable[[], None]) -> None:
        self._server = server
        self._values = values
        self._changed = changed
        self._waiting: list[Job] = []
        self._lanes: list[_Lane] = []
        self._kills = ThreadPoolExecutor(MOST_EVALUATIONS, "evaluation-stop")
        self._turns = count()
        self._served: dict[str, int] = {}
        self._helping: asyncio.Task[None] | None = None
        self._stopped = False

    @property
    def is_warm(self) -> bool:
        """Return whether there is a process."""
        return bool(self._lanes)

    def warm(self, tensor_bytes: int) -> None:
        """Start the first process early, so that its first job need not wait for that."""
        if not self._lanes and not self._stopped:
            self._lanes.append(_Lane(tensor_bytes))

    def jobs(self) -> Iterator[Job]:
        """Yield the running and the waiting jobs."""
        yield from [lane.job for lane in self._lanes if lane.job is not None]
        yield from self._waiting

    @property
    def load(self) -> tuple[int, int]:
        """Numbers of running and of waiting jobs."""
        return sum(lane.job is not None for lane in self._lanes), len(self._waiting)

    def add(self, job: Job) -> Job:
        """Evaluate something as soon as it can be."""
        self._waiting.append(job)
        if job.digest is not None:
            self._values.wait(job.key, job.digest)
            asyncio.get_running_loop().call_later(NOTICEABLE_SECONDS, self._look_again, job)
        self.warm(job.tensor_bytes)
        for lane in self._lanes:
            if lane.job is None:
                self._begin(lane)
                break
        if self._waiting and (self._helping is None or self._helping.done()):
            self._helping = self._server.begin(self._help())
        return job

    def give_up(self, condition: Callable[[Job], bool], reason: str = "") -> None:
        """Cancel jobs, and kill the processes that run them. Waiting tasks get the ``reason``."""
        for job in [each for each in self.jobs() if condition(each) and each.stopping is None]:
            if job.digest is not None:
                self._values.give_up(job.key, job.digest)
            job.given_up = reason
            job.done.cancel()
            if job in self._waiting:
                self._waiting.remove(job)
                continue
            lane = next(each for each in self._lanes if each.job is job)
            if not self._stopped:
                job.stopping = asyncio.wrap_future(self._kills.submit(lane.evaluator.worker.stop))

    def stop(self) -> None:
        """End all running evaluations at once."""
        self._stopped = True
        self.give_up(lambda job: True)
        for lane in self._lanes:
            lane.evaluator.worker.close()

    def _look_again(self, job: Job) -> None:
        """Refresh the display of a job once it takes noticeably long."""
        if not job.done.done():
            self._changed()

    # ---- turns -------------------------------------------------------------------------------------------------------
    def _next(self) -> Job | None:
        """Return the last requested job; else the oldest of the document whose turn was longest ago.

        One document keeps only one process busy for long: otherwise other documents would have to wait.
        """
        busy = {job.key.path for lane in self._lanes if (job := lane.job) is not None and not job.is_brief}
        waiting = [job for job in self._waiting if job.is_brief or job.key.path not in busy]
        wanted = [job for job in waiting if job.wanted]
        if wanted:
            return wanted[-1]
        return min(waiting, key=lambda job: self._served.get(job.key.path, -1), default=None)

    def _begin(self, lane: _Lane) -> None:
        """Let a process that has nothing to do take the next job."""
        job = None if self._stopped else self._next()
        if job is not None:
            self._waiting.remove(job)
            self._served[job.key.path] = next(self._turns)
            lane.job = job
            if job.digest is not None:  # set here, since giving it up from now on ends the display of its run
                self._values.begin(job.key, job.digest)
            self._server.begin(self._do(lane, job))

    async def _help(self) -> None:
        """Start the second process if jobs have to wait for long."""
        while self._waiting and not self._stopped:
            await asyncio.sleep(_BUSY_SECONDS / 4)
            job = self._next()
            if job is not None and len(self._lanes) < MOST_EVALUATIONS and self._is_kept_busy() and not self._stopped:
                lane = _Lane(job.tensor_bytes)
                self._lanes.append(lane)
                self._begin(lane)
                self._server.begin(self._dismiss(lane))

    def _is_kept_busy(self) -> bool:
        latest = time.monotonic() - _BUSY_SECONDS
        return all(lane.since is not None and lane.since <= latest for lane in self._lanes)

    async def _dismiss(self, lane: _Lane) -> None:
        """End the second process when it has had nothing to do for a while."""
        while lane.job is not None or time.monotonic() - lane.last < _IDLE_SECONDS:
            await asyncio.sleep(_IDLE_SECONDS / 4)
        self._lanes.remove(lane)
        lane.close()

    # ---- work --------------------------------------------------------------------------------------------------------
    async def _do(self, lane: _Lane, job: Job) -> None:
        if job.digest is not None:
            self._changed()
        started = time.monotonic()
        try:
            outcome = await self._outcome(lane, job)
            if job.stopping is not None:  # or else it would be the next one that is killed
                await job.stopping
        finally:
            lane.job, lane.since, lane.last = None, None, time.monotonic()
        if not job.done.cancelled():
            if job.digest is not None:
                from snd_runtime.rules import LIMIT_EXCEEDED

                over = outcome.rule == LIMIT_EXCEEDED
                self._values.end(job.key, job.digest, outcome, time.monotonic() - started if over else outcome.seconds)
            job.done.set_result(outcome)
        if self._server.session.documents.get(job.key.path) is None:  # the document was closed
            self._values.keep(job.key.path, ())
        self._changed()
        self._begin(lane)

    async def _outcome(self, lane: _Lane, job: Job) -> Any:
        def evaluated() -> Any:
            worker = lane.evaluator.worker
            worker.limit(ProcessLimits(job.tensor_bytes))
            try:
                worker.wait()
            except WorkerFailed as failed:
                return job.failed(failed.message)
            if job.done.cancelled():  # the process that is ready may be the one after the killed one
                return job.failed(job.given_up)
            lane.since = time.monotonic()
            return job.work(lane.evaluator)

        try:
            return await asyncio.get_running_loop().run_in_executor(lane.calls, evaluated)
        except Exception as error:  # any failure must affect this result only
            if not self._stopped:
                self._server.fault(f"the evaluation of {job.key}", error)
            return job.failed(f"snd failed: {error!r}")


class _Lane:
    """A process, the thread that waits for it, and the job that it is at."""

    def __init__(self, tensor_bytes: int) -> None:
        load_runtime()
        from snd_runtime.samples import SampleEvaluator

        self.evaluator = SampleEvaluator(ProcessLimits(tensor_bytes), keep_ready=True)
        self.calls = ThreadPoolExecutor(1, "evaluation")
        self.job: Job | None = None
        self.since: float | None = None
        """Time at which the process began with it."""
        self.last = time.monotonic()
        self.calls.submit(self.evaluator.worker.start)

    def close(self) -> None:
        self.evaluator.worker.close()
        self.calls.shutdown(wait=False)
