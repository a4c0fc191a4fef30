"""Graphs and operators evaluated for requests, one at a time, in a worker process of their own."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from snd_analysis.base import Diagnostic, Severity
from snd_analysis.compose import Composition
from snd_analysis.skriptnd.names import is_library
from snd_analysis.workspace import Snapshot, reached_diagnostics
from snd_runtime.worker import ProcessLimits, WorkerFailed
from snd_server.lsp.diagnostics.diagnostics import reported
from snd_server.lsp.limits import MOST_ANSWERED_TENSORS
from snd_server.lsp.session.analysis_thread import Question
from snd_server.lsp.session.late_runtime import load_runtime
from snd_server.lsp.values.evaluation import texts_of

if TYPE_CHECKING:
    from snd_runtime.evaluation import EvaluationAnswer, EvaluationRequest, Evaluator, Progress, ShownStep
    from snd_server.lsp.server import SndServer
    from snd_server.render.evaluated import Evaluated
    from snd_server.running.evaluate import PreparedRun, RunRequest


_Tell = Callable[[int, int], None]


class GraphValue(Struct, frozen=True):
    """The outcome of a graph, and the state of the texts that it belongs to."""

    snapshot: Snapshot
    evaluated: Evaluated


class _Order(Struct, frozen=True):
    snapshot: Snapshot
    prepared: PreparedRun
    texts: Mapping[str, str]
    diagnostics: tuple[Diagnostic, ...]


class GraphEvaluations:
    """Evaluations for requests. A cancelled request costs the process, which is replaced."""

    def __init__(self, server: SndServer) -> None:
        self._server = server
        self._evaluator: Evaluator | None = None
        self._one = asyncio.Lock()
        self._calls = ThreadPoolExecutor(1, "graphs")
        self._stopped = False

    async def evaluate(self, request: RunRequest, tell: _Tell) -> GraphValue:
        """Return the outcome of a graph or operator; mistakes and failures are among its diagnostics.

        ``tell`` receives the numbers of finished and of all operations. Raise ArgumentError for missing subjects.
        """
        load_runtime()
        from snd_server.running.evaluate import diagnostic_of, is_broken

        order = await self._server.session.ask(request.path, lambda snapshot, _: self._ordered(snapshot, request))
        shown = replace(order.prepared.shown, diagnostics=order.diagnostics)
        if is_broken(order.diagnostics):
            return GraphValue(order.snapshot, shown)
        async with self._one:
            answer, trace = await self._answer(order, request, tell)

        def finished(snapshot: Snapshot, question: Question) -> tuple[Diagnostic, ...]:
            template = order.prepared.template
            return tuple(diagnostic_of(failure, order.snapshot, template) for failure in answer.failures)

        failures = await self._server.session.ask(request.path, finished)
        diagnostics = (*order.diagnostics, *failures)
        return GraphValue(order.snapshot, replace(shown, answer=answer, diagnostics=diagnostics, trace=tuple(trace)))

    def stop(self) -> None:
        """End all running evaluations at once."""
        self._stopped = True
        if self._evaluator is not None:
            self._evaluator.worker.close()

    def _ordered(self, snapshot: Snapshot, request: RunRequest) -> _Order:
        from snd_server.running.evaluate import prepare

        prepared = prepare(snapshot, request)
        path, found = prepared.template.name.path, list[Diagnostic]()
        nothing_composed = Composition(None, {}, {}, ())
        for each, diagnostics in reached_diagnostics(snapshot, prepared.template.name, nothing_composed).items():
            found += reported(self._server.session, snapshot, each, diagnostics)
        involved = [each for each in (path, *snapshot.dependencies(path)) if not is_library(each)]
        texts = texts_of(snapshot, involved)
        return _Order(
            snapshot, prepared, texts, tuple(each for each in found if each.severity is not Severity.HINT)
        )  # fmt: skip

    async def _answer(
        self, order: _Order, request: RunRequest, tell: _Tell
    ) -> tuple[EvaluationAnswer, list[ShownStep]]:
        from snd_runtime.evaluation import EvaluationAnswer, Evaluator, Progress
        from snd_server.running.evaluate import failure_of

        loop = asyncio.get_running_loop()
        if self._evaluator is None:
            self._evaluator = Evaluator(ProcessLimits(memory_bytes=request.memory_bytes), keep_ready=True)
        evaluator = self._evaluator
        trace: list[ShownStep] = []
        evaluator.worker.limit(ProcessLimits(memory_bytes=request.memory_bytes))
        last: Progress | None = None

        def note(content: ShownStep | Progress) -> None:
            nonlocal last
            if isinstance(content, Progress):
                last = content
                loop.call_soon_threadsafe(tell, content.done, content.total)
            elif len(trace) < MOST_ANSWERED_TENSORS:
                trace.append(content)

        def call() -> EvaluationAnswer:
            wanted: EvaluationRequest = order.prepared.evaluation
            return evaluator.evaluate(order.texts, wanted, settings=order.snapshot.settings, note=note)

        try:
            return await loop.run_in_executor(self._calls, call), trace
        except WorkerFailed as failed:
            return EvaluationAnswer(failures=(failure_of(failed, last),)), trace
        except asyncio.CancelledError:
            if not self._stopped:  # before anybody else may be at it
                await loop.run_in_executor(None, evaluator.worker.stop)
            raise
