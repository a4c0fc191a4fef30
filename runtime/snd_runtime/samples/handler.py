"""The work of a worker process: it keeps texts, evaluates samples and graphs, proposes samples, and refactors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

from msgspec import Struct

from snd_runtime.evaluation.binding import FoundShapes
from snd_runtime.evaluation.handler import KnownFiles
from snd_runtime.evaluation.request import Texts
from snd_runtime.samples.evaluation import evaluate_sample
from snd_runtime.samples.outcome import SampleOutcome
from snd_runtime.samples.proposal import NoProposal, ProposalRequest, SampleProposal, propose_sample
from snd_runtime.samples.refactoring import RefactoringAnswer, RefactoringRequest, refactor
from snd_runtime.samples.request import SampleRequest
from snd_runtime.samples.trace import GraphTrace
from snd_runtime.samples.tracing import TraceRequest, trace_graph


class OneSample(Struct, frozen=True):
    """A sample of a file: the ``number``-th, from 0."""

    around: SampleRequest
    number: int


StepCount: TypeAlias = OneSample | TraceRequest | ProposalRequest | RefactoringRequest
Answer: TypeAlias = SampleOutcome | GraphTrace | SampleProposal | NoProposal | RefactoringAnswer


class SampleOrder(Struct, frozen=True):
    """An order for the worker: ``texts`` are the changes since the last order, apart from the request's own texts."""

    texts: Texts
    work: StepCount


def make() -> Callable[[SampleOrder, Callable[[Any], None]], Answer]:
    """Return the handler of a worker, see ``snd_runtime.worker.child``."""
    files, found = KnownFiles(), FoundShapes()

    def handle(order: SampleOrder, note: Callable[[Any], None]) -> Answer:
        snapshot, work = files.snapshot(order.texts), order.work
        around = work.around
        match work:
            case TraceRequest():
                return trace_graph(snapshot, work, found)
            case ProposalRequest():
                return propose_sample(snapshot, work)
            case RefactoringRequest():
                return refactor(snapshot, work, note)
            case OneSample(number=number):
                sample = snapshot.samples(around.path)[number].sample
                checked = snapshot.checked_sample(around.path, sample)
                session = snapshot.session()
                return evaluate_sample(
                    session, checked, around.limits, around.real, around.seed, around.pictures
                )  # fmt: skip

    return handle
