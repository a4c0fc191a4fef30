"""An operator or graph has no block ``@output`` (2.2)."""

from __future__ import annotations

from collections.abc import Iterator

from snd_analysis.base import Problem, Rule
from snd_analysis.skriptnd.lints.blocks import first_blocks, has_broken_block
from snd_analysis.skriptnd.syntax import nodes
from snd_analysis.skriptnd.syntax.nodes import BlockKind

MISSING_OUTPUT = Rule("missing-output", section="2.2")


def check(definition: nodes.Definition) -> Iterator[Problem]:
    """Report a definition without results, unless it works by its ``@update``."""
    if not definition.name.text or has_broken_block(definition):
        return
    if not first_blocks(definition).keys() & {BlockKind.OUTPUT, BlockKind.UPDATE}:
        message = f"the {definition.kind} '{definition.name.text}' has no '@output'"
        yield Problem(MISSING_OUTPUT, definition.name.span, message)
