"""Inlay hints: shapes, deduced values, names of inputs, ends of blocks."""

from __future__ import annotations

from collections.abc import Iterator, Set

from snd_analysis.base import Span
from snd_analysis.ide.evaluation import entries_in
from snd_analysis.ide.inlay_hints.hint import HintKind, InlayHint, LabelPart, block_ends
from snd_analysis.ide.inlay_hints.invocations import invocation_hints, shape_hints, statement_end
from snd_analysis.ide.knowledge import Knowledge
from snd_analysis.skriptnd.syntax import nodes
from snd_analysis.skriptnd.syntax.nodes import BlockKind
from snd_analysis.workspace import Snapshot

__all__ = ["ALL_KINDS", "HintKind", "InlayHint", "LabelPart", "inlay_hints", "statement_end"]

ALL_KINDS = frozenset(HintKind)
_COMPOSED = frozenset({BlockKind.COMPOSE, BlockKind.UPDATE})


def inlay_hints(
    snapshot: Snapshot, path: str, within: Span | None = None, kinds: Set[HintKind] = ALL_KINDS
) -> list[InlayHint]:
    """Return the hints of these kinds in a file, or in a part of it, in order."""
    tree = snapshot.tree(path)
    span = within or Span(0, len(tree.text))
    found: list[InlayHint] = []
    for start, definition in tree.definitions:
        if _touches(definition, start, span):
            found += _hints(Knowledge(snapshot, path, start, definition), span, kinds)
    found = [hint for hint in found if span.start <= hint.offset <= span.end]
    return sorted(found, key=lambda hint: hint.offset)


def _touches(node: nodes.Node, base: int, span: Span) -> bool:
    return node.start + base <= span.end and span.start <= node.end + base


def _hints(knowledge: Knowledge, span: Span, kinds: Set[HintKind]) -> Iterator[InlayHint]:
    definition, start = knowledge.definition, knowledge.start
    if HintKind.BLOCK_END in kinds:
        yield from block_ends(knowledge.snapshot, knowledge.path, start, definition)
    for block in definition.blocks:
        if not isinstance(block, nodes.Block) or block.kind not in _COMPOSED:
            continue
        for entry in entries_in(block, span.shifted(-start)):
            if isinstance(entry.statement, nodes.Component):
                yield from _statement(knowledge, entry.statement, entry.start + start, kinds)


def _statement(
    knowledge: Knowledge, component: nodes.Component, base: int, kinds: Set[HintKind]
) -> Iterator[InlayHint]:
    for node in nodes.descendants(component):
        if isinstance(node, nodes.Call):
            yield from invocation_hints(knowledge, node, base, kinds)
        elif isinstance(node, nodes.Component) and HintKind.SHAPE in kinds:
            yield from shape_hints(knowledge, node, base)
