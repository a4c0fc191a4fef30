"""A definition has two blocks of the same kind (LANGUAGE)."""

from __future__ import annotations

from collections.abc import Iterator

from snd_analysis.base import Note, Problem, Rule
from snd_analysis.skriptnd.lints.blocks import first_blocks
from snd_analysis.skriptnd.syntax import nodes

DUPLICATE_BLOCK = Rule("duplicate-block", section="LANGUAGE")


def check(definition: nodes.Definition) -> Iterator[Problem]:
    """Report each block whose kind an earlier block has."""
    first = first_blocks(definition)
    for block in definition.blocks:
        if isinstance(block, nodes.Block) and (earlier := first[block.kind]) is not block:
            message = f"'{definition.name.text}' has two blocks '@{block.kind}': put their entries into one"
            yield Problem(DUPLICATE_BLOCK, block.keyword, message, (Note(earlier.keyword, "the first one is here"),))
