"""The tensors of a graph in NNEF 1.0, where their values are shown."""

from __future__ import annotations

from collections.abc import Iterator

from snd_analysis.base import Span
from snd_analysis.ide.evaluation import GraphTensors, KnownGraph, TensorName
from snd_analysis.ide.nnef1.facts import assigned, tensor_names, value_of
from snd_analysis.ide.nnef1.places import definitions, entries_in, entry_end, tree_of, use_at
from snd_analysis.workspace import Snapshot


def tensor_at(
    snapshot: Snapshot, path: str, tensors: GraphTensors, offset: int
) -> tuple[Span, TensorName] | None:  # fmt: skip
    """Return the tensor that is named at an offset."""
    use = use_at(snapshot, path, offset)
    names = [] if use is None else [*tensor_names(value_of(snapshot, path, use))]
    return (use.span, TensorName(names[0])) if use is not None and len(names) == 1 else None


def tensor_statements(
    snapshot: Snapshot, path: str, graph: KnownGraph, within: Span
) -> Iterator[tuple[Span, int, tuple[TensorName, ...]]]:
    """Yield the statements of a graph in a part of the file, where hints of them stand, and the tensors they make."""
    tree = tree_of(snapshot, path)
    for definition in definitions(tree):
        if definition.head.kind != "graph":
            continue
        for placed in entries_in(definition, within):
            end = entry_end(tree.text, placed)
            values = assigned(snapshot, path, placed).values()
            names = tuple(TensorName(name) for value in values for name in tensor_names(value))
            if end is not None and names:
                yield Span(placed.entry.start, placed.end), end, names
