"""Samples of open documents, evaluated in pauses where that is cheap, else on request (DESIGN, invariants 11 and 12).

A worker process evaluates one sample at a time, under limits. Nothing waits for it but tasks of their own: an edit, a
cancellation and the end of the session kill the process if need be, at the cost of the result it was at.
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from snd_analysis.ide.samples import KnownSample, SampleName, samples_in
from snd_analysis.names.library import is_library
from snd_analysis.source import Span
from snd_analysis.workspace import Snapshot
from snd_runtime.limits import Limits
from snd_runtime.samples import SampleEvaluator, SampleOutcome, SampleRequest, Status
from snd_runtime.worker import ProcessLimits
from snd_server.lsp.ages import OVER_LIMIT, Age, Aged, SampleKey, Values
from snd_server.lsp.analysis_thread import Interrupted, Question
from snd_server.lsp.evaluation_options import EvaluationOptions, evaluation_options
from snd_server.lsp.session import UnknownDocument
from snd_server.lsp.value_refresh import ValueRefresher

if TYPE_CHECKING:
    from snd_server.lsp.server import SndServer

# How long nothing must change before samples are evaluated.
_PAUSE_SECONDS = 0.12
# An evaluation that nobody asked for may take no longer.
_AUTOMATIC_SECONDS = 1.0
_PROMPT = ">>>"


@dataclass(frozen=True, slots=True)
class AgedSample:
    """A sample of a state of the files with its value for that state."""

    sample: KnownSample
    key: SampleKey
    digest: str
    aged: Aged


@dataclass(frozen=True, slots=True)
class _Order:
    """The samples of one state of a document, and what it takes to evaluate them."""

    samples: tuple[AgedSample, ...]
    request: SampleRequest
    options: EvaluationOptions

    def find(self, key: SampleKey) -> AgedSample | None:
        return next((each for each in self.samples if each.key == key), None)


@dataclass(eq=False)
class _Job:
    sample: AgedSample
    request: SampleRequest
    done: asyncio.Future[SampleOutcome]
    wanted: bool
    """Whether somebody asked for it."""
    waiting: int = 0
    """How many wait for it."""
    stopping: asyncio.Future[None] | None = field(default=None)


class Evaluations:
    """The values of the samples of all open documents."""

    def __init__(self, server: SndServer) -> None:
        self._server = server
        self._values = Values()
        self._evaluator: SampleEvaluator | None = None
        self._calls = ThreadPoolExecutor(1, "samples")
        self._kills = ThreadPoolExecutor(1, "samples-stop")
        self._queue: deque[_Job] = deque()
        self._job: _Job | None = None
        self._looking: asyncio.Task[None] | None = None
        self._working: asyncio.Task[None] | None = None
        self._refresher = ValueRefresher(server)
        self._stopped = False

    # ---- for functions that answer questions: on the analysis thread -------------------------------------------------
    def samples(self, snapshot: Snapshot, path: str, within: Span | None = None) -> Iterator[AgedSample]:
        """The samples of a document, or of a part of it, with their values as they are to be shown for this state."""
        options = self.options(path)
        if not options.enabled:
            return
        for sample in samples_in(snapshot, path, within):
            key, digest = SampleKey(path, sample.name), options.digest(sample.digest)
            yield AgedSample(sample, key, digest, self._values.of(key, digest))

    def options(self, path: str) -> EvaluationOptions:
        """How the samples of a document are evaluated."""
        return evaluation_options(self._server.session.settings(path).switches)

    # ---- events ------------------------------------------------------------------------------------------------------
    def changed(self) -> None:
        """Something changed that samples may depend on."""
        if self._stopped:
            return
        if self._looking is not None and not self._looking.done():
            self._looking.cancel()
        self._looking = self._server.begin(self._look())

    def closed(self, path: str) -> None:
        """A document was closed: its values are shown no more."""
        self._give_up(lambda job: job.sample.key.path == path)
        self._values.keep(path, ())
        self._refresher.closed(path)

    def stop(self) -> None:
        """Ends whatever is being evaluated, at once."""
        self._stopped = True
        if self._looking is not None:
            self._looking.cancel()
        self._give_up(lambda job: True)
        if self._evaluator is not None:
            self._evaluator.worker.close()

    # ---- requests ----------------------------------------------------------------------------------------------------
    async def evaluate(self, path: str, name: SampleName, *, again: bool = False) -> SampleOutcome:
        """What comes of a sample as it is now; what is known of it, unless it is to be evaluated ``again``.

        Raises UnknownDocument if there is no such sample, Interrupted if it changes meanwhile. When the task that waits
        is cancelled, so is the evaluation.
        """
        key = SampleKey(path, name)
        order = await self._order(path)
        found = None if order is None else order.find(key)
        if order is None or found is None:
            raise UnknownDocument("there is no such sample any more")
        if found.aged.settled and found.aged.outcome is not None and found.aged.age is not Age.OVER_LIMIT and not again:
            return found.aged.outcome
        known = next((job for job in self._jobs() if job.sample.key == key and job.sample.digest == found.digest), None)
        job = known if known is not None and known.wanted else self._add(found, order.request, wanted=True)
        if known is not None and known is not job:
            self._give_up(lambda each: each is known)
            self._values.wait(found.key, found.digest)
        job.waiting += 1
        try:
            return await asyncio.shield(job.done)
        except asyncio.CancelledError:
            if not _is_cancelled():
                raise Interrupted from None
            if job.waiting == 1:
                self._give_up(lambda each: each is job)
            raise
        finally:
            job.waiting -= 1

    def cancel(self, path: str, name: SampleName) -> None:
        """Nobody wants to know what comes of a sample any more."""
        self._give_up(lambda job: job.sample.key == SampleKey(path, name))
        self._refresher.soon()

    @property
    def load(self) -> tuple[int, int]:
        """How many evaluations run, and how many wait for their turn."""
        return (0 if self._job is None else 1), len(self._queue)

    # ---- what there is to do -----------------------------------------------------------------------------------------
    async def _look(self) -> None:
        """Ends what an edit has outdated; after a pause, evaluates what is cheap."""
        session = self._server.session
        if self._evaluator is None and any(_PROMPT in each.source.text for each in session.documents):
            self._ready(await session.work(lambda: self.options("").tensor_bytes))
        if self._job is not None or self._queue:
            for path in {job.sample.key.path for job in self._jobs()}:
                await self._end_outdated(path, await self._order(path))
        await asyncio.sleep(_PAUSE_SECONDS)
        for document in session.documents:
            path = document.source.path
            order = await self._order(path)
            await self._end_outdated(path, order)
            if order is None:
                continue
            self._values.keep(path, {each.sample.name for each in order.samples})
            request = _limited(order.request, _AUTOMATIC_SECONDS)
            for each in order.samples:
                if self._is_cheap(each, order.options):
                    self._add(each, request, wanted=False)
            self._refresher.shown(path, tuple((each.key, each.digest, self._age(each)) for each in order.samples))

    async def _end_outdated(self, path: str, order: _Order | None) -> None:
        digests = {} if order is None else {each.key: each.digest for each in order.samples}
        self._give_up(lambda job: job.sample.key.path == path and digests.get(job.sample.key) != job.sample.digest)

    def _is_cheap(self, sample: AgedSample, options: EvaluationOptions) -> bool:
        if not options.automatic or not sample.sample.can_run or self._age(sample) not in (Age.NONE, Age.STALE):
            return False
        seconds = self._values.seconds(sample.key)
        return sample.sample.is_small if seconds is None else seconds <= options.budget

    def _age(self, sample: AgedSample) -> Age:
        return self._values.of(sample.key, sample.digest).age

    async def _order(self, path: str) -> _Order | None:
        """The samples of a document as it is now; None if it has none, or is none."""

        def answer(snapshot: Snapshot, question: Question) -> _Order | None:
            samples = tuple(question.each(self.samples(snapshot, path)))
            if not samples:
                return None
            options = self.options(path)
            involved = [each for each in (path, *snapshot.dependencies(path)) if not is_library(each)]
            request = SampleRequest(
                path,
                {each: snapshot.source(each).text for each in involved if snapshot.exists(each)},
                snapshot.module_paths,
                limits=Limits(seconds=options.timeout, tensor_bytes=options.tensor_bytes),
                real=np.dtype(np.float64 if options.real == "f64" else np.float32),
                seed=options.seed,
                pictures=options.pictures,
            )
            return _Order(samples, request, options)

        try:
            return await self._server.session.ask(path, answer, patient=True)
        except UnknownDocument:
            return None

    # ---- the queue ---------------------------------------------------------------------------------------------------
    def _jobs(self) -> list[_Job]:
        return [*self._queue] if self._job is None else [self._job, *self._queue]

    def _add(self, sample: AgedSample, request: SampleRequest, *, wanted: bool) -> _Job:
        job = _Job(sample, request, asyncio.get_running_loop().create_future(), wanted)
        if wanted:  # somebody waits for it
            self._queue.appendleft(job)
        else:
            self._queue.append(job)
        self._values.wait(sample.key, sample.digest)
        if self._working is None or self._working.done():
            self._working = self._server.begin(self._work())
        return job

    def _give_up(self, condition: Callable[[_Job], bool]) -> None:
        """Takes jobs from the queue, and kills the process that is at one."""
        for waiting in [each for each in self._queue if condition(each)]:
            self._queue.remove(waiting)
            self._values.give_up(waiting.sample.key, waiting.sample.digest)
            waiting.done.cancel()
        job = self._job
        if job is None or job.stopping is not None or not condition(job):
            return
        self._values.give_up(job.sample.key, job.sample.digest)
        job.done.cancel()
        if self._evaluator is not None and not self._stopped:
            job.stopping = asyncio.wrap_future(self._kills.submit(self._evaluator.worker.stop))

    async def _work(self) -> None:
        while self._queue and not self._stopped:
            job = self._job = self._queue.popleft()
            sample = job.sample
            self._values.begin(sample.key, sample.digest)
            self._refresher.soon()
            started = time.monotonic()
            try:
                outcome = await self._outcome(job)
                if job.stopping is not None:  # or else it would be the next one that is killed
                    await job.stopping
            finally:
                self._job = None
            if not job.done.cancelled():
                over = outcome.rule == OVER_LIMIT
                seconds = time.monotonic() - started if over else outcome.seconds
                self._values.end(sample.key, sample.digest, outcome, seconds)
                job.done.set_result(outcome)
            if self._server.session.documents.get(sample.key.path) is None:  # there is nobody to show it to
                self._values.keep(sample.key.path, ())
            self._refresher.soon()

    async def _outcome(self, job: _Job) -> SampleOutcome:
        """What comes of a job; a thread of its own waits for the process."""
        numbers = (job.sample.sample.number,)
        evaluator = self._ready(job.request.limits.tensor_bytes)
        loop = asyncio.get_running_loop()
        try:
            return await loop.run_in_executor(self._calls, lambda: next(evaluator.outcomes(job.request, numbers)))
        except Exception as error:  # whatever it is, it must cost this result only
            self._server.fault(f"the evaluation of {job.sample.key}", error)
            return SampleOutcome(Status.FAILED, rule="internal-error", message=f"snd failed: {error!r}")

    def _ready(self, tensor_bytes: int | None) -> SampleEvaluator:
        """What evaluates; its process begins to start when it is asked for first."""
        if self._evaluator is None:
            self._evaluator = SampleEvaluator(ProcessLimits(tensor_bytes), keep_ready=True)
            self._calls.submit(self._evaluator.worker.start)
        return self._evaluator


def _limited(request: SampleRequest, seconds: float) -> SampleRequest:
    allowed = request.limits.seconds
    least = seconds if allowed is None else min(seconds, allowed)
    return replace(request, limits=replace(request.limits, seconds=least))


def _is_cancelled() -> bool:
    """Whether it is the task itself that is cancelled, not what it waits for."""
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0
