"""The operators of a file with conditions that can be proved, and the dependencies of their verdicts."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

from msgspec import Struct

from snd_analysis.base import Span
from snd_analysis.ide.evaluation import Digests
from snd_analysis.skriptnd.names import OperatorName
from snd_analysis.workspace import Snapshot


class Provable(Struct, frozen=True, dict=True):
    """An operator in one state of the files. Spans are those of the file."""

    name: OperatorName
    head: Span
    """Span of its name."""
    span: Span
    text: str
    """Text of the definition; verdicts refer to places in it."""
    digests: Digests

    @cached_property
    def digest(self) -> str:
        """The same as long as nothing that its verdicts depend on has changed."""
        return self.digests.of(self.text, self.name)


def provable(snapshot: Snapshot, path: str, within: Span | None = None) -> Iterator[Provable]:
    """Yield the operators of a file, or those that touch a part of it."""
    digests, text = Digests(snapshot), snapshot.source(path).text
    for name, placed in snapshot.definitions(path).items():
        definition = placed.definition
        span = definition.span.shifted(placed.start)
        if definition.kind != "operator" or (within is not None and not _touch(span, within)):
            continue
        head = definition.name.span.shifted(placed.start)
        yield Provable(OperatorName(path, name), head, span, text[span.start : span.end], digests)


def _touch(span: Span, other: Span) -> bool:
    return span.start <= other.end and other.start <= span.end
