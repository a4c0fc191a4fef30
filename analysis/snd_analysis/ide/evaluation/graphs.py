"""The graphs of a file for an editor that runs them: their places, samples and dependencies."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

from msgspec import Struct

from snd_analysis.base import Span
from snd_analysis.ide.evaluation.cost_estimate import is_small_graph
from snd_analysis.ide.evaluation.digests import Digests
from snd_analysis.ide.evaluation.graph_tensors import GraphTensors, graph_tensors
from snd_analysis.ide.evaluation.samples import KnownSample, samples_in
from snd_analysis.skriptnd.names import OperatorName
from snd_analysis.workspace import Snapshot


class GraphName(Struct, frozen=True):
    """The name of a graph within its file."""

    name: str


class KnownGraph(Struct, frozen=True, dict=True):
    """One graph of a state of the files.

    Properties that need composing are computed on demand, on the thread for queries of snapshots.
    """

    snapshot: Snapshot
    path: str
    name: GraphName
    start: int
    """Offset in the file that spans of its tensors count from."""
    span: Span
    """Range from the keyword to the closing brace, in the file."""
    head: Span
    """Span of its name in the file."""
    tensors: GraphTensors
    samples: tuple[KnownSample, ...]
    """Samples of the file that invoke it, in order."""

    @cached_property
    def digest(self) -> str:
        """The same as long as no definition has changed that it reaches."""
        return Digests(self.snapshot).of("", self._operator)

    @cached_property
    def can_run(self) -> bool:
        """Return whether it can be composed. Checking reports the problems otherwise."""
        specialization = self.snapshot.specialization(self._operator)
        return (
            specialization is not None
            and specialization.valid
            and not specialization.template.errors
            and not self.snapshot.failures(self._operator)
        )

    @cached_property
    def is_small(self) -> bool:
        """Return whether there is little to compute where all extents that are not known are small."""
        specialization = self.snapshot.specialization(self._operator)
        return self.can_run and specialization is not None and is_small_graph(specialization)

    @property
    def _operator(self) -> OperatorName:
        return OperatorName(self.path, self.name.name)


def graphs_in(snapshot: Snapshot, path: str, within: Span | None = None) -> Iterator[KnownGraph]:
    """Yield the graphs of a file, or those that touch ``within``, in order."""
    samples: list[KnownSample] | None = None
    for start, definition in snapshot.tree(path).definitions:
        span = definition.span.shifted(start)
        name = OperatorName(path, definition.name.text)
        if definition.kind != "graph" or snapshot.definition(name) is not definition:
            continue
        if within is not None and not (span.start <= within.end and within.start <= span.end):
            continue
        if samples is None:  # not needed where there are no graphs
            samples = [*samples_in(snapshot, path)]
        yield KnownGraph(
            snapshot,
            path,
            GraphName(name.name),
            start,
            span,
            definition.name.span.shifted(start),
            graph_tensors(snapshot.resolution(path, definition)),
            tuple(each for each in samples if each.target == name),
        )
