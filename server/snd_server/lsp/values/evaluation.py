"""Samples and graphs of open documents, evaluated in pauses where that is cheap, else on request.

Their values belong to states of the texts (``freshness``). A process under limits finds them (``evaluation_queue``).
An edit, a cancellation and the end of the session kill it if need be, at the cost of the result it was at.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from snd_analysis.base import Span
from snd_analysis.ide.evaluation import GraphName, SampleName, graphs_in, samples_in
from snd_analysis.skriptnd.names import is_library
from snd_analysis.workspace import Snapshot
from snd_server.lsp.session.analysis_thread import Interrupted, Question, Urgency
from snd_server.lsp.session.freshness import Freshness, FreshValues, Outcome, ValueKey
from snd_server.lsp.session.late_runtime import load_runtime
from snd_server.lsp.session.session import UnknownDocument
from snd_server.lsp.values.evaluation_options import EvaluationOptions, evaluation_options
from snd_server.lsp.values.evaluation_queue import EvaluationQueue, Job
from snd_server.lsp.values.graph_choices import GivenInputs, GraphChoices, choice_text
from snd_server.lsp.values.shown_values import ShownGraph, ShownSample, ShownSubject, ValuesRequest
from snd_server.lsp.values.stored_tensors import weights_stamp
from snd_server.lsp.values.value_refresh import ValueRefresher
from snd_server.running.arguments import ArgumentError

if TYPE_CHECKING:
    from snd_runtime.samples import SampleRequest
    from snd_server.lsp.server import SndServer

# Delay after a keystroke before outdated evaluations are ended: requests of clients come first.
_MOMENT_SECONDS = 0.02
# Duration without changes before an automatic evaluation begins.
_PAUSE_SECONDS = 0.12
# An automatic evaluation may take no longer.
_AUTOMATIC_SECONDS = 1.0
_CANCELLED = "the evaluation was cancelled"
_WORTH_A_PROCESS = re.compile(r">>>|^\s*(?:public\s+)?graph\b", re.MULTILINE)


class Evaluations:
    """The values of the samples and graphs of all open documents."""

    def __init__(self, server: SndServer) -> None:
        self.choices = GraphChoices()
        self._server = server
        self._values = FreshValues()
        self._refresher = ValueRefresher(server)
        self._queue = EvaluationQueue(server, self._values, self._refresher.soon)
        self._preparing: set[tuple[ValueKey, Question]] = set()
        """Requested evaluations that are not in the queue yet."""
        self._looking: asyncio.Task[None] | None = None
        self._stopped = False

    # ---- for functions that answer questions: on the analysis thread -------------------------------------------------
    def samples(self, snapshot: Snapshot, path: str, within: Span | None = None) -> Iterator[ShownSample]:
        """Yield the samples of a document, or of a part of it, with their values for this state."""
        options = self.options(path)
        if not options.enabled:
            return
        for sample in samples_in(snapshot, path, within):
            key, digest = ValueKey(path, sample.name), options.digest(sample.digest)
            yield ShownSample(sample, key, digest, self._values.of(key, digest))

    def graphs(self, snapshot: Snapshot, path: str, within: Span | None = None) -> Iterator[ShownGraph]:
        """Yield the graphs of a document, or of a part of it, with the values of their tensors for this state."""
        options = self.options(path)
        if not options.enabled:
            return
        for graph in graphs_in(snapshot, path, within):
            key = ValueKey(path, graph.name)
            choice = self.choices.of(key, graph)
            digest = options.digest(f"{graph.digest} {choice_text(choice)} {_weights(snapshot, path)}")
            value = self._values.of(key, digest)
            yield ShownGraph(graph, key, digest, value, choice, self.choices.is_hidden(key))

    def options(self, path: str) -> EvaluationOptions:
        """Return how the samples and graphs of a document are evaluated."""
        return evaluation_options(self._server.session.settings(path).switches)

    # ---- events ------------------------------------------------------------------------------------------------------
    def changed(self) -> None:
        """Note a change that values may depend on."""
        if self._stopped:
            return
        if self._looking is not None and not self._looking.done():
            self._looking.cancel()
        self._looking = self._server.begin(self._look())

    def closed(self, path: str) -> None:
        """Forget the values of a closed document."""
        self._give_up(lambda key: key.path == path)
        self._values.keep(path, ())
        self.choices.keep(path, ())
        self._refresher.closed(path)

    def refresh(self) -> None:
        """Refresh the display, though no text changed."""
        self._refresher.soon()

    def stop(self) -> None:
        """End all running evaluations at once."""
        self._stopped = True
        if self._looking is not None:
            self._looking.cancel()
        self._queue.stop()

    # ---- requests ----------------------------------------------------------------------------------------------------
    async def evaluate(
        self, path: str, name: SampleName | GraphName, *, again: bool = False, seconds: float | None = None
    ) -> Any:
        """Return the outcome of a sample or graph in its current state; a known outcome unless ``again`` is set.

        The time limit is ``seconds``; by default that of the settings. Raise UnknownDocument if the name does not
        exist, ArgumentError if the chosen arguments do not fit, Interrupted if the text changes meanwhile. Cancelling
        the waiting task cancels the evaluation.
        """
        key = ValueKey(path, name)
        with self._wanted(key) as wanted:
            order = await self._order(path)
            wanted.checkpoint()
            found = None if order is None else order.find(key)
            if order is None or found is None:
                kind = "sample" if isinstance(name, SampleName) else "graph"
                raise UnknownDocument(f"there is no such {kind} any more")
            value = found.value
            if (
                value.settled
                and value.outcome is not None
                and value.freshness is not Freshness.OVER_LIMIT
                and not again
            ):
                return value.outcome
            allowed = order.request.limits.seconds if seconds is None else seconds
            request = replace(order.request, limits=replace(order.request.limits, seconds=allowed))
            prepared = await self._prepared(found, order.options)
            wanted.checkpoint()
        return await self._outcome(prepared, request, order.options)

    def cancel(self, path: str, name: SampleName | GraphName) -> None:
        """Cancel the evaluation of a sample or graph."""
        self._give_up(lambda key: key == ValueKey(path, name), _CANCELLED)
        self._refresher.soon()

    @property
    def load(self) -> tuple[int, int]:
        """Numbers of running and of waiting evaluations."""
        return self._queue.load

    async def call(
        self, key: ValueKey, work: Callable[[Any], Any], failed: Callable[[str], Any], tensor_bytes: int
    ) -> Any:
        """Let a process do other work about a document, in its turn, before automatic evaluations.

        ``failed`` makes the result from the message of a fault.
        """
        job = self._queue.add(Job(key, None, work, failed, tensor_bytes, wanted=True))
        try:
            return await job.done
        except asyncio.CancelledError:
            self._queue.give_up(lambda each: each is job)
            raise

    @contextmanager
    def _wanted(self, key: ValueKey) -> Iterator[Question]:
        """Announce an evaluation that is not in the queue yet; the question stops when it is cancelled."""
        question = Question()
        self._preparing.add((key, question))
        try:
            yield question
        finally:
            self._preparing.discard((key, question))

    def _give_up(self, condition: Callable[[ValueKey], bool], reason: str = "") -> None:
        for key, question in self._preparing:
            if condition(key):
                question.stop(reason)
        self._queue.give_up(lambda job: condition(job.key), reason)

    async def _outcome(self, found: ShownSubject, request: SampleRequest, options: EvaluationOptions) -> Outcome:
        jobs = [job for job in self._queue.jobs() if job.stopping is None]  # others are cancelled
        known = next((job for job in jobs if job.key == found.key and job.digest == found.digest), None)
        job = known if known is not None and known.wanted else self._add(found, request, options, wanted=True)
        if known is not None and known is not job:
            self._queue.give_up(lambda each: each is known)
            self._values.wait(found.key, found.digest)
        job.waiting += 1
        try:
            outcome: Outcome = await asyncio.shield(job.done)
        except asyncio.CancelledError:
            if not _is_cancelled():
                raise Interrupted(job.given_up) from None
            if job.waiting == 1:
                self._queue.give_up(lambda each: each is job)
            raise
        finally:
            job.waiting -= 1
        return outcome

    # ---- pending work ------------------------------------------------------------------------------------------------
    async def _look(self) -> None:
        """End evaluations that an edit has outdated; after a pause, begin cheap ones."""
        session = self._server.session
        await asyncio.sleep(_MOMENT_SECONDS)
        for path in {job.key.path for job in self._queue.jobs()}:
            self._end_outdated(path, await self._order(path, Urgency.PAUSE))
        await asyncio.sleep(_PAUSE_SECONDS)
        await asyncio.to_thread(load_runtime)  # here, so that no question waits for it on the thread of the analysis
        if not self._queue.is_warm and any(_WORTH_A_PROCESS.search(each.source.text) for each in session.documents):
            options = await session.work(lambda: self.options(""))
            if options.enabled:
                self._queue.warm(options.tensor_bytes)
        for document in session.documents:
            path = document.source.path
            order = await self._order(path, Urgency.PAUSE, weigh=True)
            self._end_outdated(path, order)
            if order is None:
                continue
            names = {each.key.name for each in order.subjects}
            self._values.keep(path, names)
            request = _limited(order.request, _AUTOMATIC_SECONDS)
            for each in order.cheap:
                if self._freshness(each) in (Freshness.NONE, Freshness.STALE):
                    await self._begin(each, request, order.options)
            freshness = tuple((each.key, each.digest, self._freshness(each)) for each in order.subjects)
            self._refresher.shown(path, freshness)

    def _end_outdated(self, path: str, order: ValuesRequest | None) -> None:
        digests = {} if order is None else {each.key: each.digest for each in order.subjects}
        self._queue.give_up(lambda job: job.key.path == path and job.digest not in (None, digests.get(job.key)))

    def _is_cheap(self, subject: ShownSubject, options: EvaluationOptions) -> bool:
        """On the analysis thread, since it may take composing."""
        if isinstance(subject, ShownGraph) and (subject.is_hidden or not options.graphs):
            return False
        if (
            not options.automatic
            or not subject.can_run
            or self._freshness(subject) not in (Freshness.NONE, Freshness.STALE)
        ):
            return False
        # An evaluation that took too long gets another chance after an edit.
        seconds = None if self._values.deserves_another_try(subject.key) else self._values.seconds(subject.key)
        return subject.is_small if seconds is None else seconds <= options.budget

    def _freshness(self, subject: ShownSubject) -> Freshness:
        return self._values.of(subject.key, subject.digest).freshness

    async def _order(
        self, path: str, urgency: Urgency = Urgency.BACKGROUND, *, weigh: bool = False
    ) -> ValuesRequest | None:
        """Return the current samples and graphs of a document; if ``weigh``, with the cheap ones listed.

        None if there is no such document.
        """

        def answer(snapshot: Snapshot, question: Question) -> ValuesRequest:
            samples: Iterator[ShownSubject] = question.each(self.samples(snapshot, path))
            graphs: Iterator[ShownSubject] = question.each(self.graphs(snapshot, path))
            subjects, options = (*samples, *graphs), self.options(path)
            cheap = [each for each in question.each(subjects) if self._is_cheap(each, options)] if weigh else []
            return ValuesRequest(subjects, sample_request(snapshot, path, options), options, tuple(cheap))

        try:
            return await self._server.session.ask(path, answer, urgency=urgency)
        except UnknownDocument:
            return None

    # ---- jobs --------------------------------------------------------------------------------------------------------
    async def _begin(self, subject: ShownSubject, request: SampleRequest, options: EvaluationOptions) -> None:
        with suppress(ArgumentError, UnknownDocument):  # the choice no longer fits: requests report it
            self._add(await self._prepared(subject, options), request, options, wanted=False)

    def _add(self, subject: ShownSubject, request: SampleRequest, options: EvaluationOptions, *, wanted: bool) -> Job:
        return self._queue.add(
            Job(
                subject.key,
                subject.digest,
                lambda evaluator: subject.evaluated(evaluator, request),
                subject.failed,
                options.tensor_bytes,
                wanted,
                is_brief=not wanted or self._is_known_as_brief(subject, options),
            )
        )

    def _is_known_as_brief(self, subject: ShownSubject, options: EvaluationOptions) -> bool:
        seconds = self._values.seconds(subject.key)
        return seconds is not None and seconds <= options.budget

    async def _prepared(self, subject: ShownSubject, options: EvaluationOptions) -> ShownSubject:
        """Return the subject with its arguments. Raise ArgumentError if they do not fit."""
        if isinstance(subject, ShownSample) or not isinstance(subject.choice, GivenInputs):
            return subject
        load_runtime()
        from snd_server.running.evaluate import prepare

        path, request = subject.key.path, subject.choice.request(subject.key.path, subject.graph.name, options)
        given = await self._server.session.ask(path, lambda snapshot, _: prepare(snapshot, request).evaluation)
        return replace(subject, given=given)


def sample_request(snapshot: Snapshot, path: str, options: EvaluationOptions) -> SampleRequest:
    """Return the request for a process that evaluates subjects of a document."""
    load_runtime()
    import numpy as np

    from snd_runtime.limits import Limits
    from snd_runtime.samples import SampleRequest

    involved = [each for each in (path, *snapshot.dependencies(path)) if not is_library(each)]
    return SampleRequest(
        path,
        texts_of(snapshot, involved),
        snapshot.settings,
        limits=Limits(seconds=options.timeout, tensor_bytes=options.tensor_bytes),
        real=np.dtype(np.float64 if options.real == "f64" else np.float32),
        seed=options.seed,
        pictures=options.pictures,
        quantize=options.quantize,
    )


def _weights(snapshot: Snapshot, path: str) -> str:
    """Return a text that changes when a tensor file of a graph does."""
    return weights_stamp(sorted(snapshot.tensor_descriptions(path)))


def _limited(request: SampleRequest, seconds: float) -> SampleRequest:
    allowed = request.limits.seconds
    least = seconds if allowed is None else min(seconds, allowed)
    return replace(request, limits=replace(request.limits, seconds=least))


def _is_cancelled() -> bool:
    """Return whether the task itself is cancelled, not the one it waits for."""
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0


def texts_of(snapshot: Snapshot, paths: Iterable[str]) -> dict[str, str]:
    """Return the texts of files, and the descriptions of the tensor files of NNEF 1.0 graphs."""
    texts = {each: snapshot.source(each).text for each in paths if snapshot.exists(each)}
    for each in list(texts):
        texts.update(snapshot.tensor_descriptions(each))
    return texts
