"""The samples of a file as an editor shows them: where they stand, what they depend on, and whether they are small."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from snd_analysis.ide.amounts import is_small_operation
from snd_analysis.ide.digests import Digests
from snd_analysis.names.symbols import OperatorName
from snd_analysis.samples import PlacedSample
from snd_analysis.source import Span
from snd_analysis.workspace import Snapshot


@dataclass(frozen=True, slots=True)
class SampleName:
    """What tells a sample from the others of its file, wherever it stands: its code, and which one of that code."""

    code: str
    occurrence: int = 0


@dataclass(frozen=True, slots=True)
class KnownSample:
    """One sample of a state of the files. Spans are those of the file."""

    name: SampleName
    number: int
    """Which sample of its file, from 0."""
    placed: PlacedSample
    span: Span
    """From its first ``#`` to the end of its last line."""
    code_end: int
    """Where its last line of code ends."""
    digest: str
    """The same as long as nothing that its results depend on has changed: its text, and all definitions it reaches."""
    target: OperatorName | None
    can_run: bool
    """Whether it can be composed, or fails as expected. What is wrong otherwise, checking reports."""
    is_small: bool
    """Whether there is little to compute, as far as composing tells."""


def sample_names(snapshot: Snapshot, path: str) -> Iterator[tuple[SampleName, PlacedSample]]:
    """The samples of a file by name, in order."""
    text = snapshot.source(path).text
    counts: dict[str, int] = {}
    for placed in snapshot.samples(path):
        code = text[placed.start + placed.sample.span.start : placed.start + placed.sample.code_end]
        name = SampleName(code, counts.get(code, 0))
        counts[code] = name.occurrence + 1
        yield name, placed


def samples_in(snapshot: Snapshot, path: str, within: Span | None = None) -> Iterator[KnownSample]:
    """The samples of a file, or those that touch a part of it, in order."""
    digests = Digests(snapshot)
    text = snapshot.source(path).text
    for number, (name, placed) in enumerate(sample_names(snapshot, path)):
        span = placed.sample.span.shifted(placed.start)
        if within is not None and not (span.start <= within.end and within.start <= span.end):
            continue
        code_end = placed.start + placed.sample.code_end
        checked = snapshot.checked_sample(path, placed.sample)
        operation = checked.operation
        valid = operation is not None and operation.instance is not None and operation.instance.valid
        can_run = checked.failure is not None or (valid and not checked.has_errors)
        digest = digests.of(text[span.start : span.end], checked.target)
        is_small = can_run and (operation is None or is_small_operation(operation))
        yield KnownSample(name, number, placed, span, code_end, digest, checked.target, can_run, is_small)
