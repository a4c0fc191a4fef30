"""Where an assertion goes that mends a condition."""

from __future__ import annotations

from snd_analysis.base import Edit, Elsewhere, Span
from snd_analysis.skriptnd.names import OperatorName
from snd_analysis.skriptnd.syntax import nodes
from snd_analysis.skriptnd.syntax.nodes import BlockKind
from snd_analysis.workspace import Snapshot

_BEFORE = (BlockKind.DTYPE, BlockKind.ATTRIB, BlockKind.INPUT, BlockKind.USING, BlockKind.OUTPUT)


def assertion_edit(snapshot: Snapshot, name: OperatorName, assertion: str) -> Edit | None:
    """Return the edit of a file that lets an operator assert something; None if it has no block to put it at."""
    definition = snapshot.definition(name)
    blocks = [each for each in definition.blocks if isinstance(each, nodes.Block)] if definition is not None else []
    text = snapshot.source(name.path).text
    for block in blocks:
        if block.kind is BlockKind.ASSERT:
            end = _in_file(snapshot, name, block.end)
            inside = text[: end - 1].rstrip()
            row = text[text.rfind("\n", 0, len(inside)) + 1 : len(inside)]
            if "@assert" in row:  # the block stands in one line
                return Edit(Span(len(inside), len(inside)), f" {assertion};")
            indent = row[: len(row) - len(row.lstrip())]
            return Edit(Span(len(inside), len(inside)), f"\n{indent}{assertion};")
    before = [block for block in blocks if block.kind in _BEFORE]
    if not before:
        return None
    end = _in_file(snapshot, name, max(block.end for block in before))
    return Edit(Span(end, end), f"\n    @assert {{\n        {assertion};\n    }}")


def _in_file(snapshot: Snapshot, name: OperatorName, at: int) -> int:
    return snapshot.locate(Elsewhere(name.path, name.name, span=Span(at, at))).span.start
