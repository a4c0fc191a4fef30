"""A graph has no block ``@compose`` (2.6.1)."""

from __future__ import annotations

from collections.abc import Iterator

from snd_analysis.base import Problem, Rule
from snd_analysis.skriptnd.lints.blocks import first_blocks, has_broken_block
from snd_analysis.skriptnd.syntax import nodes
from snd_analysis.skriptnd.syntax.nodes import BlockKind

GRAPH_WITHOUT_COMPOSE = Rule("graph-without-compose", section="2.6.1")


def check(definition: nodes.Definition) -> Iterator[Problem]:
    """Report a graph without a body. One with ``@lower`` breaks another rule."""
    if definition.kind != "graph" or not definition.name.text or has_broken_block(definition):
        return
    if not first_blocks(definition).keys() & {BlockKind.COMPOSE, BlockKind.LOWER}:
        message = f"the graph '{definition.name.text}' has no '@compose': nothing says how its outputs are computed"
        yield Problem(GRAPH_WITHOUT_COMPOSE, definition.name.span, message)
