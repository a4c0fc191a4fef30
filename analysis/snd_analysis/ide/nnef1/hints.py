"""Hints between the lines of a file in NNEF 1.0: types and shapes, and values that are known when it is read."""

from __future__ import annotations

from collections.abc import Iterator, Set

from snd_analysis.base import Location, Span
from snd_analysis.ide.evaluation import GraphTensors, KnownGraph, TensorName
from snd_analysis.ide.inlay_hints import HintKind, InlayHint, LabelPart
from snd_analysis.ide.nnef1.facts import assigned, fact_text, tensor_names, value_of
from snd_analysis.ide.nnef1.places import (
    PlacedEntry,
    definitions,
    entries_in,
    entry_end,
    fragment_named,
    tree_of,
    use_at,
)
from snd_analysis.nnef1.elaborate import ElaboratedValue
from snd_analysis.nnef1.syntax import Nnef1SyntaxTree, nodes
from snd_analysis.workspace import Snapshot


def inlay_hints(snapshot: Snapshot, path: str, within: Span | None, kinds: Set[HintKind]) -> list[InlayHint]:
    """Return the hints of these kinds in a file, or in a part of it, in order."""
    tree = tree_of(snapshot, path)
    span = within or Span(0, len(tree.text))
    found: list[InlayHint] = []
    for definition in definitions(tree):
        if definition.start <= span.end and span.start <= definition.end:
            for placed in entries_in(definition, span):
                if HintKind.SHAPE in kinds:
                    found += _shapes(snapshot, path, tree, placed)
                if HintKind.ARGUMENT in kinds:
                    found += _arguments(path, tree, placed)
    return sorted((each for each in found if span.start <= each.offset <= span.end), key=lambda each: each.offset)


def _shapes(snapshot: Snapshot, path: str, tree: Nnef1SyntaxTree, placed: PlacedEntry) -> Iterator[InlayHint]:
    end = entry_end(tree.text, placed)
    values = assigned(snapshot, path, placed)
    shown = [(name, text) for name, value in values.items() if (text := _text(value, placed))]
    if end is None or not shown:
        return
    several = len(values) > 1
    text = ", ".join(f"{name}: {text}" if several else text for name, text in shown)
    yield InlayHint(end, HintKind.SHAPE, (LabelPart(text),), before=True)


def _text(value: ElaboratedValue, placed: PlacedEntry) -> str:
    """Return the text of a value; empty if its statement shows the same."""
    text = fact_text(value, short=True)
    statement = placed.entry.statements[0]
    is_written = isinstance(statement, nodes.Assignment) and not isinstance(
        statement.value, nodes.Call | nodes.Identifier | nodes.Binary | nodes.Unary | nodes.Subscript | nodes.Select
    )
    return "" if is_written and text.startswith("=") else text


def _arguments(path: str, tree: Nnef1SyntaxTree, placed: PlacedEntry) -> Iterator[InlayHint]:
    """Yield the names of the parameters of fragments before their arguments, unless the arguments have equal names."""
    for statement in placed.entry.statements:
        call = statement.value if isinstance(statement, nodes.Assignment) else None
        fragment = fragment_named(tree, call.function.text) if isinstance(call, nodes.Call) else None
        if not isinstance(call, nodes.Call) or fragment is None or len(fragment.head.parameters) < 2:
            continue
        for parameter, argument in zip(fragment.head.parameters, call.arguments, strict=False):
            if argument.name is not None:
                break
            if isinstance(argument.value, nodes.Identifier) and argument.value.text == parameter.name.text:
                continue
            place = Location(path, parameter.name.span.shifted(fragment.start))
            part = LabelPart(f"{parameter.name.text}:", place)
            yield InlayHint(argument.start + placed.entry.start, HintKind.ARGUMENT, (part,), after=True)


# ---- the tensors of a graph in NNEF 1.0, where their values are shown ------------------------------------------------
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
