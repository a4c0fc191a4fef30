"""Samples to write or refresh, which a server does that can evaluate them."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from snd_analysis.ide.actions.action import Action, ActionKind, Command, Request
from snd_analysis.ide.cursor import definition_at
from snd_analysis.ide.evaluation import sample_names
from snd_analysis.skriptnd.names import OperatorName
from snd_analysis.workspace import Snapshot

WRITE_SAMPLE, REFRESH_SAMPLE = "snd.writeSample", "snd.refreshSample"


def sample_actions(request: Request, commands: Collection[str]) -> Iterator[Action]:
    """Yield a new sample of the definition whose head is here, if it has none, and the results of the sample here."""
    if REFRESH_SAMPLE in commands:
        for name, placed in sample_names(request.snapshot, request.path):
            span = placed.sample.span.shifted(placed.start)
            if request.touches(span) and placed.sample.invocation is not None:
                command = Command(REFRESH_SAMPLE, (name.code, name.occurrence))
                yield Action("record the results of this sample", ActionKind.SAMPLE, command=command)
    found = definition_at(request.tree, request.span.start) if WRITE_SAMPLE in commands else None
    if found is None or not request.touches(found[1].name.span.shifted(found[0])):
        return
    written = found[1].name.text
    if written and not has_sample(request.snapshot, OperatorName(request.path, written)):
        command = Command(WRITE_SAMPLE, (written,))
        yield Action(f"write a sample of '{written}'", ActionKind.SAMPLE, command=command)


def has_sample(snapshot: Snapshot, name: OperatorName) -> bool:
    """Return whether a definition has a sample in its own file."""
    placed = snapshot.samples(name.path)
    return any(snapshot.named_sample(name.path, each.sample).target == name for each in placed)
