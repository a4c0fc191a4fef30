"""The blocks of a definition, as the rules about its structure see them."""

from __future__ import annotations

from snd_analysis.skriptnd.syntax import nodes


def first_blocks(definition: nodes.Definition) -> dict[str, nodes.Block]:
    """Return the first block of each kind."""
    found: dict[str, nodes.Block] = {}
    for block in definition.blocks:
        if isinstance(block, nodes.Block):
            found.setdefault(block.kind, block)
    return found


def has_broken_block(definition: nodes.Definition) -> bool:
    """Return whether a syntax error hides the kind of a block."""
    return any(isinstance(block, nodes.ErrorBlock) for block in definition.blocks)
