"""The samples and graphs of a state of the files, each with its value for that state."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from msgspec import Struct

from snd_analysis import rules
from snd_analysis.ide.evaluation import KnownGraph, KnownSample
from snd_analysis.skriptnd.names import OperatorName
from snd_server.lsp.session.freshness import ShownValue, ValueKey
from snd_server.lsp.values.evaluation_options import EvaluationOptions
from snd_server.lsp.values.graph_choices import Choice

if TYPE_CHECKING:
    from snd_runtime.evaluation import EvaluationRequest
    from snd_runtime.samples import GraphTrace, SampleEvaluator, SampleOutcome, SampleRequest


class ShownSample(Struct, frozen=True):
    """A sample of a state of the files with its value for that state."""

    sample: KnownSample
    key: ValueKey
    digest: str
    value: ShownValue[SampleOutcome]

    @property
    def can_run(self) -> bool:
        """Return whether it makes sense to evaluate it."""
        return self.sample.can_run

    @property
    def is_small(self) -> bool:
        """Return whether there is little to compute, as far as composing tells."""
        return self.sample.is_small

    def evaluated(self, evaluator: SampleEvaluator, request: SampleRequest) -> SampleOutcome:
        """Return its outcome."""
        return evaluator.outcome(request, self.sample.number)

    def failed(self, message: str) -> SampleOutcome:
        """Return an outcome of a fault of ours."""
        from snd_runtime.samples import SampleOutcome, Status

        return SampleOutcome(Status.FAILED, rule=rules.INTERNAL_ERROR, message=message)


class ShownGraph(Struct, frozen=True):
    """A graph of a state of the files with the values of its tensors for that state, and its arguments."""

    graph: KnownGraph
    key: ValueKey
    digest: str
    value: ShownValue[GraphTrace]
    choice: Choice
    is_hidden: bool
    """True if its values are switched off."""
    given: EvaluationRequest | None = None
    """The arguments, if they are not those of a sample."""

    @property
    def can_run(self) -> bool:
        """Return whether it makes sense to evaluate it."""
        return self.graph.can_run and (not isinstance(self.choice, KnownSample) or self.choice.can_run)

    @property
    def is_small(self) -> bool:
        """Return whether there is little to compute, as far as composing tells."""
        return self.choice.is_small if isinstance(self.choice, KnownSample) else self.graph.is_small

    def evaluated(self, evaluator: SampleEvaluator, request: SampleRequest) -> GraphTrace:
        """Return its outcome."""
        from snd_runtime.samples import TraceRequest

        number = self.choice.number if isinstance(self.choice, KnownSample) else None
        name = OperatorName(self.key.path, self.graph.name.name)
        return evaluator.trace(TraceRequest(request, name, number, None if number is not None else self.given))

    def failed(self, message: str) -> GraphTrace:
        """Return an outcome of a fault of ours."""
        from snd_runtime.samples import GraphTrace

        return GraphTrace(rule=rules.INTERNAL_ERROR, message=message)


ShownSubject: TypeAlias = ShownSample | ShownGraph


class ValuesRequest(Struct, frozen=True):
    """The samples and graphs of one state of a document, and the request to evaluate them."""

    subjects: tuple[ShownSubject, ...]
    request: SampleRequest
    options: EvaluationOptions
    cheap: tuple[ShownSubject, ...] = ()
    """Samples and graphs that are evaluated automatically; empty if that was not decided."""

    def find(self, key: ValueKey) -> ShownSubject | None:
        """Return the sample or graph of that name; None if there is none any more."""
        return next((each for each in self.subjects if each.key == key), None)
