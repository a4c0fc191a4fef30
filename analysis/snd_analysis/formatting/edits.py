"""Formatting as edits: as few lines as differ, so that cursors and marks of editors stay where they are."""

from __future__ import annotations

import re
from collections.abc import Iterator
from difflib import SequenceMatcher

from snd_analysis.formatting.files import format_text
from snd_analysis.formatting.width import DEFAULT_WIDTH
from snd_analysis.source import Edit, Span
from snd_analysis.syntax import nodes
from snd_analysis.syntax.chunks import SyntaxTree

_LINE = re.compile(r"[^\r\n]*(?:\r\n|\n|\r)|[^\r\n]+\Z")


def format_edits(tree: SyntaxTree, width: int = DEFAULT_WIDTH, span: Span | None = None) -> list[Edit]:
    """What is to be changed, in order of places; with ``span``, only in the lines that it touches."""
    edits = list(_line_edits(tree.text, format_text(tree.text, width, tree)))
    if span is None:
        return edits
    return [edit for edit in edits if edit.span.start <= span.end and span.start < edit.span.end]


def format_typed(tree: SyntaxTree, offset: int, width: int = DEFAULT_WIDTH) -> list[Edit]:
    """What is to be changed of the statement, block or definition that ends at ``offset``."""
    span = _ending_at(tree, offset)
    return [] if span is None else format_edits(tree, width, span)


def _ending_at(tree: SyntaxTree, offset: int) -> Span | None:
    for start, definition in tree.definitions:
        if not start + definition.start <= offset <= start + definition.end:
            continue
        candidates: list[nodes.Node] = [definition, *definition.blocks]
        candidates += [
            entry for block in definition.blocks if isinstance(block, nodes.Block) for entry in block.entries
        ]
        for node in candidates:
            if 0 <= offset - start - node.end <= 1:
                return node.span.shifted(start)
    return None


def _line_edits(before: str, after: str) -> Iterator[Edit]:
    old, new = _LINE.findall(before), _LINE.findall(after)
    starts = [0]
    for line in old:
        starts.append(starts[-1] + len(line))
    matcher = SequenceMatcher(None, old, new, autojunk=False)
    for kind, first, last, new_first, new_last in matcher.get_opcodes():
        if kind == "equal":
            continue
        if last - first == new_last - new_first:
            for at, line in zip(range(first, last), new[new_first:new_last], strict=True):
                yield Edit(Span(starts[at], starts[at + 1]), line)
        else:
            yield Edit(Span(starts[first], starts[last]), "".join(new[new_first:new_last]))
