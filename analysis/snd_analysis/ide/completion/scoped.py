"""Scoped names: names after labels, where tensors are quantized."""

from __future__ import annotations

from collections.abc import Iterator

from snd_analysis.ide.completion.item import Completion, CompletionKind
from snd_analysis.ide.completion.place import CompletionPlace
from snd_analysis.skriptnd.names import Symbol
from snd_analysis.skriptnd.syntax import nodes
from snd_analysis.skriptnd.types import Context, scoped_names
from snd_analysis.workspace import Snapshot


def scoped(snapshot: Snapshot, place: CompletionPlace, definition: nodes.Definition) -> Iterator[Completion]:
    """Yield the targets of the labels before the last dot: tensors first, then further labels."""
    context = Context(definition, snapshot.resolution(place.path, definition), snapshot.others(place.path))
    for name, step in scoped_names(context, place.qualifier):
        symbol = step.target
        owner = step.definition or context.others.own(definition)
        if isinstance(symbol, Symbol) and symbol.is_tensor and owner is not None:
            yield Completion(
                name, CompletionKind.TENSOR, 0, detail=f"{symbol.kind} of {owner.name}",
                subject=("symbol", owner.path, owner.name, name),
            )  # fmt: skip
        else:
            yield Completion(name, CompletionKind.LABEL, 1, detail="label")
