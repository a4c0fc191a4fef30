"""Samples in a worker process: the side of whoever asks."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from snd_runtime.evaluation.request import Texts
from snd_runtime.samples.handler import SampleOrder
from snd_runtime.samples.outcome import SampleOutcome, Status
from snd_runtime.samples.request import SampleRequest
from snd_runtime.worker import ProcessLimits, Worker, WorkerFailed

_TARGET = "snd_runtime.samples.handler:make"
_GRACE_SECONDS = 0.5
"""An evaluation stops itself when its time is over, and can then say where. One that does not is killed after this."""


class SampleEvaluator:
    """Evaluates samples in a process that is kept, killed and replaced by ``Worker``; texts are sent when they change.

    The death of the process costs the sample that it was at.
    """

    def __init__(self, limits: ProcessLimits | None = None, *, keep_ready: bool = False) -> None:
        self.worker = Worker(_TARGET, limits, keep_ready=keep_ready)
        self._sent: Mapping[str, str] = {}
        self._sent_to = 0

    def __enter__(self) -> SampleEvaluator:
        return self

    def __exit__(self, *exception: object) -> None:
        self.worker.close()

    def outcomes(
        self, request: SampleRequest, numbers: Collection[int], existing: Collection[str] = ()
    ) -> Iterator[SampleOutcome]:
        """What comes of samples of a file, in the order of ``numbers``. ``existing`` are further files there are."""
        for number in numbers:
            yield self._outcome(request, number, frozenset(existing))

    def _outcome(self, request: SampleRequest, number: int, existing: frozenset[str]) -> SampleOutcome:
        def order(generation: int) -> SampleOrder:
            # Only from within the call is it known which process gets it.
            if generation != self._sent_to:
                self._sent, self._sent_to = {}, generation
            changed = {path: text for path, text in request.texts.items() if self._sent.get(path) != text}
            gone = frozenset(self._sent.keys() - request.texts.keys())
            self._sent = dict(request.texts)
            texts = Texts(changed, existing, gone, request.module_paths)
            return SampleOrder(
                texts, request.path, number, request.limits, request.real, request.seed, request.pictures
            )

        seconds = request.limits.seconds
        try:
            outcome: SampleOutcome = self.worker.call(
                order, seconds=None if seconds is None else seconds + _GRACE_SECONDS
            )
        except WorkerFailed as failed:
            rule = "internal-error" if failed.reason == "fault" else "limit-exceeded"
            return SampleOutcome(Status.FAILED, rule=rule, message=failed.message)
        return outcome
