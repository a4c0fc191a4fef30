"""Samples in a worker process: the side of the client."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Any

from msgspec.structs import replace

from snd_analysis import rules
from snd_analysis.base import Rule
from snd_runtime.evaluation.request import Texts
from snd_runtime.rules import LIMIT_EXCEEDED
from snd_runtime.samples.handler import OneSample, SampleOrder, StepCount
from snd_runtime.samples.outcome import SampleOutcome, Status
from snd_runtime.samples.proposal import SEARCH_SECONDS, NoProposal, ProposalRequest, SampleProposal
from snd_runtime.samples.refactoring import RefactoringAnswer, RefactoringProgress, RefactoringRequest
from snd_runtime.samples.request import SampleRequest
from snd_runtime.samples.trace import GraphTrace
from snd_runtime.samples.tracing import TraceRequest
from snd_runtime.worker import ProcessLimits, Worker, WorkerFailed

_TARGET = "snd_runtime.samples.handler:make"
_GRACE_SECONDS = 2.5
"""Time after which an evaluation that did not stop itself is killed.

An evaluation that stops itself at its time limit can report the place. Composing takes time, too.
"""


class SampleEvaluator:
    """Evaluation of samples and graphs in a process that ``Worker`` keeps, kills and replaces.

    Texts are sent when they change. The death of the process costs only its current request.
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
        """Yield the outcomes of samples of a file, in the order of ``numbers``.

        ``existing`` are further existing files.
        """
        for number in numbers:
            yield self.outcome(request, number, existing)

    def outcome(self, request: SampleRequest, number: int, existing: Collection[str] = ()) -> SampleOutcome:
        """Return the outcome of one sample of a file."""
        try:
            outcome: SampleOutcome = self._call(OneSample(request, number), existing)
        except WorkerFailed as failed:
            return SampleOutcome(Status.FAILED, rule=_rule(failed), message=failed.message)
        return outcome

    def trace(self, request: TraceRequest, existing: Collection[str] = ()) -> GraphTrace:
        """Return the trace of the tensors of a graph."""
        try:
            trace: GraphTrace = self._call(request, existing)
        except WorkerFailed as failed:
            return GraphTrace(rule=_rule(failed), message=failed.message)
        return trace

    def propose(self, request: ProposalRequest, existing: Collection[str] = ()) -> SampleProposal | NoProposal:
        """Return a sample for a definition."""
        try:
            proposal: SampleProposal | NoProposal = self._call(request, existing, SEARCH_SECONDS)
        except WorkerFailed as failed:
            return NoProposal(failed.message)
        return proposal

    def refactor(
        self,
        request: RefactoringRequest,
        existing: Collection[str] = (),
        note: Callable[[RefactoringProgress], None] | None = None,
    ) -> RefactoringAnswer:
        """Return the edits of a refactoring; ``note`` gets the progress, on the thread of the caller."""
        try:
            answer: RefactoringAnswer = self._call(request, existing, note=note)
        except WorkerFailed as failed:
            return RefactoringAnswer(failed.message)
        return answer

    def _call(
        self,
        work: StepCount,
        existing: Collection[str],
        more_seconds: float = 0.0,
        note: Callable[[Any], None] | None = None,
    ) -> Any:
        """Evaluate in the worker; ``more_seconds`` are for work beside the evaluation."""
        around = work.around

        def order(generation: int) -> SampleOrder:
            # Only from within the call is it known which process gets it.
            if generation != self._sent_to:
                self._sent, self._sent_to = {}, generation
            changed = {path: text for path, text in around.texts.items() if self._sent.get(path) != text}
            gone = frozenset(self._sent.keys() - around.texts.keys())
            self._sent = dict(around.texts)
            texts = Texts(changed, frozenset(existing), gone, around.settings)
            return SampleOrder(texts, replace(work, around=replace(around, texts={})))

        seconds = around.limits.seconds
        allowed = None if seconds is None else seconds + _GRACE_SECONDS + more_seconds
        return self.worker.call(order, seconds=allowed, note=note)


def _rule(failed: WorkerFailed) -> Rule:
    return rules.INTERNAL_ERROR if failed.reason == "fault" else LIMIT_EXCEEDED
