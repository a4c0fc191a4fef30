"""The edit that adds assertions to an operator."""

from __future__ import annotations

from snd_analysis.base import Edit, Span
from snd_analysis.skriptnd.syntax import nodes
from snd_analysis.skriptnd.syntax.nodes import BlockKind

_BEFORE = (BlockKind.DTYPE, BlockKind.ATTRIB, BlockKind.INPUT, BlockKind.USING, BlockKind.OUTPUT)


def new_assertion(text: str, start: int, definition: nodes.Definition, *assertions: str) -> Edit | None:
    """Return the edit of a file that adds assertions to a definition; None if it has no block to put them at.

    The chunk of the definition begins at ``start``.
    """
    blocks = [each for each in definition.blocks if isinstance(each, nodes.Block)]
    for block in blocks:
        if block.kind is BlockKind.ASSERT:
            inside = text[: start + block.end - 1].rstrip()
            row = text[text.rfind("\n", 0, len(inside)) + 1 : len(inside)]
            if "@assert" in row:  # the block stands in one line
                return Edit(Span(len(inside), len(inside)), "".join(f" {each};" for each in assertions))
            indent = row[: len(row) - len(row.lstrip())]
            return Edit(Span(len(inside), len(inside)), "".join(f"\n{indent}{each};" for each in assertions))
    before = [block for block in blocks if block.kind in _BEFORE]
    if not before:
        return None
    end = start + max(block.end for block in before)
    lines = "".join(f"\n        {each};" for each in assertions)
    return Edit(Span(end, end), f"\n    @assert {{{lines}\n    }}")
