"""Evaluation in a worker process: the side of the client."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping

from snd_analysis.base import NO_SETTINGS, ProjectSettings
from snd_runtime.evaluation.answer import EvaluationAnswer, Progress, ShownStep
from snd_runtime.evaluation.request import EvaluationRequest, Texts, WorkOrder
from snd_runtime.limits import too_slow
from snd_runtime.worker import ProcessLimits, Worker, WorkerFailed

_TARGET = "snd_runtime.evaluation.handler:make"
_GRACE_SECONDS = 1.0
"""An evaluation stops itself when its time is over, and can then say where. One that does not is killed after this."""


class Evaluator:
    """An evaluator in a process that ``Worker`` keeps, kills and replaces; texts are sent when they change."""

    def __init__(
        self,
        limits: ProcessLimits | None = None,
        *,
        keep_ready: bool = False,
        forks: bool = False,
        target: str | None = None,
    ) -> None:
        """Prepare a worker; ``target`` is ``module:function``, which makes the worker's handler.

        By default ``handler``. See ``Worker`` for the other arguments.
        """
        self.worker = Worker(target or _TARGET, limits, keep_ready=keep_ready, forks=forks)
        self._sent: dict[str, str] = {}
        self._sent_to = 0

    def __enter__(self) -> Evaluator:
        """Start the process without waiting, so that it is ready when the first request comes."""
        self.worker.start()
        return self

    def __exit__(self, *exception: object) -> None:
        self.worker.close()

    def evaluate(
        self,
        texts: Mapping[str, str],
        request: EvaluationRequest,
        *,
        existing: Collection[str] = (),
        settings: ProjectSettings = NO_SETTINGS,
        note: Callable[[ShownStep | Progress], None] | None = None,
    ) -> EvaluationAnswer:
        """Evaluate a graph or operator of these texts; ``note`` gets the steps (with ``trace``) and the progress.

        Raise WorkerFailed if the process has to be killed, dies or fails; the next evaluation works.
        """
        seconds = request.limits.seconds

        def order(generation: int) -> WorkOrder:
            # Only from within the call is it known which process gets it.
            if generation != self._sent_to:
                self._sent, self._sent_to = {}, generation
            changed = {path: text for path, text in texts.items() if self._sent.get(path) != text}
            gone = frozenset(self._sent.keys() - texts.keys())
            self._sent = dict(texts)
            return WorkOrder(Texts(changed, frozenset(existing), gone, settings), request)

        allowed = None if seconds is None else seconds + _GRACE_SECONDS
        try:
            answer: EvaluationAnswer = self.worker.call(order, seconds=allowed, note=note)
        except WorkerFailed as failed:
            if failed.reason != "time":
                raise
            raise WorkerFailed("time", too_slow(seconds)) from None
        return answer
