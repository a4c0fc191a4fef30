"""The samples of a file for an editor that shows them: their places, dependencies and sizes."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

from msgspec import Struct

from snd_analysis.base import Span
from snd_analysis.compose import Specialization, specialization_of
from snd_analysis.ide.evaluation.cost_estimate import is_small_operation
from snd_analysis.ide.evaluation.digests import Digests
from snd_analysis.skriptnd.names import OperatorName
from snd_analysis.workspace import CheckedSample, PlacedSample, Snapshot


class SampleName(Struct, frozen=True):
    """Identity of a sample in its file, independent of its position: its code, and its number among equal codes."""

    code: str
    occurrence: int = 0


class KnownSample(Struct, frozen=True, dict=True):
    """One sample of a state of the files. Spans are those of the file.

    Properties that need composing are computed on demand, on the thread for queries of snapshots.
    """

    snapshot: Snapshot
    path: str
    name: SampleName
    number: int
    """Index of the sample in its file, from 0."""
    placed: PlacedSample
    span: Span
    """Range from the first ``#`` to the end of the last line."""
    code_end: int
    """Offset of the end of the last line that has code."""
    target: OperatorName | None

    @cached_property
    def digest(self) -> str:
        """The same as long as nothing that its results depend on has changed: its text, and all that it reaches."""
        text = self.snapshot.source(self.path).text[self.span.start : self.span.end]
        return Digests(self.snapshot).of(text, self.target)

    @cached_property
    def can_run(self) -> bool:
        """Return whether it can be composed, or fails as expected. Checking reports the problems otherwise."""
        return self._checked.failure is not None or self.specialization is not None

    @cached_property
    def is_small(self) -> bool:
        """Return whether there is little to compute, as far as composing tells."""
        operation = self._checked.operation
        return self.can_run and (operation is None or is_small_operation(operation))

    @property
    def specialization(self) -> Specialization | None:
        """The specialization of its invocation; None if it does not compose."""
        checked = self._checked
        specialization = None if checked.operation is None else specialization_of(checked.operation)
        return (
            specialization if specialization is not None and specialization.valid and not checked.has_errors else None
        )

    @property
    def _checked(self) -> CheckedSample:
        return self.snapshot.checked_sample(self.path, self.placed.sample)


def sample_names(snapshot: Snapshot, path: str) -> Iterator[tuple[SampleName, PlacedSample]]:
    """Yield the samples of a file by name, in order."""
    text = snapshot.source(path).text
    counts: dict[str, int] = {}
    for placed in snapshot.samples(path):
        code = text[placed.start + placed.sample.span.start : placed.start + placed.sample.code_end]
        name = SampleName(code, counts.get(code, 0))
        counts[code] = name.occurrence + 1
        yield name, placed


def samples_in(snapshot: Snapshot, path: str, within: Span | None = None) -> Iterator[KnownSample]:
    """Yield the samples of a file, or those that touch ``within``, in order."""
    for number, (name, placed) in enumerate(sample_names(snapshot, path)):
        span = placed.sample.span.shifted(placed.start)
        if within is not None and not (span.start <= within.end and within.start <= span.end):
            continue
        code_end = placed.start + placed.sample.code_end
        target = snapshot.sample_target(path, placed.sample)
        yield KnownSample(snapshot, path, name, number, placed, span, code_end, target)
